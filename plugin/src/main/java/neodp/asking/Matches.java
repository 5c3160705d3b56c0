package neodp.asking;

import java.util.Arrays;
import java.util.Locale;
import neodp.call.Workers;

/**
 * The matches of a question, merged into the program that an answer depends on: the twin of
 * {@code neodp/asking/matches.py}.
 *
 * <p>A match is the set of its elements; its amount is the greatest of its rows. Every element is replaced by the unit that
 * takes it along. What has no people is fixed, and a match with somebody of weight 0 does not count. Neither does one with
 * an element that is nobody's and is not known as such: it may have been somebody's who left while the matches were read.
 *
 * <p>Least cuts take two people a match at most, and one if distinct nodes are counted that are no people. By the labels of
 * the pattern there are never more ({@link Pattern#requireTwo}); where a public node is a person too there can be, and such a
 * match does not count: that depends on its own elements alone, while an error, or another answer, would tell of them.
 */
public final class Matches {
    private final Protection protection;
    private final boolean distinct;
    private final int most;
    private final Workers workers;
    private final Rows rows; // what is counted once, and the elements
    private final Rows others; // the elements that are nobody's
    private final long[] row;
    private final int own;
    private long[] amount = new long[64];
    private long seen;

    /**
     * Matches of at most so many elements.
     *
     * @param distinct whether every group counts once, rather than every match
     * @param most the greatest number of people in a match that counts, one or two
     */
    public Matches(Protection protection, int width, boolean distinct, int most, Workers workers) {
        this.protection = protection;
        this.distinct = distinct;
        this.most = most;
        this.workers = workers;
        row = new long[width + 1];
        rows = new Rows(width + 1, workers);
        others = new Rows(1, workers);
        own = protection.people() == null ? 1 : 0;
    }

