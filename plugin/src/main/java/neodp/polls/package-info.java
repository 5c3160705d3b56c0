/** Polls of people whose levels nobody learns, without a database: the twin of a part of {@code neodp/polls}. */
package neodp.polls;
