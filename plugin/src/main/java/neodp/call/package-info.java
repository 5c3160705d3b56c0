/** One call of a procedure: its threads, its time and its memory. */
package neodp.call;
