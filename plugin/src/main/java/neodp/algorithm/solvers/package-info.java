/** The solver that fits a graph: the twin of {@code neodp/core/solvers.py}. */
package neodp.algorithm.solvers;
