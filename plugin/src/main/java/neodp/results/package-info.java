/** The rows that procedures yield. */
package neodp.results;
