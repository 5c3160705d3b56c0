/** More than two colours, every dataset ordering them by preference: the twin of {@code neodp/core/rainbow}. */
package neodp.algorithm.rainbow;
