package dev.cairn.internal.key;

import static java.util.Objects.requireNonNull;

/**
 * A set of slots of 64 or 128 bits, or a map from them to tags, in open addressing over primitive arrays. Made by a
 * {@link SlotTableBuilder}, and never changed then: reading is safe from every thread that got hold of it safely.
 *
 * <p>A narrow table holds 64-bit values and a single extra element, null. A wide table holds {@link KeySlot slots}, of
 * which none is all zero.
 *
 * <p>Cut into regions by hash, each of which was built within a processor's cache and has room for just its elements:
 * four fifths of the cells are taken in a narrow table, three quarters in a wide one. Probing is linear and ordered (Amble
 * and Knuth, 1974): on the way from where an element belongs to where it lies, no cell holds a smaller one. So a search
 * for what is not there ends as soon as one for what is.
 *
 * <p>What costs time in a large table is not the search but waiting for memory. So the table also remembers in which
 * order its elements arrived, and a {@link Cursor} that sees elements asked for in about that order reads the cells of
 * those to come ahead, many at once. The order is a hint: what is found never depends on it.
 *
 * <p>Memory per element: 10 bytes in a narrow table and 21 in a wide one; 4.5 more for the order, 5 more for tags.
 *
 * <p>Where an element lies depends on a secret, so that keys cannot be chosen to pile up in one place.
 */
public final class SlotTable {
    /** Bits of an element's place in the order of arrival that number the cell; those above number the region. */
    static final int CELL_BITS = 15;

    static final int CELL_MASK = (1 << CELL_BITS) - 1;
    /** The order of arrival is kept in pages of so many elements. */
    static final int PAGE_BITS = 16;

    static final int PAGE_MASK = (1 << PAGE_BITS) - 1;
    /** One of so many elements, chosen by hash, leads to its position. */
    static final int ANCHOR_BITS = 4;

    static final int ABSENT = -1;

    private final boolean wide;
    private final Mixer mixer;
    private final int regionBits;
    private final long[][] regions;
    /** By region, so that a search need not wait for the header of the region's array. */
    private final int[] capacities;
    /** Null if elements carry no tags; else parallel to the regions' cells. */
    private final int[][] tags;
    /** By position: the region and the cell of the element that arrived there. Empty if the order is not known. */
    private final int[][] order;

    private final long positions;
    /** By hash of an anchor: its upper half, and the position below. Later anchors replace earlier ones. */
    private final long[] anchors;

    private final long size;
    private final Special nullElement;
    /** The value 0 of a narrow table, where a zero cell means empty. */
    private final Special zeroElement;

    /** An element that is not in the cells. */
    record Special(boolean present, long tag) {
        static final Special ABSENT = new Special(false, SlotTable.ABSENT);
    }

    SlotTable(
            boolean wide,
            Mixer mixer,
            int regionBits,
            long[][] regions,
            int[] capacities,
            int[][] tags,
            int[][] order,
            long positions,
            long[] anchors,
            long elementsInCells,
            Special nullElement,
            Special zeroElement) {
        this.wide = wide;
        this.mixer = requireNonNull(mixer);
        this.regionBits = regionBits;
        this.regions = requireNonNull(regions);
        this.capacities = requireNonNull(capacities);
        this.tags = tags;
        this.order = requireNonNull(order);
        this.positions = positions;
        this.anchors = requireNonNull(anchors);
        this.size = elementsInCells + (nullElement.present() ? 1 : 0) + (zeroElement.present() ? 1 : 0);
        this.nullElement = nullElement;
        this.zeroElement = zeroElement;
    }

    /** A table without elements. */
    public static SlotTable empty(boolean wide) {
        return new SlotTableBuilder(wide, false, new byte[SipHash.KEY_BYTES], null).build(0);
    }

    /** Number of elements. */
    public long size() {
        return size;
    }

    /** Bytes that the table's arrays take. */
    public long memoryBytes() {
        long bytes = 8L * anchors.length + 4L * capacities.length;
        for (long[] region : regions) {
            bytes += 8L * region.length;
        }
        for (int[] page : order) {
            bytes += 4L * page.length;
        }
        if (tags != null) {
            for (int[] ofRegion : tags) {
                bytes += 4L * ofRegion.length;
            }
        }
        return bytes;
    }

    /** Narrow tables: whether null is there. */
    public boolean containsNull() {
        return nullElement.present();
    }

    /** Narrow tables: tag of null, or -1. */
    public int tagOfNull() {
        return (int) nullElement.tag();
    }

