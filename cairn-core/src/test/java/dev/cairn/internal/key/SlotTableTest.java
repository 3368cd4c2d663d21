package dev.cairn.internal.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlotTableTest {
    private static final byte[] SECRET = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    private static final SlotTableBuilder.OnPresent LARGER = (low, high, present, added) -> Math.max(present, added);

    private static SlotTableBuilder tagged(boolean wide) {
        return new SlotTableBuilder(wide, true, SECRET, LARGER);
    }

    private static SlotTableBuilder ordered(boolean wide) {
        return new SlotTableBuilder(wide, false, SECRET, null);
    }

    /** Of a wide table that holds {@code (value, 1)} for every value, each at its index; or of a narrow one. */
    private static SlotTable inOrder(boolean wide, List<Long> values) {
        SlotTableBuilder builder = ordered(wide);
        SlotTableBuilder.Batch batch = builder.newBatch();
        for (int i = 0; i < values.size(); i++) {
            add(wide, batch, values.get(i), i);
        }
        return builder.build(values.size());
    }

    private static void add(boolean wide, SlotTableBuilder.Batch batch, long value, long number) {
        if (wide) {
            batch.add(value, 1, number);
        } else {
            batch.addLong(value, number);
        }
    }

    private static boolean contains(boolean wide, SlotTable.Cursor cursor, long value) {
        return wide ? cursor.contains(value, 1) : cursor.containsLong(value);
    }

    private static List<Long> range(long from, long to) {
        List<Long> values = new ArrayList<>();
        for (long i = from; i < to; i++) {
            values.add(i);
        }
        return values;
    }

    @Property
    void a_narrow_table_is_a_map_of_longs(
            @ForAll @Size(max = 300) List<@LongRange(min = -20, max = 200) Long> added,
            @ForAll @Size(max = 50) List<@LongRange(min = -20, max = 200) Long> asked) {
        SlotTableBuilder builder = tagged(false);
        Map<Long, Integer> model = new HashMap<>();
        SlotTableBuilder.Batch batch = builder.newBatch();
        for (int i = 0; i < added.size(); i++) {
            batch.addLong(added.get(i), i);
            model.merge(added.get(i), i, Math::max);
        }
        SlotTable table = builder.build(0);
        assertThat(table.size()).isEqualTo(model.size());
        SlotTable.Cursor cursor = table.newCursor();
        for (long value : asked) {
            assertThat(cursor.containsLong(value)).isEqualTo(model.containsKey(value));
            assertThat(table.tagOfLong(value)).isEqualTo(model.getOrDefault(value, -1));
        }
    }

    /** Sequences with duplicates, asked for in pieces of the same sequence and others: what is followed may be wrong. */
    @Property
    void a_table_with_an_order_is_a_set_whatever_order_it_is_asked_in(
            @ForAll boolean wide,
            @ForAll @Size(max = 300) List<@LongRange(min = -20, max = 100) Long> added,
            @ForAll @Size(max = 40) List<@IntRange(min = 0, max = 299) Integer> jumps,
            @ForAll @Size(max = 50) List<@LongRange(min = -30, max = 110) Long> others) {
        SlotTable table = inOrder(wide, added);
        Set<Long> model = new HashSet<>(added);
        assertThat(table.size()).isEqualTo(model.size());
        SlotTable.Cursor cursor = table.newCursor();
        for (int jump : jumps) {
            for (int i = jump; i < Math.min(added.size(), jump + 40); i++) {
                assertThat(contains(wide, cursor, added.get(i))).isTrue();
                if (!others.isEmpty() && i % 7 == 0) {
                    long other = others.get(i % others.size());
                    assertThat(contains(wide, cursor, other)).isEqualTo(model.contains(other));
                }
            }
        }
        for (long other : others) {
            assertThat(contains(wide, cursor, other)).isEqualTo(model.contains(other));
        }
    }

    /** Around the sizes at which the table is cut into more regions, and the first that has more than there are parts. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 15, 16, 17, 16_384, 16_385, 32_768, 32_769, 65_535, 65_536, 65_537, 5_000_000})
    void holds_exactly_what_was_added_whatever_the_number(int count) {
        for (boolean wide : new boolean[] {false, true}) {
            SlotTableBuilder builder = ordered(wide);
            SlotTableBuilder.Batch batch = builder.newBatch();
            for (long i = 0; i < count; i++) {
                add(wide, batch, 1 + i * 3, i);
            }
            SlotTable table = builder.build(count);
            assertThat(table.size()).isEqualTo(count);
            SlotTable.Cursor cursor = table.newCursor();
            for (long i = 0; i < count; i++) {
                if (!contains(wide, cursor, 1 + i * 3) || contains(wide, cursor, 2 + i * 3)) {
                    throw new AssertionError(i + " of " + count);
                }
            }
            if (count > 10_000) {
                assertThat(cursor.follows()).isTrue();
            }
            assertThat(contains(wide, cursor, 1 + count * 3L)).isFalse();
            assertThat(contains(wide, cursor, -1)).isFalse();
        }
    }

    @Test
    void null_and_zero_are_two_elements_of_a_narrow_table() {
        assertThat(SlotTable.empty(false).newCursor().containsLong(0)).isFalse();
        SlotTableBuilder builder = tagged(false);
        SlotTableBuilder.Batch batch = builder.newBatch();
        batch.addNull(4);
        SlotTable table = builder.build(0);
        assertThat(table.containsNull()).isTrue();
        assertThat(table.newCursor().containsLong(0)).isFalse();
        assertThat(table.tagOfLong(0)).isEqualTo(-1);

        builder = tagged(false);
        batch = builder.newBatch();
        batch.addLong(0, 9);
        table = builder.build(0);
        assertThat(table.containsNull()).isFalse();
        assertThat(table.tagOfNull()).isEqualTo(-1);

        builder = tagged(false);
        batch = builder.newBatch();
        batch.addNull(4);
        batch.addLong(0, 9);
        batch.addNull(3);
        table = builder.build(0);
        assertThat(table.newCursor().containsLong(0)).isTrue();
        assertThat(table.containsNull()).isTrue();
        assertThat(table.tagOfLong(0)).isEqualTo(9);
        assertThat(table.tagOfNull()).isEqualTo(4);
        assertThat(table.size()).isEqualTo(2);
    }

    @Test
    void a_wide_table_tells_slots_apart_that_share_a_half() {
        SlotTableBuilder builder = ordered(true);
        SlotTableBuilder.Batch batch = builder.newBatch();
        batch.add(5, 6, 0);
        batch.add(0, 7, 1);
        SlotTable.Cursor cursor = builder.build(2).newCursor();
        // Twice: the second time with an order to follow.
        for (int i = 0; i < 2; i++) {
            assertThat(cursor.contains(5, 6)).isTrue();
            assertThat(cursor.contains(5, 7)).isFalse();
            assertThat(cursor.contains(6, 5)).isFalse();
            assertThat(cursor.contains(0, 6)).isFalse();
            assertThat(cursor.contains(0, 7)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void threads_that_make_a_table_together_lose_nothing(boolean wide) throws Exception {
        SlotTableBuilder builder = ordered(wide);
        int perThread = 400_000;
        int positions = 4 * perThread;
        inThreads(4, t -> {
            SlotTableBuilder.Batch batch = builder.newBatch();
            for (long i = 0; i < perThread; i++) {
                add(wide, batch, 1 + t * (long) perThread / 2 + i, t * (long) perThread + i);
            }
        });
        int parts = builder.beginBuilding(positions);
        AtomicInteger next = new AtomicInteger();
        inThreads(4, t -> {
            SlotTableBuilder.Worker worker = builder.newWorker();
            int part;
            while ((part = next.getAndIncrement()) < parts) {
                worker.build(part);
            }
        });
        SlotTable table = builder.table();
        assertThat(table.size()).isEqualTo(perThread * 5L / 2);
        inThreads(4, t -> {
            SlotTable.Cursor cursor = table.newCursor();
            for (long i = t; i < perThread * 5L / 2; i++) {
                assertThat(contains(wide, cursor, 1 + i)).isTrue();
            }
            assertThat(contains(wide, cursor, 1 + perThread * 5L / 2)).isFalse();
        });
    }

    private static void inThreads(int count, IntConsumer task) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        List<Throwable> errors = Collections.synchronizedList(new ArrayList<>());
        for (int t = 0; t < count; t++) {
            int number = t;
            Thread thread = new Thread(() -> task.accept(number));
            thread.setUncaughtExceptionHandler((of, error) -> errors.add(error));
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(errors).isEmpty();
    }

    @Test
    void the_order_is_found_again_after_a_jump_and_given_up_without_one() {
        for (boolean wide : new boolean[] {false, true}) {
            SlotTable table = inOrder(wide, range(1, 100_001));
            SlotTable.Cursor cursor = table.newCursor();
            assertThat(cursor.follows()).isFalse();
            for (long start : new long[] {50_000, 20, 99_000}) {
                for (long i = start; i < start + 500; i++) {
                    assertThat(contains(wide, cursor, i)).isTrue();
                }
                assertThat(cursor.follows()).isTrue();
            }
            // Rows that are new, repeated, or missing do not make it lose the order.
            for (long i = 30_000; i < 40_000; i += 1 + i % 3) {
                assertThat(contains(wide, cursor, i)).isTrue();
                assertThat(contains(wide, cursor, 1_000_000 + i)).isFalse();
                assertThat(contains(wide, cursor, i)).isTrue();
            }
            assertThat(cursor.follows()).isTrue();
            Random random = new Random(5);
            int followed = 0;
            for (int i = 0; i < 10_000; i++) {
                assertThat(contains(wide, cursor, 1 + random.nextInt(100_000))).isTrue();
                followed += cursor.follows() ? 1 : 0;
            }
            assertThat(followed).isLessThan(5_000);
        }
    }

    @Test
    void memory_per_element_is_what_the_documentation_says() {
        for (boolean wide : new boolean[] {false, true}) {
            for (boolean tagged : new boolean[] {false, true}) {
                // Added up to three times each: only different elements count.
                for (int times = 1; times <= 3; times += 2) {
                    SlotTableBuilder builder = tagged ? tagged(wide) : ordered(wide);
                    SlotTableBuilder.Batch batch = builder.newBatch();
                    for (int time = 0; time < times; time++) {
                        Random random = new Random(1);
                        for (int i = 0; i < 500_000; i++) {
                            add(wide, batch, random.nextLong(), i);
                        }
                    }
                    SlotTable table = builder.build(tagged ? 0 : 500_000);
                    assertThat(table.size()).isEqualTo(500_000);
                    double perElement = table.memoryBytes() / (double) table.size();
                    double least = (wide ? 21.3 : 10) + (!tagged ? 4.5 : wide ? 5.3 : 5);
                    assertThat(perElement).isBetween(least, 1.07 * least);
                }
            }
        }
    }

    @Test
    void tags_survive_that_elements_were_added_again_and_again() {
        for (boolean wide : new boolean[] {false, true}) {
            SlotTableBuilder builder = tagged(wide);
            SlotTableBuilder.Batch batch = builder.newBatch();
            for (int i = 0; i < 200_000; i++) {
                add(wide, batch, 1 + i % 1000, i);
            }
            SlotTable table = builder.build(0);
            assertThat(table.size()).isEqualTo(1000);
            for (int i = 0; i < 1000; i++) {
                assertThat(wide ? table.tagOf(1 + i, 1) : table.tagOfLong(1 + i))
                        .isEqualTo(199_000 + i);
            }
            assertThat(wide ? table.tagOf(1, 2) : table.tagOfLong(1001)).isEqualTo(-1);
        }
    }

    /** Arithmetic progressions of every stride, and values that differ in few bits, are what crafted or natural keys look like. */
    @Test
    void regular_keys_do_not_pile_up() {
        for (int shift = 0; shift < 56; shift += 4) {
            SlotTableBuilder builder = ordered(false);
            SlotTableBuilder.Batch batch = builder.newBatch();
            for (long i = 0; i < 200_000; i++) {
                batch.addLong(i << shift, i);
            }
            assertThat(builder.build(200_000).longestProbe())
                    .as("stride 2^%d", shift)
                    .isLessThan(400);
        }
    }
}
