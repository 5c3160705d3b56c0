/** Dataset graphs in the database: the twin of {@code neodp/store/neo4j}. */
package neodp.store;
