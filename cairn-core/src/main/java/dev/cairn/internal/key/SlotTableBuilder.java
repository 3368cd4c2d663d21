package dev.cairn.internal.key;

import dev.cairn.internal.key.SlotTable.Mixer;
import dev.cairn.internal.key.SlotTable.Special;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Makes a {@link SlotTable} in two phases, each for any number of threads:
 *
 * <ol>
 *   <li>elements are added through {@link Batch batches}, which only append them to buffers by hash;
 *   <li>{@linkplain Worker workers} turn the buffers into the table, part by part, each at its final size.
 * </ol>
 *
 * <p>So memory is written front to back, or within a processor's cache. While it is filled, an element takes 16 bytes
 * in a narrow table and 24 in a wide one, every time that it is added.
 *
 * <p>Each phase must have happened before the next one begins.
 */
public final class SlotTableBuilder {
    /** The most elements of a region, on average: their cells fit into the second-level cache of every processor. */
    static final int REGION_ELEMENTS = 1 << 14;

    private static final int PART_BITS = 8;
    private static final int PARTS = 1 << PART_BITS;
    private static final int FIRST_CHUNK = 16;
    private static final int LAST_CHUNK = 1024;
    private static final int MAX_REGION_BITS = 24;
    /** More do not fit into the numbers that the order of arrival is kept in. */
    private static final int MAX_ORDERED_REGION_BITS = 32 - SlotTable.CELL_BITS;

    /** What to do with an element that is there already. Called by any thread. */
    @FunctionalInterface
    public interface OnPresent {
        /**
         * @param present number of the element that is there
         * @param added number of the element that was added again
         * @return the number that it has from now on
         */
        long merge(long low, long high, long present, long added);
    }

    private final boolean wide;
    private final boolean tagged;
    private final Mixer mixer;
    private final OnPresent onPresent;
    private final int stride;
    private final List<Batch> batches = new ArrayList<>();

    private Special nullElement = Special.ABSENT;
    private Special zeroElement = Special.ABSENT;

    private int regionBits;
    private long[][] regions;
    private int[] capacities;
    private int[][] tags;
    private int[][] order = new int[0][];
    private long[] anchors = new long[0];
    private long positions;
    private long distinct;

    /**
     * @param wide whether slots have 128 bits
     * @param tagged whether an element's number, an int then, is kept as its tag; else it is its position in the order
     *     of arrival
     * @param secret of 16 bytes
     * @param onPresent null to keep the number of the element that is there
     */
    public SlotTableBuilder(boolean wide, boolean tagged, byte[] secret, OnPresent onPresent) {
        this.wide = wide;
        this.tagged = tagged;
        this.mixer = Mixer.of(secret);
        this.onPresent = onPresent;
        this.stride = wide ? 3 : 2;
    }

    /** For one thread to add elements through. */
    public Batch newBatch() {
        Batch batch = new Batch();
        synchronized (this) {
            batches.add(batch);
        }
        return batch;
    }

    /**
     * Ends the first phase.
     *
     * @param positions all positions are below this; 0 if the order of arrival is not to be kept
     * @return number of parts for {@link Worker#build}
     */
    public int beginBuilding(long positions) {
        long added = 0;
        for (Batch batch : batches) {
            for (Part part : batch.parts) {
                added += part.count;
            }
        }
        while (regionBits < MAX_REGION_BITS && added >>> regionBits > REGION_ELEMENTS) {
            regionBits++;
        }
        regions = new long[1 << regionBits][];
        capacities = new int[1 << regionBits];
        tags = tagged ? new int[1 << regionBits][] : null;
        if (!tagged && added > 0 && positions < 1L << 32 && regionBits <= MAX_ORDERED_REGION_BITS) {
            this.positions = positions;
            int pages = (int) ((positions + SlotTable.PAGE_MASK) >>> SlotTable.PAGE_BITS);
            order = new int[pages][];
            for (int i = 0; i < pages; i++) {
                long rest = positions - ((long) i << SlotTable.PAGE_BITS);
                order[i] = new int[(int) Math.min(rest, SlotTable.PAGE_MASK + 1)];
            }
            anchors = new long[(int) ((positions + (1 << SlotTable.ANCHOR_BITS) - 1) >>> SlotTable.ANCHOR_BITS)];
        }
        return 1 << Math.min(PART_BITS, regionBits);
    }

    /** For one thread to build parts with. */
    public Worker newWorker() {
        return new Worker();
    }

    /** Ends the second phase, in which every part must have been built. */
    public SlotTable table() {
        return new SlotTable(
                wide,
                mixer,
                regionBits,
                regions,
                capacities,
                tags,
                order,
                positions,
                anchors,
                distinct,
                nullElement,
                zeroElement);
    }

    /** The whole second phase, by the calling thread. */
    SlotTable build(long positions) {
        Worker worker = newWorker();
        for (int part = 0, parts = beginBuilding(positions); part < parts; part++) {
            worker.build(part);
        }
        return table();
    }

    private synchronized void addNull(long number) {
        nullElement = merged(nullElement, 0, 1, number);
    }

