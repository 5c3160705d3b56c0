package neodp.algorithm;

import java.util.Map;

/** The reason why no private mechanism has a graph's alpha. */
public interface Contradiction {
    /** In words. */
    String sentence();

    /** As the columns of a row. */
    Map<String, Object> facts();
}
