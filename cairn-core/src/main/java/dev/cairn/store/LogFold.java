package dev.cairn.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The state of a store while the log is folded into it. Mutable, and confined to whoever folds; {@link StoreState} is
 * its immutable face.
 *
 * <p>Adding an entry costs no more than what the entry names, so that a log of a hundred thousand entries folds in well
 * under a second.
 */
final class LogFold {
    /** An entry that the writer's own fold would have forbidden: no correct writer appends it. */
    static final class Contradiction extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Contradiction(String message) {
            super(message);
        }
    }

    /** A {@code forgotten} entry and its position. */
    private record Forgetting(long entry, LogEntry.Forgotten forgotten) {}

    long next;
    final List<Run> runs = new ArrayList<>();

    /** Index into {@link #runs}, by number. */
    private final Map<Long, Integer> runIndex = new HashMap<>();

    final List<Epoch> epochs = new ArrayList<>();

    /** Number of the latest run when the epoch was first intended; index is the epoch's number less one. */
    final List<Long> runOfEpoch = new ArrayList<>();

    final TreeMap<Long, PartitionSet> committed = new TreeMap<>();
    final TreeMap<Long, PartitionSet> voided = new TreeMap<>();

    /** Every checkpoint that an entry made count, also the ones given up since. */
    private final TreeMap<Long, PartitionSet> counted = new TreeMap<>();

    /** By run: every checkpoint that an accepted set, an intent or a run's end names. */
    private final Map<Long, PartitionSet> named = new HashMap<>();

    /**
     * By run and entry: the checkpoints that this entry was the first to name. That entry is the position of their seal:
     * what was forgotten later applies to them, what was forgotten before does not. Position by time or by run would be
     * wrong: a task may seal after the entry that forgets its key.
     */
    private final TreeMap<Long, TreeMap<Long, PartitionSet>> namedAt = new TreeMap<>();

    private final List<Forgetting> forgettings = new ArrayList<>();
    LogEntry.Compacted compaction;

    LogFold copy() {
        LogFold copy = new LogFold();
        copy.next = next;
        copy.runs.addAll(runs);
        copy.runIndex.putAll(runIndex);
        copy.epochs.addAll(epochs);
        copy.runOfEpoch.addAll(runOfEpoch);
        copy.committed.putAll(committed);
        copy.voided.putAll(voided);
        copy.counted.putAll(counted);
        copy.named.putAll(named);
        namedAt.forEach((run, entries) -> copy.namedAt.put(run, new TreeMap<>(entries)));
        copy.forgettings.addAll(forgettings);
        copy.compaction = compaction;
        return copy;
    }

    void add(long number, LogEntry entry) {
        demand(number == next, "entry %s follows entry %s", number, next - 1);
        if (entry instanceof LogEntry.RunStarted started) {
            runStarted(number, started);
        } else if (entry instanceof LogEntry.RunEnded ended) {
            runEnded(number, ended);
        } else if (entry instanceof LogEntry.CommitIntended intended) {
            commitIntended(number, intended);
        } else if (entry instanceof LogEntry.Committed done) {
            committed(done);
        } else if (entry instanceof LogEntry.Voided given) {
            voided(given);
        } else if (entry instanceof LogEntry.Forgotten forgotten) {
            forgotten.runs().forEach(this::requireRun);
            forgettings.add(new Forgetting(number, forgotten));
        } else if (entry instanceof LogEntry.Compacted compacted) {
            demand(
                    compacted.covered() >= 0 && compacted.covered() < number,
                    "it covers entry %s, which does not precede it",
                    compacted.covered());
            demand(
                    compaction == null || compacted.covered() >= compaction.covered(),
                    "it covers up to entry %s, less than the compaction before it",
                    compacted.covered());
            compaction = compacted;
        } else {
            throw new IllegalStateException("unhandled kind: " + entry);
        }
        next = number + 1;
    }

    private void runStarted(long number, LogEntry.RunStarted started) {
        Optional<Run> previous = latestRun();
        demand(
                started.previousRun().equals(previous.map(Run::number)),
                "it names run %s as the one before, which is %s",
                text(started.previousRun()),
                text(previous.map(Run::number)));
        // Whether an open epoch's checkpoints count is not known, so no accepted set can be right.
        openEpoch().ifPresent(open -> {
            throw new Contradiction("a run starts while the outcome of epoch " + open.number() + " is open");
        });
        if (previous.isPresent()) {
            Run run = previous.get();
            demand(
                    run.started().sealing() == Sealing.TASK
                            || started.accepted().isEmpty(),
                    "it accepts single checkpoints of run %s, which seals as a whole",
                    run.number());
            // From here on for ever: what the run's tasks seal later does not count.
            runs.set(
                    runs.size() - 1,
                    new Run(run.number(), run.started(), run.ended(), Optional.of(started.accepted())));
            count(run.number(), started.accepted());
            name(number, run.number(), started.accepted());
        }
        runIndex.put(number, runs.size());
        runs.add(new Run(number, started, Optional.empty(), Optional.empty()));
    }

    private void runEnded(long number, LogEntry.RunEnded ended) {
        Run run = requireRun(ended.run());
        demand(run.ended().isEmpty(), "run %s ends twice", ended.run());
        // A head that lost the store appends nothing more, this neither.
        demand(
                latestRun().orElseThrow().number() == ended.run(),
                "run %s ends after run %s took the store",
                ended.run(),
                latestRun().orElseThrow().number());
        if (!ended.sealed().isEmpty()) {
            demand(
                    ended.outcome() == Outcome.SUCCEEDED
                            && run.started().sealing() == Sealing.JOB
                            && run.started().destination().isNone(),
                    "it seals checkpoints of run %s, which %s",
                    ended.run(),
                    ended.outcome() == Outcome.SUCCEEDED ? "seals otherwise" : "did not succeed");
            count(ended.run(), ended.sealed());
            name(number, ended.run(), ended.sealed());
        }
        runs.set(runs.size() - 1, new Run(run.number(), run.started(), Optional.of(ended), run.accepted()));
    }

    private void commitIntended(long number, LogEntry.CommitIntended intended) {
        Run latest = latestRun().orElseThrow(() -> new Contradiction("it intends an epoch before any run"));
        Optional<Epoch> open = openEpoch();
        long expected = open.map(Epoch::number).orElse(epochs.size() + 1L);
        demand(
                intended.epoch() == expected,
                "it intends epoch %s where only epoch %s can be intended",
                intended.epoch(),
                expected);
        intended.checkpoints().byRun().forEach((run, partitions) -> {
            requireRun(run);
            // The latest run's set is not fixed yet: the intent itself is what makes its checkpoints known.
            demand(
                    run == latest.number() || within(partitions, counted.get(run)),
                    "it names checkpoints of run %s that were never accepted",
                    run);
            demand(
                    disjoint(partitions, committed.get(run)) && disjoint(partitions, voided.get(run)),
                    "it names checkpoints of run %s that are committed or void",
                    run);
        });
        if (open.isPresent()) {
            Epoch epoch = open.get();
            demand(epoch.intent(intended.nonce()).isEmpty(), "it repeats the nonce %s", intended.nonce());
            demand(
                    intended.checkpoints()
                            .minus(epoch.newestIntent().checkpoints())
                            .isEmpty(),
                    "it adds checkpoints to epoch %s, whose first intent may be committed already",
                    epoch.number());
            List<LogEntry.CommitIntended> intents = new ArrayList<>(epoch.intents());
            intents.add(intended);
            epochs.set(epochs.size() - 1, new Epoch(epoch.number(), intents, Optional.empty()));
        } else {
            epochs.add(new Epoch(intended.epoch(), List.of(intended), Optional.empty()));
            runOfEpoch.add(latest.number());
        }
        intended.checkpoints().byRun().forEach((run, partitions) -> name(number, run, partitions));
    }

    private void committed(LogEntry.Committed done) {
        Epoch epoch = openEpoch().orElseThrow(() -> new Contradiction("it commits an epoch and none is open"));
        demand(
                done.epoch() == epoch.number(),
                "it commits epoch %s while epoch %s is open",
                done.epoch(),
                epoch.number());
        LogEntry.CommitIntended winner = epoch.intent(done.nonce())
                .orElseThrow(() ->
                        new Contradiction("no intent of epoch " + epoch.number() + " has the nonce " + done.nonce()));
        epochs.set(epochs.size() - 1, new Epoch(epoch.number(), epoch.intents(), Optional.of(done)));
        winner.checkpoints().byRun().forEach((run, partitions) -> {
            committed.merge(run, partitions, PartitionSet::plus);
            count(run, partitions);
        });
    }

    private void voided(LogEntry.Voided given) {
        Optional<Epoch> open = openEpoch();
        given.checkpoints().byRun().forEach((run, partitions) -> {
            requireRun(run);
            // The catalog may hold them, under any of the intents. Only once it is known which one won is it safe.
            open.ifPresent(epoch -> epoch.intents()
                    .forEach(intent -> demand(
                            disjoint(partitions, intent.checkpoints().partitions(run)),
                            "it gives up checkpoints of run %s that epoch %s, still open, may publish",
                            run,
                            epoch.number())));
            voided.merge(run, partitions, PartitionSet::plus);
        });
    }

    Optional<Run> run(long number) {
        Integer index = runIndex.get(number);
        return index == null ? Optional.empty() : Optional.of(runs.get(index));
    }

    Optional<Run> latestRun() {
        return runs.isEmpty() ? Optional.empty() : Optional.of(runs.get(runs.size() - 1));
    }

    Optional<Epoch> openEpoch() {
        // Only the newest can be open: the next one may not be intended before.
        return epochs.isEmpty()
                ? Optional.empty()
                : Optional.of(epochs.get(epochs.size() - 1)).filter(Epoch::isOpen);
    }

    CheckpointSet accepted() {
        return CheckpointSet.of(counted).minus(CheckpointSet.of(voided));
    }

    CheckpointSet pending() {
        TreeMap<Long, PartitionSet> pending = new TreeMap<>();
        counted.forEach((number, partitions) -> {
            LogEntry.RunStarted started = requireRun(number).started();
            if (started.sealing() == Sealing.TASK && !started.destination().isNone()) {
                pending.put(number, partitions);
            }
        });
        return CheckpointSet.of(pending).minus(CheckpointSet.of(committed)).minus(CheckpointSet.of(voided));
    }

    SealedKeys sealedKeys() {
        List<SealedKeys.Group> groups = new ArrayList<>();
        long earliest = Long.MAX_VALUE;
        Map<Long, Long> runForgottenAt = new HashMap<>();
        forgettings.forEach(
                f -> f.forgotten().runs().forEach(run -> runForgottenAt.put(run, f.entry()))); // ascending: latest wins
        for (Map.Entry<Long, PartitionSet> ofRun : counted.entrySet()) {
            Run run = requireRun(ofRun.getKey());
            PartitionSet counting = ofRun.getValue().minus(voided.getOrDefault(run.number(), PartitionSet.empty()));
            long forgottenAt = runForgottenAt.getOrDefault(run.number(), -1L);
            for (Map.Entry<Long, PartitionSet> at :
                    namedAt.get(run.number()).tailMap(forgottenAt, false).entrySet()) {
                PartitionSet partitions = intersection(at.getValue(), counting);
                if (!partitions.isEmpty()) {
                    groups.add(new SealedKeys.Group(
                            run.number(),
                            run.outcome() == Outcome.SUCCEEDED,
                            run.started().sealing(),
                            partitions.toString(),
                            at.getKey()));
                    earliest = Math.min(earliest, at.getKey());
                }
            }
        }
        List<SealedKeys.ForgottenKeys> forgotten = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (int i = forgettings.size() - 1; i >= 0; i--) {
            Forgetting forgetting = forgettings.get(i);
            // Applies only to seals before it; of one object named twice, the later entry says more.
            if (forgetting.entry() > earliest) {
                forgetting
                        .forgotten()
                        .keysObject()
                        .filter(seen::add)
                        .ifPresent(
                                object -> forgotten.add(0, new SealedKeys.ForgottenKeys(forgetting.entry(), object)));
            }
        }
        return new SealedKeys(groups, forgotten);
    }

    Optional<Run> binding() {
        return latestRun()
                .filter(latest -> openEpoch().isPresent()
                        || latest.started().sealing() == Sealing.TASK
                        || !sealedKeys().isEmpty());
    }

    private Run requireRun(long number) {
        return run(number).orElseThrow(() -> new Contradiction("there is no run " + number));
    }

    private void count(long run, PartitionSet partitions) {
        if (!partitions.isEmpty()) {
            counted.merge(run, partitions, PartitionSet::plus);
        }
    }

    private void name(long entry, long run, PartitionSet partitions) {
        PartitionSet before = named.getOrDefault(run, PartitionSet.empty());
        PartitionSet fresh = partitions.minus(before);
        if (!fresh.isEmpty()) {
            named.put(run, before.plus(fresh));
            namedAt.computeIfAbsent(run, r -> new TreeMap<>()).put(entry, fresh);
        }
    }

    private static boolean within(PartitionSet partitions, PartitionSet whole) {
        return whole != null && partitions.minus(whole).isEmpty();
    }

    private static boolean disjoint(PartitionSet partitions, PartitionSet other) {
        return other == null || intersection(partitions, other).isEmpty();
    }

    private static PartitionSet intersection(PartitionSet one, PartitionSet other) {
        return one.minus(one.minus(other));
    }

    private static String text(Optional<Long> number) {
        return number.map(String::valueOf).orElse("none");
    }

    private static void demand(boolean condition, String format, Object... arguments) {
        if (!condition) {
            throw new Contradiction(String.format(format, arguments));
        }
    }
}
