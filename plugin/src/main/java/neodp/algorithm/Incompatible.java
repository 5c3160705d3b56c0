package neodp.algorithm;

import neodp.Refusal;
import neodp.Text;

/** Alpha that no private mechanism can have, with two datasets whose alpha cannot both be kept. */
public final class Incompatible extends Refusal {
    private static final long serialVersionUID = 1L;

    /** The two datasets. */
    public final transient Contradiction witness;

    public Incompatible(Contradiction witness, String hint) {
        super("incompatible_alpha", witness.sentence(), hint);
        this.witness = witness;
    }

    /** The same, with a hint at an alpha that is compatible. */
    public static Incompatible of(String graph, Contradiction witness, String instead) {
        return new Incompatible(
                witness,
                instead + ", or see `CALL neodp.boundary.balanced.stream(" + Text.cypher(graph)
                        + ")` for a compatible choice");
    }
}
