package dev.cairn.store;

import static dev.cairn.store.Checks.require;

import java.util.BitSet;
import java.util.Collection;
import java.util.stream.IntStream;

/**
 * An immutable set of partition numbers of one run, packed: a million consecutive partitions take 125 kB in memory and
 * a few characters as text.
 *
 * <p>Its text lists ascending inclusive intervals, for example {@code 0-16,19}; the empty set is the empty text.
 */
public final class PartitionSet {
    private static final PartitionSet EMPTY = new PartitionSet(new BitSet());

    private final BitSet bits;

    private PartitionSet(BitSet bits) {
        this.bits = bits;
    }

    public static PartitionSet of(int... partitions) {
        BitSet bits = new BitSet();
        for (int partition : partitions) {
            bits.set(partition);
        }
        return new PartitionSet(bits);
    }

    public static PartitionSet of(Collection<Integer> partitions) {
        return of(partitions.stream().mapToInt(Integer::intValue).toArray());
    }

    public static PartitionSet empty() {
        return EMPTY;
    }

    /**
     * Reads the text form.
     *
     * @throws IllegalArgumentException if the text is not exactly what {@link #toString()} would give
     */
    public static PartitionSet parse(String text) {
        BitSet bits = new BitSet();
        int previous = -2;
        for (String part : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            int dash = part.indexOf('-');
            int from = number(text, dash < 0 ? part : part.substring(0, dash));
            int to = dash < 0 ? from : number(text, part.substring(dash + 1));
            require(from > previous + 1 && (dash < 0 || to > from), "not a set of partitions: '%s'", text);
            bits.set(from, to + 1);
            previous = to;
        }
        return new PartitionSet(bits);
    }

    private static int number(String text, String digits) {
        require(
                !digits.isEmpty()
                        && digits.length() <= 9
                        && digits.chars().allMatch(c -> c >= '0' && c <= '9')
                        && (digits.length() == 1 || digits.charAt(0) != '0'),
                "not a set of partitions: '%s'",
                text);
        return Integer.parseInt(digits);
    }

    public boolean contains(int partition) {
        return bits.get(partition);
    }

    public boolean isEmpty() {
        return bits.isEmpty();
    }

    public int size() {
        return bits.cardinality();
    }

    /** The partitions, ascending. */
    public IntStream stream() {
        return bits.stream();
    }

    public PartitionSet plus(PartitionSet other) {
        BitSet union = (BitSet) bits.clone();
        union.or(other.bits);
        return new PartitionSet(union);
    }

    public PartitionSet minus(PartitionSet other) {
        BitSet difference = (BitSet) bits.clone();
        difference.andNot(other.bits);
        return new PartitionSet(difference);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PartitionSet that && bits.equals(that.bits);
    }

    @Override
    public int hashCode() {
        return bits.hashCode();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int from = bits.nextSetBit(0); from >= 0; ) {
            int to = bits.nextClearBit(from) - 1;
            text.append(text.length() == 0 ? "" : ",").append(from);
            if (to > from) {
                text.append('-').append(to);
            }
            from = bits.nextSetBit(to + 1);
        }
        return text.toString();
    }
}
