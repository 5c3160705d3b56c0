/**
 * The plugin: what all of its packages use, which are, from the lowest to the highest, call, algorithm, store, ledger, results
 * and procedures.
 */
package neodp;
