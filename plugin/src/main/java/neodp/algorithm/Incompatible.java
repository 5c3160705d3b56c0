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
                "lower the one or raise the other, or see `CALL neodp.boundary.balanced(" + Text.cypher(graph)
                        + ")` for a choice that fits");
        this.witness = witness;
    }
}
