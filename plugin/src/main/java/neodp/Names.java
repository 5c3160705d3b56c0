package neodp;

import java.text.Normalizer;
import java.util.Locale;

/** What a name may be: the twin of {@code neodp/data/names.py}. */
public final class Names {
    /** How many characters a name may have. */
    public static final int LONGEST = 200;

    private static final int COMPOSED = 4; // as many characters at most become one in the normal form
    private static final int NON_JOINER = 0x200C;
    private static final int JOINER = 0x200D;

    private Names() {}

    /**
     * A name in the form in which names are kept and compared. A text that is too long for a name in any form stays as
     * it is: to normalise it may take time for the square of its length.
     */
    public static String normal(String name) {
        return length(name) > COMPOSED * LONGEST ? name : Normalizer.normalize(name, Normalizer.Form.NFC);
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }

    /** How long a name is that is too long; null where it is not. */
    public static String tooLong(String what, String name) {
        int length = length(normal(name));
        return length <= LONGEST
                ? null
                : String.format(Locale.ROOT, "the name of the %s has %,d characters", what, length);
    }

    /** What to do about a name that is too long. */
    public static String shorter() {
        return "at most " + LONGEST + " are allowed";
    }

    /**
     * A name as it is kept; refused if it is empty, too long, has blanks around it, or has characters that cannot be
     * seen.
     */
    public static String valid(String what, String name) {
        if (name.codePoints().allMatch(Text::space)) {
            throw Refusal.graph("the " + what + " has no name", "give it one, such as spring");
        }
        String length = tooLong(what, name);
        if (length != null) {
            throw Refusal.graph(length, shorter());
        }
        String called = "the name of the " + what + " is " + Text.repr(name);
        if (Text.space(name.codePointAt(0)) || Text.space(name.codePointBefore(name.length()))) {
            throw Refusal.graph(called + ", with blanks at its beginning or end", "leave the blanks out");
        }
        if (name.codePoints().anyMatch(Names::unseen)) {
            throw Refusal.graph(called + ", with an invisible character", "leave it out");
        }
        return normal(name);
    }

    private static boolean unseen(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> true;
            case Character.FORMAT -> c != NON_JOINER && c != JOINER;
            default -> false;
        };
    }
}
