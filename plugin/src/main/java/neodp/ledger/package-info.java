/** What was asked, answered and spent: the twin of {@code neodp/ledger}. */
package neodp.ledger;
