package neodp.procedures;

import neodp.Refusal;
import neodp.Text;
import neodp.algorithm.Labels;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.UserFunction;

/** {@code neodp.bound}. */
public final class Bound {
    /** U of one edge, as the mechanism computes it. */
    @UserFunction("neodp.bound")
    @Description(
            "U(p): the largest chance of an answer that an edge (epsilon, delta) allows at one end, where it is p at "
                    + "the other end.")
    public Double bound(
            @Name(value = "p", description = "A probability.") Double p,
            @Name(value = "epsilon", description = "From 0 to 690.") Double epsilon,
            @Name(value = "delta", defaultValue = "0.0", description = "From 0 to 1.") Double delta) {
        if (p == null || epsilon == null || delta == null) {
            return null; // as Cypher's own functions do
        }
        require("p", p, 1.0);
        require("epsilon", epsilon, Labels.MAX_EPSILON);
        require("delta", delta, 1.0);
        if (p > 0.0 && p < Labels.TINY) {
            throw Refusal.graph("p is " + Text.repr(p), "give 0 or at least " + Text.repr(Labels.TINY));
        }
        double allowed = delta < Labels.TINY ? 0.0 : delta;
        return Labels.decode(Labels.relax(Labels.encode(p, 1.0 - p), Labels.factor(epsilon), allowed));
    }

    private static void require(String what, double x, double most) {
        if (!(x >= 0.0 && x <= most)) {
            throw Refusal.graph(what + " is " + Text.repr(x), "give a number from 0 to " + Text.general(most));
        }
    }
}
