package neodp;

import java.text.Normalizer;

/** What a name may be: the twin of {@code neodp/names.py}. */
final class Names {
    private static final int NON_JOINER = 0x200C;
    private static final int JOINER = 0x200D;

    private Names() {}

    /** A name in the form in which names are kept and compared. */
    static String normal(String name) {
        return Normalizer.normalize(name, Normalizer.Form.NFC);
    }

    /** A name as it is kept; refused if it is empty, has blanks around it, or has characters that cannot be seen. */
    static String valid(String what, String name) {
        if (name.codePoints().allMatch(Text::space)) {
            throw Refusal.graph("the " + what + " has no name", "give it one, such as spring");
        }
        String called = "the name of the " + what + " is " + Text.repr(name);
        if (Text.space(name.codePointAt(0)) || Text.space(name.codePointBefore(name.length()))) {
            throw Refusal.graph(called + ", with blanks around it", "leave the blanks out");
        }
        if (name.codePoints().anyMatch(Names::unseen)) {
            throw Refusal.graph(called + ", with a character that cannot be seen", "leave it out");
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
