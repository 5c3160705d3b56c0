package neodp.algorithm;

import neodp.Refusal;
import neodp.Text;

/** Alpha that no private mechanism can have, with two datasets whose alpha cannot both be kept. */
public final class Incompatible extends Refusal {
    private static final long serialVersionUID = 1L;

    /** The two datasets. */
    public final transient Witness witness;

    public Incompatible(String graph, Witness witness) {
        super(
                "incompatible_alpha",
                witness.sentence(),
                "lower the first or raise the second, or see `CALL neodp.boundary.balanced.stream(" + Text.cypher(graph)
                        + ")` for a compatible choice");
        this.witness = witness;
    }
}
