package dev.cairn.internal.key;

/**
 * A set of slots of 64 or 128 bits, or a map from them to tags, in open addressing over primitive arrays. Cut into
 * {@value #SHARDS} shards by hash, so that several threads can fill it and it can hold more than an array can.
 *
 * <p>A narrow table holds 64-bit values and a single extra element, null. A wide table holds {@link KeySlot slots}, of
 * which none is all zero.
 *
 * <p>Memory: shards grow by half when they are four fifths full, so each element takes 10 to 15 bytes in a narrow
 * table and 20 to 30 in a wide one, and 5 to 7.5 more with tags.
 *
 * <p>Filling is synchronized per shard. Reading is not: it is safe once all filling happened before.
 *
 * <p>Where an element lies depends on a secret, so that keys cannot be chosen to pile up in one place.
 */
public final class SlotTable {
    /** Number of shards. */
    public static final int SHARDS = 64;
    /** What {@link Batch} reports for an element that was not there. */
    static final int ABSENT = -1;

    private static final int SHARD_BITS = 6;
    private static final int BATCH = 256;
    private static final int INITIAL_CAPACITY = 16;

    /** What to do with an element that is there already. Called with the shard's lock held. */
    @FunctionalInterface
    public interface OnPresent {
        /**
         * @param present tag of the element in the table
         * @param added tag that it was to be added with
         * @return the tag that it has from now on
         */
        int merge(long low, long high, int present, int added);
    }

    private final boolean wide;
    private final boolean tagged;
    private final long secret0;
    private final long secret1;
    private final Shard[] shards = new Shard[SHARDS];

    /**
     * @param wide whether slots have 128 bits
     * @param tagged whether elements carry tags
     * @param secret of 16 bytes
     */
    public SlotTable(boolean wide, boolean tagged, byte[] secret) {
        this(wide, tagged, secret, 0);
    }

    /** @param expected number of elements to make room for, so that the table need not grow; others may come */
    public SlotTable(boolean wide, boolean tagged, byte[] secret, long expected) {
        this.wide = wide;
        this.tagged = tagged;
        // Derived, not the secret itself: bucket numbers must not be words of a fingerprint's key.
        SipHash derive = new SipHash(secret);
        derive.hash(new byte[] {'b', 'u', 'c', 'k', 'e', 't'}, 0, 6);
        this.secret0 = derive.low();
        this.secret1 = derive.high() | 1;
        for (int i = 0; i < SHARDS; i++) {
            shards[i] = new Shard(initialCapacity(expected));
        }
    }

    /** Elements spread over the shards like dice: a few standard deviations of room spare nearly every growth. */
    private static int initialCapacity(long expected) {
        double each = (double) expected / SHARDS;
        double cells = (each + 4 * Math.sqrt(each)) * 1.25 + 1;
        return expected == 0 ? 0 : (int) Math.min(cells, Buffers.MAX_LENGTH / 4);
    }

    /** Number of elements. */
    public long size() {
        long size = 0;
        for (Shard shard : shards) {
            size += shard.size + (shard.hasZero ? 1 : 0) + (shard.hasNull ? 1 : 0);
        }
        return size;
    }

    /** Bytes that the table's arrays take. */
    public long memoryBytes() {
        long bytes = 0;
        for (Shard shard : shards) {
            bytes += 8L * shard.slots.length + 4L * shard.tags.length;
        }
        return bytes;
    }

    /** Narrow tables: whether the value is there. */
    public boolean containsLong(long value) {
        long hash = mix(value, 0);
        return shards[shardOf(hash)].find(value, 0, hash) != ABSENT;
    }

    /** Narrow tables: whether null is there. */
    public boolean containsNull() {
        return shards[0].hasNull;
    }

    /** Wide tables: whether the slot is there. */
    public boolean contains(long low, long high) {
        long hash = mix(low, high);
        return shards[shardOf(hash)].find(low, high, hash) != ABSENT;
    }