    /** Narrow tables: tag of the value, or -1. */
    public int tagOfLong(long value) {
        if (value == 0) {
            return (int) zeroElement.tag();
        }
        long hash = mixer.mix(value, 0);
        int region = regionOf(hash, regionBits);
        int cell = findNarrow(regions[region], value, homeIn(hash, region));
        return cell == ABSENT ? ABSENT : tags[region][cell];
    }

    /** Wide tables: tag of the slot, or -1. */
    public int tagOf(long low, long high) {
        long hash = mixer.mix(low, high);
        int region = regionOf(hash, regionBits);
        int cell = findWide(regions[region], low, high, homeIn(hash, region));
        return cell == ABSENT ? ABSENT : tags[region][cell];
    }

    /** For one thread to look elements up through. */
    public Cursor newCursor() {
        return new Cursor();
    }

    /** For tests: the most cells in a row that are taken, which bounds every search. */
    int longestProbe() {
        int longest = 0;
        for (long[] cells : regions) {
            int length = 0;
            for (int i = 0, stride = wide ? 2 : 1; i < cells.length; i += stride) {
                boolean taken = wide ? (cells[i] | cells[i + 1]) != 0 : cells[i] != 0;
                length = taken ? length + 1 : 0;
                longest = Math.max(longest, length);
            }
        }
        return longest;
    }

    static int regionOf(long hash, int regionBits) {
        // In two steps, because there may be no such bits.
        return (int) (hash >>> 1 >>> (63 - regionBits));
    }

    /** The bits below those that chose the region. */
    static long homeBits(long hash, int regionBits) {
        return hash << regionBits >>> 1;
    }

    /** The bits scaled to the capacity, which is no power of two. */
    static int home(long homeBits, int capacity) {
        return (int) Math.multiplyHigh(homeBits, (long) capacity << 1);
    }

    private int homeIn(long hash, int region) {
        return home(homeBits(hash, regionBits), capacities[region]);
    }

    static boolean isAnchor(long hash) {
        return (hash & (1 << ANCHOR_BITS) - 1) == 0;
    }

    static int anchorOf(long hash, int anchors) {
        return (int) ((hash & 0xFFFF_FFFFL) * anchors >>> 32);
    }

    /**
     * Index of the cell, or -1. Ends because every region has an empty cell. Elements are ordered by their first half,
     * signed.
     */
    static int findWide(long[] cells, long low, long high, int home) {
        int cell = home;
        while (true) {
            long foundLow = cells[2 * cell];
            long foundHigh = cells[2 * cell + 1];
            if (foundLow == low && foundHigh == high) {
                return cell;
            }
            if (foundLow < low || (foundLow | foundHigh) == 0) {
                return ABSENT;
            }
            if (2 * ++cell == cells.length) {
                cell = 0;
            }
        }
    }

    static int findNarrow(long[] cells, long value, int home) {
        int cell = home;
        while (true) {
            long found = cells[cell];
            if (found == value) {
                return cell;
            }
            if (found < value || found == 0) {
                return ABSENT;
            }
            if (++cell == cells.length) {
                cell = 0;
            }
        }
    }

    /**
     * Keyed: whoever does not know the secret cannot choose slots that meet.
     *
     * @param secret0 derived from the secret
     * @param secret1 derived from the secret, odd
     */
    record Mixer(long secret0, long secret1) {
        static Mixer of(byte[] secret) {
            // Derived, not the secret itself: bucket numbers must not be words of a fingerprint's key.
            SipHash derive = new SipHash(secret);
            derive.hash(new byte[] {'b', 'u', 'c', 'k', 'e', 't'}, 0, 6);
            return new Mixer(derive.low(), derive.high() | 1);
        }

        long mix(long low, long high) {
            long a = low ^ secret0;
            long b = high ^ secret1;
            long folded = (a * b) ^ Math.multiplyHigh(a, b) ^ Long.rotateLeft(a, 32);
            return (folded * secret1) ^ Math.multiplyHigh(folded, secret1);
        }
    }

    /**
     * Looks elements up, and follows the order of their arrival while it is asked for them in about that order. Owned by
     * one thread.
     */
    public final class Cursor {
        /** Elements are read ahead when fewer than this many of those that were are left. */
        private static final int LEAD = 8;

        private static final int FIRST_WINDOW = 4;
        private static final int MAX_WINDOW = 32;
        /** How far ahead an element is looked for that is not the next one. */
        private static final int SEARCH = 16;
        /** After so many elements in a row that were not found ahead, the order is not followed any more. */
        private static final int MAX_STRAYS = 4;

