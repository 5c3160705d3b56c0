package neodp.inquiry;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import neodp.Fraction;
import neodp.Json;
import neodp.Refusal;
import neodp.Text;
import neodp.algorithm.Level;
import neodp.asking.AtLeast;
import neodp.asking.Counting;
import neodp.asking.Mechanism;
import neodp.asking.Pattern;
import neodp.asking.Protection;
import neodp.asking.Units;
import neodp.ledger.Shares;

/**
 * A question about a graph of people, before anything is read: the twin of {@code Inquiry} in
 * {@code neodp/asking/inquiry.py}.
 *
 * @param distinct the place whose nodes are counted, each once; or null
 * @param amount what is added up; or null
 * @param facts the public facts that identify the question
 * @param command the command that asks the same question
 */
public record Asking(
        Protection protection,
        Pattern pattern,
        Mechanism mechanism,
        double share,
        Pattern.Place distinct,
        Pattern.Property amount,
        long cap,
        double ignoreBelow,
        Map<String, Object> facts,
        String command) {
    private static final long GREATEST = 1_000_000_000_000L;
    private static final long GREATEST_CAP = 1_000_000_000L;

    /**
     * What may be asked of a pattern.
     *
     * @param atLeast null unless it is asked whether there are so many
     * @param ranges null unless it is asked in which of these ranges the number lies
     * @param distinct a variable; or null
     * @param sum a variable and a property; or null
     * @param cap the greatest amount of one match; or null
     */
    public record Options(
            Long atLeast,
            double falseAlarm,
            boolean count,
            long atMost,
            List<Long> ranges,
            String distinct,
            String sum,
            Long cap,
            double share,
            double ignoreBelow) {}

    /** Prepare a question; refused with the reason if it cannot be asked. */
    public static Asking of(Protection protection, String question, Options options) {
        Pattern pattern = Pattern.parse(question).checked(protection);
        Mechanism mechanism = mechanism(options);
        Pattern.Property amount = amount(protection, pattern, options);
        Pattern.Place distinct = options.distinct == null ? null : pattern.place(options.distinct);
        if (distinct != null && !distinct.node()) {
            throw Refusal.notAskable(
                    Text.repr(options.distinct) + " is a relationship", "count the nodes at a variable, each once");
        }
        if (!(1e-6 <= options.share && options.share <= 1.0)) {
            throw Refusal.notAskable(
                    "the share is " + Text.repr(options.share), "give a number above 0 and at most 1, such as 0.2");
        }
        if (!(0.0 <= options.ignoreBelow && options.ignoreBelow < Double.POSITIVE_INFINITY)) {
            throw Refusal.notAskable(
                    "people below epsilon " + Text.repr(options.ignoreBelow) + " are to be ignored",
                    "give a number of at least 0");
        }
        pattern.requireTwo(protection, distinct);
        Map<String, Object> facts = facts(protection, pattern, mechanism, options);
        return new Asking(
                protection,
                pattern,
                mechanism,
                options.share,
                distinct,
                amount,
                options.cap == null ? 1 : options.cap,
                options.ignoreBelow,
                facts,
                command(protection.population(), question, facts));
    }

    private static Mechanism mechanism(Options options) {
        int kinds = (options.atLeast != null ? 1 : 0) + (options.count ? 1 : 0) + (options.ranges != null ? 1 : 0);
        if (kinds != 1) {
            throw Refusal.notAskable(
                    kinds == 0 ? "no kind of answer is asked for" : "more than one kind of answer is asked for",
                    "give one of `{atLeast: 500}`, `{count: true}` and `{ranges: [0, 10]}`");
        }
        long greatest = Math.max(options.atLeast == null ? 0 : options.atLeast, options.atMost);
        for (long begin : options.ranges == null ? List.<Long>of() : options.ranges) {
            greatest = Math.max(greatest, begin);
        }
        if (greatest > GREATEST) {
            throw Refusal.notAskable("a number of the question is too large", "give numbers of at most " + GREATEST);
        }
        if (options.atLeast != null) {
            return new AtLeast(options.atLeast, options.falseAlarm);
        }
        if (options.ranges != null) {
            return new Counting(List.copyOf(options.ranges), true);
        }
        if (options.atMost < 1) {
            throw Refusal.notAskable("the greatest answer is " + options.atMost, "give a number above 0");
        }
        return Counting.to(options.atMost);
    }

    private static Pattern.Property amount(Protection protection, Pattern pattern, Options options) {
        if (options.distinct != null && options.sum != null) {
            throw Refusal.notAskable(
                    "a question cannot both count distinct nodes and add up amounts", "ask for one of them");
        }
        if ((options.sum == null) != (options.cap == null)) {
            throw Refusal.notAskable(
                    options.cap == null
                            ? "a sum needs a cap, the greatest amount of one match"
                            : "a cap belongs to a sum",
                    "give both, such as `{sum: 'r.amount'}` and `{cap: 1000}`");
        }
        if (options.sum == null) {
            return null;
        }
        if (options.cap < 1 || options.cap > GREATEST_CAP) {
            throw Refusal.notAskable("the cap is " + options.cap, "give a whole number from 1 to " + GREATEST_CAP);
        }
        Pattern.Property found = pattern.property(options.sum);
        pattern.require(found, protection);
        return found;
    }

    private static Map<String, Object> facts(
            Protection protection, Pattern pattern, Mechanism mechanism, Options options) {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("question", pattern.text());
        out.put("share", options.share);
        out.put("protection", protection.digest());
        out.putAll(mechanism.facts());
        if (options.distinct != null) {
            out.put("distinct", options.distinct);
        }
        if (options.sum != null) {
            out.put("sum", options.sum);
            out.put("cap", options.cap);
        }
        if (options.ignoreBelow != 0.0) {
            out.put("ignore_below", options.ignoreBelow);
        }
        return out;
    }

    /** The command that asks the same question, as the client keeps it. */
    private static String command(String population, String question, Map<String, Object> facts) {
        List<String> words = new ArrayList<>(List.of("neodp", "ask", population, question));
        for (String name : List.of(
                "share",
                "at_least",
                "false_alarm",
                "count",
                "at_most",
                "ranges",
                "ignore_below",
                "distinct",
                "sum",
                "cap")) {
            Object value = facts.get(name);
            if (value != null) {
                words.add("--" + name.replace('_', '-'));
                if (value instanceof List<?> list) {
                    words.add(
                            String.join(",", list.stream().map(String::valueOf).toList()));
                } else if (!value.equals(true)) {
                    words.add(value instanceof Double x ? Text.repr(x) : String.valueOf(value));
                }
            }
        }
        return String.join(" ", words.stream().map(Text::shell).toList());
    }

    /** The subject under which answers are kept. */
    public String subject() {
        return "ask " + protection.population();
    }

    /** The question as the ledger compares it. */
    public String asked() {
        Map<String, Object> out = new TreeMap<>(facts);
        out.put("population", protection.account());
        return Json.dumps(out);
    }

    /** The question as the ledger knows it. */
    Keeping keeping() {
        return new Keeping(subject(), asked(), protection.account(), levels(), command);
    }

    /** The share as a fraction: 1/5 for 0.2. */
    public Fraction exactShare() {
        return Fraction.of(new BigDecimal(Text.repr(share)));
    }

    /** What an answer costs. */
    public List<Level> levels() {
        return List.of(Shares.level(exactShare(), Units.MOST_EPSILON));
    }
}
