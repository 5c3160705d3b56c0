package neodp.polls;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import neodp.Draws;
import neodp.Fraction;
import neodp.Refusal;
import neodp.Text;
import neodp.algorithm.rainbow.Decimals;

/**
 * A question to people of whom nothing is known beforehand, and the mechanism that answers it: the twin of
 * {@code neodp/polls/secret.py}, which has the proof.
 *
 * <p>Nothing here needs a linear program: scores are whole steps, the chance of yes or no at a score has a closed form, and
 * one of three or more options is drawn by permute-and-flip.
 *
 * @param usual whether the options are yes and no in their usual words
 * @param cap the greatest epsilon with which anybody is heard
 * @param share the share of everybody's own epsilon that an answer costs
 */
public record SecretPoll(String query, List<String> options, boolean usual, double cap, Fraction share) {
    /** The default cap on epsilons. */
    public static final double CAP = 2.0;

    private static final double MOST = 690.0;
    private static final int FINE = 22; // epsilons are rounded down to multiples of 2^-22
    private static final int STEP = 11; // a score is a whole number of steps of 2^-11
    private static final long FINEST = 1000; // the greatest denominator of a share
    private static final BigInteger RATE = BigInteger.TWO.pow(50 - STEP).subtract(BigInteger.ONE);
    private static final BigInteger FAR = BigInteger.valueOf(800).shiftLeft(50);
    private static final Decimals DECIMALS = new Decimals(40);
    private static final BigDecimal ABOVE =
            BigDecimal.ONE.add(BigDecimal.ONE.movePointLeft(37)); // more than the error of the decimals
    private static final Fraction HALF = new Fraction(BigInteger.ONE, BigInteger.TWO);
    private static final Pattern NUMBER = Pattern.compile(
            "\\s*([0-9]{1,18})\\s*/\\s*([0-9]{1,18})\\s*|\\s*([0-9]{1,18}(?:\\.[0-9]{1,18})?|\\.[0-9]{1,18})\\s*");
    private static final Set<String> OUTCOMES = Set.of("median", "quantile", "count", "counts", "ranking");

    /** Refused where an argument is none; the message says which. */
    public SecretPoll {
        if (OUTCOMES.contains(query.split(":", -1)[0])) {
            throw Refusal.client(
                    "the plugin answers majority, threshold and plurality, but not " + Text.quoted(query),
                    "ask with the client, as in 'neodp poll --cypher \"MATCH (p:Person) RETURN p.vote, p.epsilon\" --query "
                            + "median --options 1,2,3'");
        }
        if (options.size() < 2 || new LinkedHashSet<>(options).size() < options.size()) {
            throw Refusal.graph(
                    "the options are " + (options.isEmpty() ? "none" : Text.listed(options)),
                    "name at least two different ones");
        }
        if (!query.equals("majority") && !query.equals("plurality")) {
            Fraction theta = threshold(query);
            if (theta == null) {
                throw Refusal.graph(
                        "the query is " + Text.quoted(query),
                        "give majority, plurality, or a share as in threshold:2/3");
            }
            if (theta.compareTo(Fraction.ZERO) <= 0 || theta.compareTo(Fraction.ONE) >= 0) {
                throw Refusal.graph(
                        "the query is " + Text.quoted(query) + ", which has only one possible answer",
                        "give a share between 0 and 1");
            }
            if (theta.under().compareTo(BigInteger.valueOf(FINEST)) > 0) {
                throw Refusal.graph(
                        "the query is " + Text.quoted(query), "give a share with a denominator of at most 1,000");
            }
        }
        if (!query.equals("plurality") && options.size() > 2) {
            throw Refusal.graph(
                    Text.first(query, 60) + " is asked about " + options.size() + " options",
                    "name two of them, or ask for plurality");
        }
        if (!(cap > 0.0 && cap <= MOST)) {
            throw Refusal.graph("the cap is " + Text.repr(cap), "give a number above 0 and up to 690");
        }
        if (share == null
                || share.compareTo(Fraction.ZERO) <= 0
                || share.compareTo(Fraction.ONE) > 0
                || share.under().compareTo(BigInteger.valueOf(FINEST)) > 0) {
            throw Refusal.graph(
                    "the share is " + (share == null ? "no number" : share),
                    "give a number above 0 and up to 1, such as 0.25 or '1/3'");
        }
        options = List.copyOf(options);
        new Cells(options, usual); // refuses options that are the same
    }

    /** The poll for a query; null for what is not given. */
    public static SecretPoll of(String query, List<String> options, Double cap, Object share) {
        boolean usual = options == null;
        return new SecretPoll(
                query == null ? "majority" : query,
                usual ? Cells.usual() : options,
                usual,
                cap == null ? CAP : cap,
                share == null ? Fraction.ONE : fraction(share instanceof Double x ? Text.repr(x) : share.toString()));
    }

    /** The exact number that a text states, as 0.25 or 1/3; null where it states none. */
    static Fraction fraction(String text) {
        Matcher found = NUMBER.matcher(text);
        if (!found.matches()) {
            return null;
        }
        if (found.group(3) != null) {
            return Fraction.of(new BigDecimal(found.group(3)));
        }
        BigInteger under = new BigInteger(found.group(2));
        return under.signum() == 0 ? null : new Fraction(new BigInteger(found.group(1)), under);
    }

    private static Fraction threshold(String query) {
        return query.startsWith("threshold:") ? fraction(query.substring("threshold:".length())) : null;
    }