        /** The most anchors that are passed by before the next try, after tries that led nowhere. */
        private static final int MAX_PATIENCE = 15;

        private static final long NOWHERE = Long.MAX_VALUE;

        /** Position of the element that is expected. */
        private long next = NOWHERE;
        /** Elements before this position have been read ahead. */
        private long ahead;

        private int window;
        private int strays;
        /** Whether the element after the one that led here was the next one indeed. */
        private boolean confirmed;

        private int patience;
        private int anchorsToPass;
        /** Keeps the reading ahead from being optimized away. */
        @SuppressWarnings("unused")
        private long read;

        private Cursor() {}

        /** Wide tables: whether the slot is there. */
        public boolean contains(long low, long high) {
            if (next < positions) {
                int place = place(next);
                long[] cells = regions[place >>> CELL_BITS];
                int at = 2 * (place & CELL_MASK);
                if (cells[at] == low && cells[at + 1] == high) {
                    expected();
                    return true;
                }
            }
            long hash = mixer.mix(low, high);
            int region = regionOf(hash, regionBits);
            int cell = findWide(regions[region], low, high, homeIn(hash, region));
            if (cell == ABSENT) {
                return false;
            }
            unexpected(hash, region, cell);
            return true;
        }

        /** Narrow tables: whether the value is there. */
        public boolean containsLong(long value) {
            if (value == 0) {
                return zeroElement.present();
            }
            if (next < positions) {
                int place = place(next);
                if (regions[place >>> CELL_BITS][place & CELL_MASK] == value) {
                    expected();
                    return true;
                }
            }
            long hash = mixer.mix(value, 0);
            int region = regionOf(hash, regionBits);
            int cell = findNarrow(regions[region], value, homeIn(hash, region));
            if (cell == ABSENT) {
                return false;
            }
            unexpected(hash, region, cell);
            return true;
        }

        /** Whether the order is being followed; for tests. */
        boolean follows() {
            return next != NOWHERE;
        }

        private int place(long position) {
            return order[(int) (position >>> PAGE_BITS)][(int) position & PAGE_MASK];
        }

        private void expected() {
            next++;
            if (strays != 0) {
                confirm();
            }
            if (next + LEAD >= ahead && ahead < positions) {
                readAhead();
            }
        }

        private void confirm() {
            strays = 0;
            confirmed = true;
            patience = 0;
        }

        /** Many at once, so that the processor waits for them together. */
        private void readAhead() {
            long end = Math.min(positions, ahead + window);
            long sum = 0;
            for (long position = ahead; position < end; position++) {
                int place = place(position);
                long[] cells = regions[place >>> CELL_BITS];
                sum += cells[wide ? 2 * (place & CELL_MASK) : place & CELL_MASK];
            }
            read = sum;
            ahead = end;
            window = Math.min(MAX_WINDOW, 2 * window);
        }

        private void unexpected(long hash, int region, int cell) {
            if (positions == 0) {
                return;
            }
            int place = region << CELL_BITS | cell;
            if (next != NOWHERE) {
                if (place(next - 1) == place) {
                    // Rows of one key often follow each other.
                    return;
                }
                // Keys may be missing from the input.
                for (long position = next, end = Math.min(positions, next + SEARCH); position < end; position++) {
                    if (place(position) == place) {
                        next = position + 1;
                        ahead = Math.max(ahead, next);
                        confirm();
                        return;
                    }
                }
                if (++strays >= MAX_STRAYS) {
                    next = NOWHERE;
                    if (!confirmed) {
                        // In no order at all, trying costs more than it brings.
                        patience = Math.min(MAX_PATIENCE, 2 * patience + 1);
                        anchorsToPass = patience;
                    }
                }
            }
            if (!isAnchor(hash)) {
                return;
            }
            if (anchorsToPass > 0) {
                anchorsToPass--;
                return;
            }
            long anchor = anchors[anchorOf(hash, anchors.length)];
            if ((int) (anchor >>> 32) == (int) (hash >>> 32)) {
                long position = anchor & 0xFFFF_FFFFL;
                if (position < positions && place(position) == place) {
                    next = position + 1;
                    ahead = next;
                    window = FIRST_WINDOW;
                    // Until the next one confirms it, it may be chance.
                    strays = MAX_STRAYS - 1;
                    confirmed = false;
                }
            }
        }
    }
}
