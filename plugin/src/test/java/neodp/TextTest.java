package neodp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The expected texts are those of Python 3.11. */
final class TextTest {
    @ParameterizedTest
    @CsvSource({
        "0.1, 0.1",
        "1.0, 1.0",
        "1e16, 1e+16",
        "123456789012345680.0, 1.2345678901234568e+17",
        "1e-4, 0.0001",
        "1e-5, 1e-05",
        "4.9e-324, 5e-324",
        "2.2250738585072014e-308, 2.2250738585072014e-308",
        "2e22, 2e+22",
        "-0.5, -0.5",
        "0.30000000000000004, 0.30000000000000004"
    })
    void numbersByTheirFewestDigits(double x, String python) {
        assertEquals(python, Text.repr(x));
    }

    @ParameterizedTest
    @CsvSource({"0.6321205588, 0.632121", "1000000, 1e+06", "100000, 100000", "0.00001, 1e-05", "690, 690", "0.5, 0.5"})
    void numbersToSixDigits(double x, String python) {
        assertEquals(python, Text.general(x));
    }

    @ParameterizedTest
    @CsvSource({
        "1.0, 0x1.0000000000000p+0",
        "0.1, 0x1.999999999999ap-4",
        "0.0, 0x0.0p+0",
        "4.9e-324, 0x0.0000000000001p-1022"
    })
    void bits(double x, String python) {
        assertEquals(python, Text.hex(x));
        assertEquals(x, Double.parseDouble(python));
    }

    @Test
    void quotes() {
        assertEquals("'a'", Text.repr("a"));
        assertEquals("\"it's\"", Text.repr("it's"));
        assertEquals("'\\'\"'", Text.repr("'\""));
        assertEquals("'\\n\\x00\\u2028é'", Text.repr("\n\u0000\u2028\u00e9"));
        assertEquals("'a\\'\\u0060'", Text.cypher("a'`"));
    }

    @Test
    void noMoreThanCanBeRead() {
        String shown = Text.described(List.of("x".repeat(1000), 1L));
        assertEquals("['" + "x".repeat(200) + "…'…]", shown);
    }

    @Test
    void theOrderOfCodePoints() {
        assertEquals(-1, Integer.signum(Text.compare("\uFFFD", "\uD83D\uDE00")));
        assertEquals(1, Integer.signum(Text.compare("b", "aa")));
        assertEquals(0, Text.compare("é", "é"));
    }
}