    /** A question has more matches than the public limit allows. */
    public static final class TooMany extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TooMany(long most) {
            super(
                    String.format(Locale.ROOT, "there are more than %,d matches, the limit of this population", most),
                    null,
                    false,
                    false);
        }
    }

    /** Add a row: ids of nodes and then of relationships, its amount, and what is counted once. */
    public void add(long[] ids, int nodes, int count, long value, long group) {
        if (++seen > protection.mostMatches()) {
            throw new TooMany(protection.mostMatches());
        }
        Arrays.fill(row, -1);
        row[0] = group;
        for (int i = 0; i < count; i++) {
            row[i + 1] = i < nodes ? 2 * ids[i] : 2 * ids[i] + 1;
        }
        Arrays.sort(row, 1, row.length);
        for (int i = row.length - 1; i > 1; i--) {
            row[i] = row[i] == row[i - 1] ? -1 : row[i];
        }
        Arrays.sort(row, 1, row.length);
        int place = rows.place(row);
        if (place == amount.length) {
            workers.memory.take(8L * place);
            amount = Arrays.copyOf(amount, 2 * place);
        }
        amount[place] = Math.max(amount[place], value);
    }

    /** An amount in whole numbers from 0 to a public cap; what is negative or no number counts as 0. */
    public static long amount(Object value, long cap) {
        if (!(value instanceof Number number) || !(number.doubleValue() > 0.0)) {
            return 0;
        }
        return number.doubleValue() >= cap ? cap : number.longValue();
    }

    /** The ids of elements of the matches, nodes or relationships as the units are, that are not among these units. */
    public long[] strangers(Units units) {
        Rows found = new Rows(1, workers);
        for (int match = 0; match < rows.count(); match++) {
            workers.check(match);
            for (int i = 1; i < row.length; i++) {
                long element = rows.cell(match, i);
                if (element >= 0 && (element & 1) == own && units.number(element >> 1) < 0) {
                    found.place(element >> 1);
                }
            }
        }
        long[] ids = new long[found.count()];
        Arrays.setAll(ids, i -> found.cell(i, 0));
        return ids;
    }

    /** Take note that an element is nobody's. */
    public void addOther(long id) {
        others.place(id);
    }

    /** The program, for units of some weights. */
    public Cover cover(Units units, long[] weight) {
        Merge merge = new Merge(units, weight);
        return distinct ? merge.distinct() : merge.counted();
    }

    /** One program in the making. */
    private final class Merge {
        private final Units units;
        private final long[] weight;
        private final int[] number; // of each unit among those that matter; -1
        private final Rows witnesses = new Rows(3, workers); // the group, and one or two people
        private int people;
        private int one;
        private int other;

        Merge(Units units, long[] weight) {
            this.units = units;
            this.weight = weight;
            workers.memory.take(12L * weight.length);
            number = new int[weight.length];
            Arrays.fill(number, -1);
        }

        /** Find the one or two units of a match, as one and other; whether it counts at all. */
        private boolean found(int match) {
            one = -1;
            other = -1;
            for (int i = 1; i < row.length; i++) {
                long element = rows.cell(match, i);
                boolean mayBeOne = element >= 0 && (element & 1) == own;
                int unit = mayBeOne ? units.number(element >> 1) : -1;
                if (unit >= 0 ? weight[unit] == 0 : mayBeOne && others.look(element >> 1) < 0) {
                    return false;
                }
                if (unit >= 0 && (most == 1 ? one : other) >= 0) {
                    return false;
                }
                if (unit >= 0 && one >= 0) {
                    other = Math.max(one, unit);
                    one = Math.min(one, unit);
                } else if (unit >= 0) {
                    one = unit;
                }
            }
            return true;
        }

        Cover counted() {
            long fixed = 0;
            long[] sums = new long[64];
            for (int match = 0; match < rows.count(); match++) {
                workers.check(match);
                if (!found(match)) {
                    continue;
                }
                if (one < 0) {
                    fixed = Math.addExact(fixed, amount[match]);
                } else if (amount[match] > 0) {
                    int place = witnesses.place(0, one, other);
                    if (place == sums.length) {
                        workers.memory.take(8L * place);
                        sums = Arrays.copyOf(sums, 2 * place);
                    }
                    sums[place] = Math.addExact(sums[place], amount[match]);
                }
            }
            int count = witnesses.count();
            int[] group = new int[count];
            Arrays.setAll(group, i -> i);
            return cover(Arrays.copyOf(sums, count), group, fixed, count, i -> true);
        }

        Cover distinct() {
            Rows groups = new Rows(1, workers);
            Rows fixed = new Rows(1, workers);
            for (int match = 0; match < rows.count(); match++) {
                workers.check(match);
                if (found(match)) {
                    if (one < 0) {
                        fixed.place(rows.cell(match, 0));
                    } else {
                        witnesses.place(rows.cell(match, 0), one, other);
                    }
                }
            }
            int count = witnesses.count();
            int[] group = new int[count];
            for (int m = 0; m < count; m++) {
                workers.check(m);
                long own = witnesses.cell(m, 0);
                group[m] = fixed.look(own) >= 0 || implied(m) ? -1 : groups.place(own);
            }
            long[] amounts = new long[groups.count()];
            Arrays.fill(amounts, 1);
            return cover(amounts, group, fixed.count(), count, m -> group[m] >= 0);
        }

        /** Whether a witness contains somebody who is a witness of the same group alone: it changes nothing. */
        private boolean implied(int m) {
            long group = witnesses.cell(m, 0);
            long first = witnesses.cell(m, 1);
            long second = witnesses.cell(m, 2);
            return second >= 0 && (witnesses.look(group, first, -1) >= 0 || witnesses.look(group, second, -1) >= 0);
        }

        private Cover cover(long[] amounts, int[] group, long fixed, int count, java.util.function.IntPredicate kept) {
            workers.memory.take(32L * count);
            int[] groups = new int[count];
            int[] ones = new int[count];
            int[] others = new int[count];
            int size = 0;
            for (int m = 0; m < count; m++) {
                workers.check(m);
                if (kept.test(m)) {
                    groups[size] = group[m];
                    ones[size] = person(witnesses.cell(m, 1));
                    others[size++] = person(witnesses.cell(m, 2));
                }
            }
            long[] heavy = new long[people];
            for (int i = 0; i < number.length; i++) {
                workers.check(i);
                if (number[i] >= 0) {
                    heavy[number[i]] = weight[i];
                }
            }
            return new Cover(
                    heavy,
                    amounts,
                    Arrays.copyOf(groups, size),
                    Arrays.copyOf(ones, size),
                    Arrays.copyOf(others, size),
                    fixed);
        }

        private int person(long unit) {
            if (unit < 0) {
                return -1;
            }
            if (number[(int) unit] < 0) {
                number[(int) unit] = people++;
            }
            return number[(int) unit];
        }
    }
}
