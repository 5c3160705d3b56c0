/** The mathematics: the twin of {@code neodp/core}. It knows no database. */
package neodp.algorithm;