    /** The share of the people that must choose the first of two options. */
    public Fraction theta() {
        Fraction given = threshold(query);
        return given == null ? HALF : given;
    }

    /** The question in words. */
    public String question() {
        if (options.size() > 2) {
            return "which of " + options.stream().map(Text::repr).collect(Collectors.joining(", "))
                    + " do most people choose, each counted by their level?";
        }
        String part = theta().equals(HALF) ? "more than half" : "at least " + theta();
        return "do " + part + " of the people, each counted by their level, choose " + Text.repr(options.get(0)) + "?";
    }

    /** What an answer costs somebody with an epsilon: the part of it that decides about their vote. */
    public double weight(double epsilon) {
        return Math.min(epsilon, cap) * share.nearest();
    }

    /** The part of that cost that taking part, or not, costs at most. */
    public double part() {
        return options.size() > 2
                ? 0.5
                : Math.max(theta().nearest(), Fraction.ONE.minus(theta()).nearest());
    }

    /** How votes are read. */
    public Cells cells() {
        return new Cells(options, usual);
    }

    /** The public facts that identify the question, as the client keeps them. */
    public Map<String, Object> facts() {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("query", query);
        out.put("options", options);
        out.put("mechanism", "secret-levels");
        out.put("cap", cap);
        out.put("share", share.toString());
        out.put("levels", Map.of());
        return out;
    }

    /** The people of a poll, added up one by one. Secret. */
    public final class Count {
        private final Cells cells = cells();
        private final Steps up = new Steps(options.size() > 2 ? Fraction.ONE : Fraction.ONE.minus(theta()));
        private final Steps down = new Steps(options.size() > 2 ? Fraction.ONE : theta());
        private final long[] scores = new long[options.size()];
        private final long[] votes = new long[options.size()];
        private long rows;
        private long heard;

        /** Add a person, by the values of two properties. */
        public void add(Object vote, Object epsilon) {
            int choice = cells.choice(vote);
            double own = Cells.epsilon(epsilon);
            rows++;
            if (choice >= 0) {
                scores[choice] += (choice == 0 ? up : down).of(own);
                votes[choice] += own > 0.0 ? 1 : 0;
                heard += own > 0.0 ? 1 : 0;
            }
        }

        public long rows() {
            return rows;
        }

        public long notCounted() {
            return rows - heard;
        }

        /** The number of people for each option. */
        public Map<String, Object> votes() {
            return byOption(votes);
        }

        /** The score of each of three or more options, in steps; null for two. */
        public Map<String, Object> scores() {
            return options.size() > 2 ? byOption(scores) : null;
        }

        /** The chances of both answers; null for three or more. */
        public Map<String, Object> chances() {
            if (options.size() > 2) {
                return null;
            }
            double[] found = at(scores[0] - scores[1]);
            Map<String, Object> out = new LinkedHashMap<>();
            out.put(options.get(0), found[0]);
            out.put(options.get(1), found[1]);
            return out;
        }

        /** Draw an answer, exactly; the number of draws does not depend on the people. */
        public String draw() {
            if (options.size() == 2) {
                double[] found = at(scores[0] - scores[1]);
                return options.get(Draws.first(found[0], found[1]) ? 0 : 1);
            }
            long best = java.util.Arrays.stream(scores).max().orElseThrow();
            List<Integer> accepted = new ArrayList<>();
            for (int option : Draws.shuffled(scores.length)) {
                if (Draws.geometric(1L << STEP + 1) >= best - scores[option]) {
                    accepted.add(option);
                }
            }
            return options.get(accepted.get(0));
        }

        private Map<String, Object> byOption(long[] numbers) {
            Map<String, Object> out = new LinkedHashMap<>();
            for (int i = 0; i < numbers.length; i++) {
                out.put(options.get(i), numbers[i]);
            }
            return Collections.unmodifiableMap(out);
        }
    }

    /** Nobody, so far. */
    public Count count() {
        return new Count();
    }

    /** From an epsilon to a part of the weight in whole steps, rounded down. */
    private final class Steps {
        private final long over;
        private final long under;

        Steps(Fraction part) {
            Fraction both = share.times(part);
            over = both.over().longValueExact();
            under = both.under().longValueExact() << FINE - STEP;
        }

        long of(double epsilon) {
            long whole = (long) Math.floor(Math.min(epsilon, cap) * (1L << FINE));
            return Math.floorDiv(Math.multiplyExact(whole, over), under);
        }
    }

    /** The chances of the first and the second option at a score in steps; the smaller one is exact. */
    static double[] at(long score) {
        double small = falling(BigInteger.valueOf(score).abs().multiply(RATE));
        return score >= 0 ? new double[] {1.0 - small, small} : new double[] {small, 1.0 - small};
    }

    /** The least double that is at least e^(-units 2^-50) / 2, but no more than 1/2, and not below the smallest normal. */
    private static double falling(BigInteger units) {
        if (units.compareTo(FAR) > 0) {
            return Double.MIN_NORMAL;
        }
        BigDecimal exact = DECIMALS.exp(units.negate()).multiply(ABOVE).divide(BigDecimal.valueOf(2));
        double near = exact.doubleValue();
        double above = new BigDecimal(near).compareTo(exact) < 0 ? Math.nextUp(near) : near;
        return Math.min(0.5, Math.max(Double.MIN_NORMAL, above));
    }
}