    /** Narrow tables: tag of the value, or -1. */
    public int tagOfLong(long value) {
        return tagOf(value, 0);
    }

    /** Narrow tables: tag of null, or -1. */
    public int tagOfNull() {
        return shards[0].hasNull ? shards[0].nullTag : ABSENT;
    }

    /** Wide tables: tag of the slot, or -1. */
    public int tagOf(long low, long high) {
        long hash = mix(low, high);
        Shard shard = shards[shardOf(hash)];
        int index = shard.find(low, high, hash);
        return index == ABSENT ? ABSENT : index == Shard.ZERO ? shard.zeroTag : shard.tags[index];
    }

    /** Forgets the tags and gives their memory back. Nothing may be added afterwards. */
    public void dropTags() {
        for (Shard shard : shards) {
            synchronized (shard) {
                shard.tags = new int[0];
            }
        }
    }

    /** For one thread to add elements through. */
    public Batch newBatch(OnPresent onPresent) {
        return new Batch(onPresent);
    }

    /** For tests: the most cells in a row that are taken, which bounds every search. */
    int longestProbe() {
        int longest = 0;
        for (Shard shard : shards) {
            int length = 0;
            for (int i = 0; i < shard.capacity; i++) {
                boolean taken = wide ? (shard.slots[2 * i] | shard.slots[2 * i + 1]) != 0 : shard.slots[i] != 0;
                length = taken ? length + 1 : 0;
                longest = Math.max(longest, length);
            }
        }
        return longest;
    }

    private static int shardOf(long hash) {
        return (int) (hash >>> (64 - SHARD_BITS));
    }

    /** Keyed: whoever does not know the secret cannot choose slots that meet. */
    private long mix(long low, long high) {
        long a = low ^ secret0;
        long b = high ^ secret1;
        long folded = (a * b) ^ Math.multiplyHigh(a, b) ^ Long.rotateLeft(a, 32);
        return (folded * secret1) ^ Math.multiplyHigh(folded, secret1);
    }

    /** Collects elements by shard, so that a shard's lock is taken once for many. Owned by one thread. */
    public final class Batch {
        private final OnPresent onPresent;
        private final long[][] slots = new long[SHARDS][];
        private final int[][] tags = new int[SHARDS][];
        private final int[] counts = new int[SHARDS];

        private Batch(OnPresent onPresent) {
            this.onPresent = onPresent;
        }

        /** Narrow tables. */
        public void addLong(long value, int tag) {
            add(value, 0, tag);
        }

        /** Narrow tables. */
        public void addNull(int tag) {
            Shard shard = shards[0];
            synchronized (shard) {
                shard.nullTag = shard.hasNull ? onPresent.merge(0, 1, shard.nullTag, tag) : tag;
                shard.hasNull = true;
            }
        }

        /** Wide tables. */
        public void add(long low, long high, int tag) {
            int shard = shardOf(mix(low, high));
            if (slots[shard] == null) {
                slots[shard] = new long[wide ? 2 * BATCH : BATCH];
                tags[shard] = tagged ? new int[BATCH] : new int[0];
            }
            int at = counts[shard]++;
            if (wide) {
                slots[shard][2 * at] = low;
                slots[shard][2 * at + 1] = high;
            } else {
                slots[shard][at] = low;
            }
            if (tagged) {
                tags[shard][at] = tag;
            }
            if (counts[shard] == BATCH) {
                flush(shard);
            }
        }

        /** Adds what is still held back. */
        public void flush() {
            for (int shard = 0; shard < SHARDS; shard++) {
                flush(shard);
            }
        }

        private void flush(int index) {
            Shard shard = shards[index];
            long[] from = slots[index];
            synchronized (shard) {
                for (int i = 0; i < counts[index]; i++) {
                    long low = wide ? from[2 * i] : from[i];
                    long high = wide ? from[2 * i + 1] : 0;
                    shard.put(low, high, tagged ? tags[index][i] : 0, onPresent);
                }
            }
            counts[index] = 0;
        }
    }

