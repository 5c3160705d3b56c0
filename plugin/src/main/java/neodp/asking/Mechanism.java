package neodp.asking;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongUnaryOperator;

/** What is asked about the number of matches, and how the answer is drawn: {@code neodp/asking/mechanism.py}. */
public sealed interface Mechanism permits AtLeast, Counting {
    /** The unit of epsilon: a person's weight is a whole multiple of it. */
    double UNIT = 0x1p-10;

    /** Draw an answer, exactly; distances are in units, for a number t. */
    String draw(LongUnaryOperator distance);

    /** The public facts that identify what is asked, in the order in which the client has them. */
    LinkedHashMap<String, Object> facts();

    /** The chances of the answers, to be shown to the steward. */
    Map<String, Object> chances(LongUnaryOperator distance);
}