    private synchronized void addZero(long number) {
        zeroElement = merged(zeroElement, 0, 0, number);
    }

    private Special merged(Special present, long low, long high, long number) {
        if (!present.present()) {
            return new Special(true, number);
        }
        return onPresent == null ? present : new Special(true, onPresent.merge(low, high, present.tag(), number));
    }

    private synchronized void count(long elements) {
        distinct += elements;
    }

    /** Elements of one batch whose hashes begin alike, each followed by its number. */
    private static final class Part {
        private long[][] chunks = new long[2][];
        private int full;
        private long[] last = {};
        private int used;
        private long count;

        void grow(int stride) {
            if (last.length > 0) {
                if (full == chunks.length) {
                    chunks = Arrays.copyOf(chunks, 2 * full);
                }
                chunks[full++] = last;
            }
            int elements = Math.max(FIRST_CHUNK, Math.min(LAST_CHUNK, 2 * last.length / stride));
            last = new long[elements * stride];
            used = 0;
        }

        int chunks() {
            return full + 1;
        }

        long[] chunk(int index) {
            return index == full ? last : chunks[index];
        }

        int usedOf(int index) {
            return index == full ? used : chunks[index].length;
        }

        void clear() {
            chunks = null;
            last = null;
        }
    }

    /** Adds elements. Owned by one thread. */
    public final class Batch {
        private final Part[] parts = new Part[PARTS];

        private Batch() {
            Arrays.setAll(parts, i -> new Part());
        }

        /** Narrow tables. */
        public void addLong(long value, long number) {
            if (value == 0) {
                addZero(number);
                return;
            }
            Part part = part(value, 0);
            long[] to = part.last;
            int at = part.used;
            to[at] = value;
            to[at + 1] = number;
            part.used = at + 2;
        }

        /** Narrow tables. */
        public void addNull(long number) {
            SlotTableBuilder.this.addNull(number);
        }

        /** Wide tables. */
        public void add(long low, long high, long number) {
            Part part = part(low, high);
            long[] to = part.last;
            int at = part.used;
            to[at] = low;
            to[at + 1] = high;
            to[at + 2] = number;
            part.used = at + 3;
        }

        private Part part(long low, long high) {
            Part part = parts[SlotTable.regionOf(mixer.mix(low, high), PART_BITS)];
            if (part.used == part.last.length) {
                part.grow(stride);
            }
            part.count++;
            return part;
        }
    }

    /** Builds parts of the table. Owned by one thread. */
    public final class Worker {
        private long[] elements = {};
        /** By cell: the index of its element, counted from the region's first. */
        private int[] elementAt = {};
        /** By element: its cell. */
        private int[] cellOf = {};

        private Worker() {}

        /** Builds the part of that index, which no other thread builds. */
        public void build(int index) {
            int shift = Math.max(0, PART_BITS - regionBits);
            int inside = Math.max(0, regionBits - PART_BITS);
            int from = index << shift;
            int to = (index + 1) << shift;
            int firstRegion = index << inside;
            int[] ends = gather(from, to, firstRegion, 1 << inside);
            long built = 0;
            for (int i = 0; i < ends.length; i++) {
                built += buildRegion(firstRegion + i, i == 0 ? 0 : ends[i - 1], ends[i]);
            }
            count(built);
        }

        /** Collects the elements of some batches' parts by region, and frees their memory. */
        private int[] gather(int from, int to, int firstRegion, int count) {
            int[] starts = new int[count];
            long total = 0;
            for (Batch batch : batches) {
                for (int p = from; p < to; p++) {
                    Part part = batch.parts[p];
                    total += part.count;
                    for (int c = 0; c < part.chunks() && count > 1; c++) {
                        long[] chunk = part.chunk(c);
                        for (int i = 0, used = part.usedOf(c); i < used; i += stride) {
                            starts[regionOf(chunk, i) - firstRegion]++;
                        }
                    }
                }
            }
            int length = Math.toIntExact(total * stride);
            if (elements.length < length) {
                elements = new long[length];
            }
            int start = 0;
            for (int i = 0; i < count; i++) {
                int size = starts[i] * stride;
                starts[i] = start;
                start += size;
            }
            for (Batch batch : batches) {
                for (int p = from; p < to; p++) {
                    Part part = batch.parts[p];
                    for (int c = 0; c < part.chunks(); c++) {
                        long[] chunk = part.chunk(c);
                        int used = part.usedOf(c);
                        if (count == 1) {
                            System.arraycopy(chunk, 0, elements, starts[0], used);
                            starts[0] += used;
                            continue;
                        }
                        for (int i = 0; i < used; i += stride) {
                            int region = regionOf(chunk, i) - firstRegion;
                            int at = starts[region];
                            for (int k = 0; k < stride; k++) {
                                elements[at + k] = chunk[i + k];
                            }
                            starts[region] = at + stride;
                        }
                    }
                    part.clear();
                }
            }
            // Each start has moved to its end.
            return starts;
        }

        private int regionOf(long[] from, int at) {
            return SlotTable.regionOf(hashOf(from, at), regionBits);
        }