    private final class Shard {
        /** Index of the value 0 in a narrow table, where a zero cell means empty. */
        static final int ZERO = Integer.MAX_VALUE;

        /** Zero means empty. */
        private long[] slots;

        private int[] tags;
        private int capacity;
        private int size;
        private boolean hasZero;
        private int zeroTag;
        private boolean hasNull;
        private int nullTag;

        Shard(int capacity) {
            this.capacity = capacity;
            slots = new long[wide ? 2 * capacity : capacity];
            tags = new int[tagged ? capacity : 0];
        }

        int find(long low, long high, long hash) {
            if (!wide && low == 0) {
                return hasZero ? ZERO : ABSENT;
            }
            if (capacity == 0) {
                return ABSENT;
            }
            int index = home(hash, capacity);
            while (true) {
                if (wide) {
                    long foundLow = slots[2 * index];
                    long foundHigh = slots[2 * index + 1];
                    if (foundLow == low && foundHigh == high) {
                        return index;
                    }
                    if ((foundLow | foundHigh) == 0) {
                        return ABSENT;
                    }
                } else {
                    long found = slots[index];
                    if (found == low) {
                        return index;
                    }
                    if (found == 0) {
                        return ABSENT;
                    }
                }
                // At least a fifth of the cells is empty, so this ends.
                if (++index == capacity) {
                    index = 0;
                }
            }
        }

        void put(long low, long high, int tag, OnPresent onPresent) {
            long hash = mix(low, high);
            int found = find(low, high, hash);
            if (found == ZERO) {
                zeroTag = onPresent.merge(low, high, zeroTag, tag);
            } else if (found != ABSENT) {
                int merged = onPresent.merge(low, high, tagged ? tags[found] : 0, tag);
                if (tagged) {
                    tags[found] = merged;
                }
            } else if (!wide && low == 0) {
                hasZero = true;
                zeroTag = tag;
            } else {
                if (5L * (size + 1) > 4L * capacity) {
                    grow();
                }
                insert(low, high, tag, hash);
                size++;
            }
        }

        private void insert(long low, long high, int tag, long hash) {
            int index = home(hash, capacity);
            while (wide ? (slots[2 * index] | slots[2 * index + 1]) != 0 : slots[index] != 0) {
                if (++index == capacity) {
                    index = 0;
                }
            }
            if (wide) {
                slots[2 * index] = low;
                slots[2 * index + 1] = high;
            } else {
                slots[index] = low;
            }
            if (tagged) {
                tags[index] = tag;
            }
        }

        private void grow() {
            long[] oldSlots = slots;
            int[] oldTags = tags;
            int oldCapacity = capacity;
            int most = Buffers.MAX_LENGTH / (wide ? 2 : 1);
            capacity = (int) Math.max(INITIAL_CAPACITY, Math.min(most, oldCapacity + (oldCapacity >>> 1) + 0L));
            if (capacity == oldCapacity) {
                throw new IllegalStateException("more keys than a filter can hold: " + SlotTable.this.size());
            }
            slots = new long[wide ? 2 * capacity : capacity];
            tags = tagged ? new int[capacity] : oldTags;
            for (int i = 0; i < oldCapacity; i++) {
                long low = wide ? oldSlots[2 * i] : oldSlots[i];
                long high = wide ? oldSlots[2 * i + 1] : 0;
                if ((low | high) != 0) {
                    insert(low, high, tagged ? oldTags[i] : 0, mix(low, high));
                }
            }
        }

        /** The bits below those that chose the shard, scaled to the capacity, which is no power of two. */
        private static int home(long hash, int capacity) {
            return (int) Math.multiplyHigh((hash << SHARD_BITS) >>> 1, (long) capacity << 1);
        }
    }
}
