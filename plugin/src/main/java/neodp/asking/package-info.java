/** Questions about graphs of people, without a database: the twin of {@code neodp/asking}. */
package neodp.asking;