        private long hashOf(long[] from, int at) {
            return mixer.mix(from[at], wide ? from[at + 1] : 0);
        }

        /** @return number of different elements */
        private int buildRegion(int region, int from, int to) {
            int count = (to - from) / stride;
            int capacity = capacityFor(count);
            if (cellOf.length < count) {
                cellOf = new int[count];
            }
            if (elementAt.length < capacity) {
                elementAt = new int[capacity];
            }
            long[] cells = new long[wide ? 2 * capacity : capacity];
            int size = 0;
            for (int i = 0; i < count; i++) {
                if (insert(cells, capacity, from, i)) {
                    size++;
                }
            }
            int enough = capacityFor(size);
            if (enough < capacity - (capacity >>> 4)) {
                // Elements were added more than once: what is kept need not have room for that.
                int[] firsts = new int[size];
                for (int cell = 0, at = 0; cell < capacity; cell++) {
                    if (!isEmpty(cells, cell)) {
                        firsts[at++] = elementAt[cell];
                    }
                }
                capacity = enough;
                cells = new long[wide ? 2 * capacity : capacity];
                for (int first : firsts) {
                    insert(cells, capacity, from, first);
                }
            }
            regions[region] = cells;
            capacities[region] = capacity;
            if (tagged) {
                tags[region] = new int[capacity];
                for (int cell = 0; cell < capacity; cell++) {
                    if (!isEmpty(cells, cell)) {
                        tags[region][cell] = (int) elements[from + elementAt[cell] * stride + stride - 1];
                    }
                }
            }
            if (positions > 0 && capacity <= SlotTable.CELL_MASK + 1) {
                if (size < count) {
                    Arrays.fill(cellOf, 0, count, -1);
                }
                for (int cell = 0; cell < capacity; cell++) {
                    if (!isEmpty(cells, cell)) {
                        cellOf[elementAt[cell]] = cell;
                    }
                }
                keepOrder(region, from, count, cells);
            }
            return size;
        }

        /** @return whether the element was not there yet; if it was, the number of the one that is there is merged */
        private boolean insert(long[] cells, int capacity, int from, int element) {
            int carried = element;
            int at = from + element * stride;
            long low = elements[at];
            long high = wide ? elements[at + 1] : 0;
            int cell = SlotTable.home(SlotTable.homeBits(mixer.mix(low, high), regionBits), capacity);
            boolean displacing = false;
            while (!isEmpty(cells, cell)) {
                long foundLow = wide ? cells[2 * cell] : cells[cell];
                long foundHigh = wide ? cells[2 * cell + 1] : 0;
                if (!displacing && foundLow == low && foundHigh == high) {
                    if (onPresent != null) {
                        int present = from + elementAt[cell] * stride + stride - 1;
                        elements[present] = onPresent.merge(low, high, elements[present], elements[at + stride - 1]);
                    }
                    return false;
                }
                if (foundLow < low) {
                    // It cannot be there any more: from here on each smaller one moves on.
                    displacing = true;
                    set(cells, cell, low, high);
                    low = foundLow;
                    high = foundHigh;
                    int displaced = elementAt[cell];
                    elementAt[cell] = carried;
                    carried = displaced;
                }
                if (++cell == capacity) {
                    cell = 0;
                }
            }
            set(cells, cell, low, high);
            elementAt[cell] = carried;
            return true;
        }

        private void keepOrder(int region, int from, int count, long[] cells) {
            for (int i = 0, at = from; i < count; i++, at += stride) {
                long position = elements[at + stride - 1];
                int cell = cellOf[i];
                if (cell < 0) {
                    // Leads to where the element is that was there before.
                    cell = find(cells, elements[at], wide ? elements[at + 1] : 0);
                }
                order[(int) (position >>> SlotTable.PAGE_BITS)][(int) position & SlotTable.PAGE_MASK] =
                        region << SlotTable.CELL_BITS | cell;
                long hash = hashOf(elements, at);
                if (SlotTable.isAnchor(hash)) {
                    anchors[SlotTable.anchorOf(hash, anchors.length)] = hash >>> 32 << 32 | position;
                }
            }
        }

        private int find(long[] cells, long low, long high) {
            int capacity = wide ? cells.length >>> 1 : cells.length;
            int home = SlotTable.home(SlotTable.homeBits(mixer.mix(low, high), regionBits), capacity);
            return wide ? SlotTable.findWide(cells, low, high, home) : SlotTable.findNarrow(cells, low, home);
        }

        private boolean isEmpty(long[] cells, int cell) {
            return wide ? (cells[2 * cell] | cells[2 * cell + 1]) == 0 : cells[cell] == 0;
        }

        private void set(long[] cells, int cell, long low, long high) {
            if (wide) {
                cells[2 * cell] = low;
                cells[2 * cell + 1] = high;
            } else {
                cells[cell] = low;
            }
        }
    }

    /** At least one cell is always empty. */
    private int capacityFor(int count) {
        return Math.toIntExact(1L + count + count / (wide ? 3 : 4));
    }
}
