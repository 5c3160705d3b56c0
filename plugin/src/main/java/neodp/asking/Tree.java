package neodp.asking;

import java.util.List;

/**
 * A part of a question as the grammar reads it.
 *
 * @param kind the rule
 * @param parts trees and texts; null where something optional is missing
 */
record Tree(String kind, List<Object> parts) {
    Tree tree(int i) {
        return (Tree) parts.get(i);
    }

    String text(int i) {
        return (String) parts.get(i);
    }

    boolean is(String rule) {
        return kind.equals(rule);
    }
}
