package neodp.algorithm.rainbow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Exponentials and logarithms are those of Python's decimal, digit for digit. */
final class DecimalsTest {
    /** {@code Context(prec=60).exp(Decimal(1))} and the like. */
    @Test
    void knownNumbers() {
        Decimals in = new Decimals(60);
        assertEquals(
                "2.71828182845904523536028747135266249775724709369995957496697",
                in.exp(Units.UNIT).toString());
        assertEquals(
                "0.135335283236612691893999494972484403407631545909575881468159",
                in.exp(-2 * Units.UNIT).toString());
        assertEquals(
                "0.693147180559945309417232121458176568075500134360255254120680",
                in.ln(BigDecimal.valueOf(2)).toPlainString());
        assertEquals(BigDecimal.ONE, in.exp(0));
        assertEquals(0, in.ln(BigDecimal.ONE).signum());
    }

    @Test
    void fewerDigitsAreThoseOfMoreRounded() {
        Random random = new Random(1);
        for (int i = 0; i < 200; i++) {
            BigInteger units = new BigInteger(61, random).subtract(BigInteger.ONE.shiftLeft(60));
            Decimals few = new Decimals(20 + random.nextInt(60));
            BigDecimal exact = new Decimals(150).exp(units);
            assertEquals(exact.round(few.context), few.exp(units));
            BigDecimal large = BigDecimal.ONE.add(exact);
            assertEquals(0, new Decimals(150).ln(large).round(few.context).compareTo(few.ln(large)));
        }
    }

    @Test
    void lengthsLeaveRoom() {
        assertEquals(0, Units.length(0.0, 3));
        assertEquals(1125899906842622L, Units.length(1.0, 3)); // as the doctest of units.py says
        assertTrue(Units.length(690.0, 5) <= 690.0 * Units.UNIT - 3);
        assertEquals(4, Units.zeros(new BigDecimal("0.0009765625")));
        assertEquals(1, Units.zeros(BigDecimal.ONE));
    }
}
