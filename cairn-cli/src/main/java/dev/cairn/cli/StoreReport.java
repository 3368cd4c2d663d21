package dev.cairn.cli;

import dev.cairn.cli.ResultTable.Heading;
import dev.cairn.store.Checkpoint;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.CheckpointStore;
import dev.cairn.store.Epoch;
import dev.cairn.store.Figures;
import dev.cairn.store.LogEntry.RunEnded;
import dev.cairn.store.LogEntry.RunStarted;
import dev.cairn.store.Outcome;
import dev.cairn.store.PartitionSet;
import dev.cairn.store.Run;
import dev.cairn.store.Sealing;
import dev.cairn.store.StoreState;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What a store holds, as text for people and as a document for programs. */
final class StoreReport {
    private static final DateTimeFormatter WHEN =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneId.systemDefault());

    private final CheckpointStore store;
    private final StoreState state;

    StoreReport(CheckpointStore store) {
        this.store = store;
        this.state = store.fold();
    }

    // ----------------------------------------------------------------------------------------------------------- runs

    String runsAsText() {
        List<List<String>> rows = new ArrayList<>();
        for (Run run : state.runs()) {
            Optional<Figures> figures = run.ended().map(RunEnded::figures);
            rows.add(List.of(
                    Long.toString(run.number()),
                    WHEN.format(run.startedAt()),
                    run.started().writer().user() + "@" + run.started().writer().host(),
                    run.started().writer().application(),
                    outcome(run),
                    figure(figures.map(Figures::rowsAdmitted)),
                    figure(figures.map(Figures::rowsSkipped)),
                    Text.count(counting(run).size()),
                    figures.map(f -> Text.duration(Duration.ofMillis(f.durationMillis())))
                            .orElse("")));
        }
        if (rows.isEmpty()) {
            return store.location() + ": no run yet";
        }
        return ResultTable.render(
                List.of(
                        Heading.number("run"),
                        Heading.text("started"),
                        Heading.text("by"),
                        Heading.text("application"),
                        Heading.text("outcome"),
                        Heading.number("processed"),
                        Heading.number("skipped"),
                        Heading.number("sealed"),
                        Heading.number("took")),
                rows,
                false);
    }

    Map<String, Object> runsAsDocument() {
        Map<String, Object> document = storeDocument();
        document.put("runs", state.runs().stream().map(this::runDocument).toList());
        return document;
    }

    // ---------------------------------------------------------------------------------------------------------- store

    String storeAsText() {
        StringBuilder text = new StringBuilder();
        line(text, "store", store.location());
        line(text, "id", store.id());
        line(text, "log", Text.count(state.nextEntry()) + (state.nextEntry() == 1 ? " entry" : " entries"));
        line(text, "runs", Text.count(state.runs().size()));
        state.binding().map(Run::started).ifPresent(bound -> {
            line(text, "key", bound.keys().toString());
            line(text, "destination", bound.destination().toString());
            line(text, "sealing", bound.sealing() == Sealing.TASK ? "per task" : "per job");
        });
        line(
                text,
                "checkpoints",
                Text.count(state.accepted().size()) + " accepted, "
                        + Text.count(state.committed().size())
                        + " committed, " + Text.count(state.pending().size()) + " pending, "
                        + Text.count(state.voided().size()) + " void");
        // The checkpoints of the latest run are accepted by its successor: until then they are only sealed.
        state.latestRun().filter(run -> run.accepted().isEmpty()).ifPresent(run -> {
            int waiting = (int) sealed(run).stream()
                    .mapToObj(partition -> new CheckpointId(run.number(), partition))
                    .filter(id ->
                            !state.accepted().contains(id) && !state.voided().contains(id))
                    .count();
            if (waiting > 0) {
                line(text, "", Text.count(waiting) + " sealed by run " + run.number() + ", for the next run to accept");
            }
        });
        if (!state.epochs().isEmpty()) {
            text.append('\n').append(epochsAsText());
        }
        return text.toString().stripTrailing();
    }

    private String epochsAsText() {
        List<List<String>> rows = new ArrayList<>();
        for (Epoch epoch : state.epochs()) {
            rows.add(List.of(
                    Long.toString(epoch.number()),
                    epoch.isOpen() ? "open" : "committed",
                    WHEN.format(epochTime(epoch)),
                    Text.count(epochCheckpoints(epoch)),
                    Integer.toString(epoch.intents().size())));
        }
        return ResultTable.render(
                List.of(
                        Heading.number("epoch"),
                        Heading.text("state"),
                        Heading.text("when"),
                        Heading.number("checkpoints"),
                        Heading.number("intents")),
                rows,
                false);
    }

    Map<String, Object> storeAsDocument() {
        Map<String, Object> document = runsAsDocument();
        document.put(
                "epochs",
                state.epochs().stream().map(StoreReport::epochDocument).toList());
        document.put("accepted", state.accepted().size());
        document.put("committed", state.committed().size());
        document.put(
                "pending", state.pending().stream().map(CheckpointId::toString).toList());
        document.put(
                "voided", state.voided().stream().map(CheckpointId::toString).toList());
        return document;
    }

    // ------------------------------------------------------------------------------------------------------------ run

    String runAsText(long number) {
        Run run = run(number);
        RunStarted started = run.started();
        StringBuilder text = new StringBuilder();
        line(text, "run", Long.toString(number));
        line(
                text,
                "started",
                WHEN.format(run.startedAt()) + " by " + started.writer().describe());
        line(
                text,
                "outcome",
                outcome(run)
                        + run.ended()
                                .map(RunEnded::message)
                                .filter(message -> !message.isEmpty())
                                .map(message -> ": " + message)
                                .orElse(""));
        line(text, "key", started.keys().toString());
        line(text, "destination", started.destination().toString());
        line(text, "sealing", started.sealing() == Sealing.TASK ? "per task" : "per job");
        run.ended()
                .map(RunEnded::figures)
                .ifPresent(figures -> line(
                        text,
                        "figures",
                        Text.count(figures.rowsAdmitted(), "row") + " processed, " + Text.count(figures.rowsSkipped())
                                + " skipped, " + Text.count(figures.tasksSealed(), "task") + " sealed of "
                                + Text.count(figures.tasks()) + ", in "
                                + Text.duration(Duration.ofMillis(figures.durationMillis()))));
        List<List<String>> rows = new ArrayList<>();
        for (Checkpoint checkpoint : checkpoints(run)) {
            rows.add(List.of(
                    checkpoint.id().toString(),
                    standing(run, checkpoint.id()),
                    Text.count(checkpoint.rowsAdmitted()),
                    Text.count(checkpoint.rowsSkipped()),
                    Text.count(checkpoint.committables().size()),
                    Text.count(checkpoint.ranges().size()),
                    Long.toString(checkpoint.attempt())));
        }
        if (rows.isEmpty()) {
            return text.append("No task sealed a checkpoint.").toString();
        }
        text.append('\n');
        return text.append(ResultTable.render(
                        List.of(
                                Heading.text("checkpoint"),
                                Heading.text("state"),
                                Heading.number("keys"),
                                Heading.number("skipped"),
                                Heading.number("committables"),
                                Heading.number("ranges"),
                                Heading.number("attempt")),
                        rows,
                        false))
                .toString();
    }

    Map<String, Object> runAsDocument(long number) {
        Run run = run(number);
        Map<String, Object> document = storeDocument();
        Map<String, Object> shown = runDocument(run);
        List<Map<String, Object>> checkpoints = new ArrayList<>();
        for (Checkpoint checkpoint : checkpoints(run)) {
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("partition", checkpoint.id().partition());
            entry.put("state", standing(run, checkpoint.id()));
            entry.put("rowsAdmitted", checkpoint.rowsAdmitted());
            entry.put("rowsSkipped", checkpoint.rowsSkipped());
            entry.put("committables", checkpoint.committables().size());
            entry.put("ranges", checkpoint.ranges().size());
            entry.put("attempt", checkpoint.attempt());
            checkpoints.add(entry);
        }
        shown.put("checkpoints", checkpoints);
        document.put("run", shown);
        return document;
    }

    private Run run(long number) {
        return state.run(number).orElseThrow(() -> {
            List<Long> numbers = state.runs().stream().map(Run::number).toList();
            return CommandException.usage("The store " + store.location() + " has no run " + number + ". "
                    + (numbers.isEmpty() ? "It has no run yet." : "Its runs are " + numbers + "."));
        });
    }

    // --------------------------------------------------------------------------------------------------------- helpers

    /** What counts of a run: fixed once a successor started; until then, whatever is sealed. */
    private PartitionSet counting(Run run) {
        return run.accepted().orElseGet(() -> sealed(run));
    }

    private PartitionSet sealed(Run run) {
        return store.sealedPartitions(run.number(), run.started().sealing());
    }

    private List<Checkpoint> checkpoints(Run run) {
        return sealed(run).stream()
                .mapToObj(partition -> new CheckpointId(run.number(), partition))
                // One that compaction removed in the meantime has nothing left to show.
                .flatMap(id -> store.findCheckpoint(id, run.started().sealing()).stream())
                .toList();
    }

    /** In the words of the lifecycle. */
    private String standing(Run run, CheckpointId id) {
        if (state.voided().contains(id)) {
            return "void";
        }
        if (state.committed().contains(id)) {
            return "committed";
        }
        if (state.accepted().contains(id)) {
            return "pending";
        }
        return run.accepted().isPresent() || run.started().sealing() == Sealing.JOB ? "not accepted" : "sealed";
    }

    private static String outcome(Run run) {
        return run.outcome() == Outcome.UNKNOWN
                ? "not ended" // alive, or killed
                : run.outcome().name().toLowerCase(Locale.ROOT);
    }

    private static String figure(Optional<Long> figure) {
        return figure.map(Text::count).orElse("");
    }

    private static void line(StringBuilder text, String name, String value) {
        text.append(String.format(Locale.ROOT, "%-12s %s%n", name, value));
    }

    private static Instant epochTime(Epoch epoch) {
        return epoch.committed().map(entry -> entry.at()).orElseGet(() -> epoch.newestIntent()
                .at());
    }

    private static long epochCheckpoints(Epoch epoch) {
        return (epoch.isOpen() ? epoch.newestIntent().checkpoints() : epoch.committedCheckpoints()).size();
    }

    private Map<String, Object> storeDocument() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("store", store.location());
        document.put("id", store.id());
        document.put("entries", state.nextEntry());
        return document;
    }

    private Map<String, Object> runDocument(Run run) {
        RunStarted started = run.started();
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("number", run.number());
        document.put("startedAt", run.startedAt().toString());
        document.put("endedAt", run.ended().map(ended -> ended.at().toString()).orElse(null));
        document.put("application", started.writer().application());
        document.put("host", started.writer().host());
        document.put("user", started.writer().user());
        document.put("outcome", run.outcome().name().toLowerCase(Locale.ROOT));
        document.put("message", run.ended().map(RunEnded::message).orElse(""));
        document.put(
                "keys",
                started.keys().columns().stream()
                        .map(column -> Map.of(
                                "name", column.name(), "type", column.type().label()))
                        .toList());
        document.put("mode", started.mode().name().toLowerCase(Locale.ROOT));
        document.put("sealing", started.sealing().name().toLowerCase(Locale.ROOT));
        Map<String, Object> destination = new LinkedHashMap<>();
        destination.put("kind", started.destination().kind());
        destination.put("identity", started.destination().identity());
        document.put("destination", destination);
        document.put("tasksSealed", counting(run).size());
        document.put(
                "figures",
                run.ended().map(RunEnded::figures).map(StoreReport::figures).orElse(null));
        return document;
    }

    private static Map<String, Object> figures(Figures figures) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("rowsAdmitted", figures.rowsAdmitted());
        document.put("rowsSkipped", figures.rowsSkipped());
        document.put("tasksSealed", figures.tasksSealed());
        document.put("tasks", figures.tasks());
        document.put("epochs", figures.epochs());
        document.put("durationMillis", figures.durationMillis());
        return document;
    }

    private static Map<String, Object> epochDocument(Epoch epoch) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("number", epoch.number());
        document.put("state", epoch.isOpen() ? "open" : "committed");
        document.put("at", epochTime(epoch).toString());
        document.put("checkpoints", epochCheckpoints(epoch));
        document.put("intents", epoch.intents().size());
        return document;
    }
}
