package dev.cairn.store;

import java.util.Collection;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** An immutable set of checkpoints of any runs, packed by run. */
public final class CheckpointSet {
    private static final CheckpointSet EMPTY = new CheckpointSet(new TreeMap<>());

    /** Holds no empty set. */
    private final TreeMap<Long, PartitionSet> byRun;

    private CheckpointSet(TreeMap<Long, PartitionSet> byRun) {
        this.byRun = byRun;
    }

    public static CheckpointSet empty() {
        return EMPTY;
    }

    public static CheckpointSet of(long run, PartitionSet partitions) {
        return of(Map.of(run, partitions));
    }

    public static CheckpointSet of(Map<Long, PartitionSet> byRun) {
        TreeMap<Long, PartitionSet> copy = new TreeMap<>(byRun);
        copy.values().removeIf(PartitionSet::isEmpty);
        return new CheckpointSet(copy);
    }

    public static CheckpointSet of(Collection<CheckpointId> checkpoints) {
        TreeMap<Long, TreeSet<Integer>> grouped = new TreeMap<>();
        checkpoints.forEach(
                id -> grouped.computeIfAbsent(id.run(), run -> new TreeSet<>()).add(id.partition()));
        TreeMap<Long, PartitionSet> byRun = new TreeMap<>();
        grouped.forEach((run, partitions) -> byRun.put(run, PartitionSet.of(partitions)));
        return new CheckpointSet(byRun);
    }

    public boolean contains(CheckpointId id) {
        return partitions(id.run()).contains(id.partition());
    }

    /** The partitions of that run; empty if there are none. */
    public PartitionSet partitions(long run) {
        return byRun.getOrDefault(run, PartitionSet.empty());
    }

    /** By run, ascending; no value is empty. */
    public SortedMap<Long, PartitionSet> byRun() {
        return java.util.Collections.unmodifiableSortedMap(byRun);
    }

    public boolean isEmpty() {
        return byRun.isEmpty();
    }

    public long size() {
        return byRun.values().stream().mapToLong(PartitionSet::size).sum();
    }

    /** The checkpoints, ascending. */
    public Stream<CheckpointId> stream() {
        return byRun.entrySet().stream().flatMap(entry -> entry.getValue().stream()
                .mapToObj(partition -> new CheckpointId(entry.getKey(), partition)));
    }

    public CheckpointSet plus(CheckpointSet other) {
        TreeMap<Long, PartitionSet> union = new TreeMap<>(byRun);
        other.byRun.forEach((run, partitions) -> union.merge(run, partitions, PartitionSet::plus));
        return new CheckpointSet(union);
    }

    public CheckpointSet minus(CheckpointSet other) {
        TreeMap<Long, PartitionSet> difference = new TreeMap<>(byRun);
        other.byRun.forEach((run, partitions) -> difference.computeIfPresent(run, (r, mine) -> {
            PartitionSet rest = mine.minus(partitions);
            return rest.isEmpty() ? null : rest;
        }));
        return new CheckpointSet(difference);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CheckpointSet that && byRun.equals(that.byRun);
    }

    @Override
    public int hashCode() {
        return byRun.hashCode();
    }

    @Override
    public String toString() {
        return byRun.toString();
    }
}
