/** What Cypher can call: one class for each procedure. */
package neodp.procedures;
