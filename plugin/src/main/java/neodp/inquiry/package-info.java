/** Questions about the graph of people in this database: what is protected, read, drawn and kept. */
package neodp.inquiry;
