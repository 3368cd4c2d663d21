package dev.cairn.spark;

import static org.apache.spark.sql.functions.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cairn.spark.fault.Audit;
import dev.cairn.spark.fault.CrashPoints;
import dev.cairn.spark.fault.Job;
import dev.cairn.spark.fault.Jvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real process runs a job and is killed, again and again; what it leaves in the end is what one run would have. */
@Tag("heavy")
class SigkillTest extends SparkTest {
    private static final int PARTITIONS = 24;
    private static final int ROWS = PARTITIONS * 40;

    /** Those of a small, short-lived process. */
    private static final List<String> OPTIONS =
            List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto");

    private String scheme = "file";
    private int runs;
    private Set<String> sealedBefore = Set.of();
    private List<String> expected;

    @BeforeEach
    void makeInput() {
        spark.range(0, ROWS, 1, PARTITIONS)
                .withColumn("name", concat(lit("key-"), col("id")))
                .write()
                .parquet(path("in"));
        expected = rows(Job.process(spark, spark.read().schema(Job.SCHEMA).parquet(path("in"))));
    }

    @Override
    protected String store() {
        return scheme + ":" + path("store");
    }

    private Jvm start(List<String> options) throws IOException {
        List<String> all = new ArrayList<>(OPTIONS);
        all.addAll(options);
        return Jvm.start(
                directory.resolve("run-" + runs++ + ".log"),
                Map.of("SPARK_LOCAL_IP", "127.0.0.1"),
                all,
                Job.class,
                List.of(path("in"), store(), scheme + ":" + path("out")));
    }

    private List<String> matching(String place, Predicate<String> names) {
        try {
            return files(place).stream().filter(names).toList();
        } catch (UncheckedIOException | IOException changedMeanwhile) {
            return List.of();
        }
    }

    private List<String> sealed() {
        return matching("store", name -> name.matches("checkpoints/\\d+/\\d+\\.parquet"));
    }

    /** Whatever is sealed stays sealed, and readers never see a row that they should not see, nor one twice. */
    private void assertProgress() {
        Set<String> sealed = new HashSet<>(sealed());
        assertThat(sealed).as("sealed before and after").containsAll(sealedBefore);
        sealedBefore = sealed;
        if (!matching("out", name -> name.startsWith("part-")).isEmpty()) {
            List<String> visible = output("out");
            assertThat(visible).doesNotHaveDuplicates();
            assertThat(expected).containsAll(visible);
        }
        if (!matching("store", name -> name.equals("store.json")).isEmpty()) {
            Audit.fold(store());
        }
    }

    private void runToTheEnd() throws Exception {
        try (Jvm job = start(List.of())) {
            assertThat(job.await()).as(() -> job.output()).isZero();
        }
        assertProgress();
        assertThat(output("out")).isEqualTo(expected);
        Audit.assertSettled(store(), directory.resolve("store"), directory.resolve("out"));
    }

    /** A moment to die at, seen from outside. */
    private record Moment(String name, BooleanSupplier reached) {}

    private Moment moment(Random random) {
        int sealed = sealed().size();
        int more = 1 + random.nextInt(3);
        Moment seals = new Moment(more + " more checkpoints sealed", () -> sealed().size() >= sealed + more);
        int entries = matching("store", name -> name.startsWith("log/")).size();
        return switch (random.nextInt(6)) {
            case 0 ->
                new Moment(
                        "one more log entry",
                        () -> matching("store", name -> name.startsWith("log/")).size() > entries);
            case 1 ->
                new Moment("keys staged", () -> !matching("store", name -> name.startsWith(".pending/checkpoints"))
                        .isEmpty());
            case 2 -> {
                int staged = matching("out", name -> name.contains("/staging/")).size();
                yield new Moment(
                        "one more file staged",
                        () -> matching("out", name -> name.contains("/staging/"))
                                        .size()
                                > staged);
            }
            default -> seals;
        };
    }

    private int killedAt(Moment moment) throws Exception {
        try (Jvm job = start(List.of())) {
            boolean reached = job.awaitWhileAlive(moment.reached());
            System.out.println((reached ? "killed: " : "ended before: ") + moment.name());
            job.kill();
            assertProgress();
            return reached ? 1 : 0;
        }
    }

    @Test
    void jobThatIsKilledAtRandomMomentsWritesEveryRowOnce() throws Exception {
        long seed = new Random().nextLong();
        System.out.println("seed of the kills: " + seed);
        Random random = new Random(seed);
        int kills = 0;
        while (kills < 8 && sealed().size() < PARTITIONS) {
            kills += killedAt(moment(random));
        }
        kills += killedAt(new Moment(
                "publication recorded", () -> !matching("out", name -> name.matches("_cairn/.*/epochs/.*json"))
                        .isEmpty()));
        kills += killedAt(new Moment("a file published", () -> !matching("out", name -> name.startsWith("part-"))
                .isEmpty()));

        runToTheEnd();

        System.out.println(kills + " kills");
        assertThat(kills).isGreaterThanOrEqualTo(4);
    }

    @Test
    void jobThatDiesInTheMiddleOfSealsAndPublicationsWritesEveryRowOnce() throws Exception {
        scheme = CrashPoints.SCHEME;

        dieBefore("publish .*/store\\.json", 1);
        dieBefore("reply to .*/log/", 1);
        dieBefore("clean .*/checkpoints/", 1);
        dieBefore("publish .*/checkpoints/", 2);
        dieBefore("reply to .*/checkpoints/", 3);
        dieBefore("create .*/checkpoints/", 3);
        dieBefore("create .*/staging/", 4);
        dieBefore("reply to .*/checkpoints/", 4);
        dieBefore("publish .*/epochs/.*json", 1);
        dieBefore("reply to .*/epochs/.*json", 1);
        dieBefore("rename .*/part-", 1);
        dieBefore("rename .*/part-", 7);
        dieBefore("publish .*/epochs/.*\\.published-", 1);
        dieBefore("reply to .*/epochs/.*\\.published-", 1);
        dieBefore("publish .*/log/", 1);
        dieBefore("reply to .*/log/", 1);
        dieBefore("delete .*/staging/", 1);

        runToTheEnd();
    }

    private void dieBefore(String operation, int number) throws Exception {
        try (Jvm job = start(List.of("-D" + Job.HALT_BEFORE + "=" + operation, "-D" + Job.HALT_AT + "=" + number))) {
            assertThat(job.await())
                    .as(() -> "dies before " + operation + ": " + job.output())
                    .isEqualTo(137);
        }
        assertProgress();
    }
}
