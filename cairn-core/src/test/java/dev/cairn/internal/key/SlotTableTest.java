package dev.cairn.internal.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class SlotTableTest {
    private static final byte[] SECRET = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    private static final SlotTable.OnPresent LARGER = (low, high, present, added) -> Math.max(present, added);

    @Property
    void a_narrow_table_is_a_map_of_longs(
            @ForAll @Size(max = 300) List<@LongRange(min = -20, max = 200) Long> added,
            @ForAll @Size(max = 50) List<@LongRange(min = -20, max = 200) Long> asked) {
        SlotTable table = new SlotTable(false, true, SECRET);
        Map<Long, Integer> model = new HashMap<>();
        SlotTable.Batch batch = table.newBatch(LARGER);
        for (int i = 0; i < added.size(); i++) {
            batch.addLong(added.get(i), i);
            model.merge(added.get(i), i, Math::max);
        }
        batch.flush();
        assertThat(table.size()).isEqualTo(model.size());
        for (long value : asked) {
            assertThat(table.containsLong(value)).isEqualTo(model.containsKey(value));
            assertThat(table.tagOfLong(value)).isEqualTo(model.getOrDefault(value, -1));
        }
    }

    @Test
    void null_and_zero_are_two_elements_of_a_narrow_table() {
        SlotTable table = new SlotTable(false, true, SECRET);
        SlotTable.Batch batch = table.newBatch(LARGER);
        assertThat(table.containsNull()).isFalse();
        batch.addNull(4);
        batch.flush();
        assertThat(table.containsNull()).isTrue();
        assertThat(table.containsLong(0)).isFalse();
        batch.addLong(0, 9);
        batch.addNull(3);
        batch.flush();
        assertThat(table.containsLong(0)).isTrue();
        assertThat(table.tagOfLong(0)).isEqualTo(9);
        assertThat(table.tagOfNull()).isEqualTo(4);
        assertThat(table.size()).isEqualTo(2);
    }

    @Test
    void a_wide_table_tells_slots_apart_that_share_a_half() {
        SlotTable table = new SlotTable(true, false, SECRET);
        SlotTable.Batch batch = table.newBatch(LARGER);
        batch.add(5, 6, 0);
        batch.add(0, 7, 0);
        batch.flush();
        assertThat(table.contains(5, 6)).isTrue();
        assertThat(table.contains(0, 7)).isTrue();
        assertThat(table.contains(5, 7)).isFalse();
        assertThat(table.contains(6, 5)).isFalse();
        assertThat(table.contains(0, 6)).isFalse();
    }

    @Test
    void threads_that_fill_a_table_together_lose_nothing() throws Exception {
        SlotTable table = new SlotTable(true, false, SECRET);
        int perThread = 100_000;
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            long from = t * (long) perThread / 2;
            Thread thread = new Thread(() -> {
                SlotTable.Batch batch = table.newBatch(LARGER);
                for (long i = from; i < from + perThread; i++) {
                    batch.add(i, 1, 0);
                }
                batch.flush();
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(table.size()).isEqualTo(perThread * 5L / 2);
        for (long i = 0; i < perThread * 5L / 2; i++) {
            assertThat(table.contains(i, 1)).isTrue();
        }
        assertThat(table.contains(perThread * 5L / 2, 1)).isFalse();
    }

    @Test
    void memory_per_element_is_what_the_documentation_says() {
        for (boolean wide : new boolean[] {false, true}) {
            for (boolean tagged : new boolean[] {false, true}) {
                SlotTable table = new SlotTable(wide, tagged, SECRET);
                SlotTable.Batch batch = table.newBatch(LARGER);
                Random random = new Random(1);
                for (int i = 0; i < 500_000; i++) {
                    if (wide) {
                        batch.add(random.nextLong(), random.nextLong(), 0);
                    } else {
                        batch.addLong(random.nextLong(), 0);
                    }
                }
                batch.flush();
                double perElement = table.memoryBytes() / (double) table.size();
                double least = (wide ? 20 : 10) + (tagged ? 5 : 0);
                assertThat(perElement).isBetween(least, 1.5 * least + 0.1);
            }
        }
    }

    @Test
    void dropping_the_tags_keeps_the_elements() {
        SlotTable table = new SlotTable(true, true, SECRET);
        SlotTable.Batch batch = table.newBatch(LARGER);
        for (int i = 0; i < 1000; i++) {
            batch.add(i, 3, i);
        }
        batch.flush();
        long before = table.memoryBytes();
        table.dropTags();
        assertThat(table.memoryBytes()).isLessThan(before);
        assertThat(table.size()).isEqualTo(1000);
        assertThat(table.contains(999, 3)).isTrue();
    }

    /** Arithmetic progressions of every stride, and values that differ in few bits, are what crafted or natural keys look like. */
    @Test
    void regular_keys_do_not_pile_up() {
        for (int shift = 0; shift < 56; shift += 4) {
            SlotTable table = new SlotTable(false, false, SECRET);
            SlotTable.Batch batch = table.newBatch(LARGER);
            for (long i = 0; i < 200_000; i++) {
                batch.addLong(i << shift, 0);
            }
            batch.flush();
            assertThat(table.longestProbe()).as("stride 2^%d", shift).isLessThan(400);
        }
    }
}
