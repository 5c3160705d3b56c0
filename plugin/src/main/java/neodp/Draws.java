package neodp;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** Exact draws from the operating system's random bits: the twin of {@code neodp/core/sampling.py}. */
public final class Draws {
    private static final int BITS = 1074; // every double from 0 to 1 is a whole number of 2^-1074
    private static final SecureRandom RANDOM = new SecureRandom();

    private Draws() {}

    /** Draw true with the first of two chances that add up to 1, of which the smaller is exact. */
    public static boolean first(double first, double second) {
        boolean likely = first >= second;
        BigDecimal smaller = new BigDecimal(likely ? second : first);
        BigInteger end =
                smaller.multiply(new BigDecimal(BigInteger.TWO.pow(BITS))).toBigIntegerExact();
        return new BigInteger(BITS, RANDOM).compareTo(end) < 0 != likely;
    }

    /** All positions in random order. */
    public static List<Integer> shuffled(int count) {
        List<Integer> out = new ArrayList<>(IntStream.range(0, count).boxed().toList());
        Collections.shuffle(out, RANDOM);
        return out;
    }

    /** Draw a whole number G with Pr[G >= n] = e^(-n / under), exactly (Canonne, Kamath and Steinke 2020). */
    public static long geometric(long under) {
        long low = below(under);
        while (!bernoulli(low, under)) {
            low = below(under);
        }
        long high = 0;
        while (bernoulli(1, 1)) {
            high++;
        }
        return low + under * high;
    }

    /** Draw true with chance e^-(over / under), exactly, for over at most under. */
    private static boolean bernoulli(long over, long under) {
        long k = 1;
        while (below(Math.multiplyExact(under, k)) < over) {
            k++;
        }
        return k % 2 == 1;
    }

    private static long below(long bound) {
        return RANDOM.nextLong(bound);
    }
}
