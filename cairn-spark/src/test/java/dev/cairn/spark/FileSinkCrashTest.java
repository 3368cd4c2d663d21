package dev.cairn.spark;

import static org.apache.spark.sql.functions.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.cairn.spark.fault.Audit;
import dev.cairn.spark.fault.CrashFileSystem;
import dev.cairn.spark.fault.CrashPoints;
import dev.cairn.spark.fault.Crashing;
import dev.cairn.spark.fault.Pausing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A job that appends to a directory dies, or is overtaken, at every point at which something is decided. */
class FileSinkCrashTest extends SparkTest {
    private static final int PARTITIONS = 3;

    /** The log of a first run: 0 is its start, 1 its intent, 2 its commit, 3 its end. */
    private static final String INTENT = "publish .*/log/0*1\\.json";

    private static final String COMMITTED = "publish .*/log/0*2\\.json";
    private static final String RECORD = "publish .*/epochs/0*1\\.json";
    private static final String RENAME = "rename .*/out/part-";

    /** A session that does not wait for heads of this process to prove that they are dead. */
    private SparkSession successor;

    @BeforeEach
    void knowTheFileSystem() {
        CrashFileSystem.register(spark.sparkContext().hadoopConfiguration());
        successor = spark.newSession();
        successor.conf().set("spark.cairn.takeover", "true");
    }

    @AfterEach
    void live() {
        CrashPoints.set(CrashPoints.Hook.NONE);
    }

    @Override
    protected String store() {
        return CrashPoints.SCHEME + ":" + path("store");
    }

    /** Some keys have no output row, the others two. */
    private static Dataset<Row> process(Dataset<Row> frame) {
        return frame.filter("id % 3 != 0")
                .withColumn("part", explode(array(lit(1), lit(2))))
                .withColumn("text", concat(col("name"), lit("-"), col("part")));
    }

    private static Dataset<Row> input(SparkSession session) {
        return session.range(0, 30, 1, PARTITIONS).withColumn("name", concat(lit("key-"), col("id")));
    }

    private void run(SparkSession session) {
        process(checkpointed(input(session), "name"))
                .write()
                .mode("append")
                .parquet(CrashPoints.SCHEME + ":" + path("out"));
    }

    private void runAgain() {
        CrashPoints.set(CrashPoints.Hook.NONE);
        run(successor);
    }

    private void runAndDieBefore(String operation, int number) {
        Crashing crash = Crashing.before(operation, number);
        CrashPoints.set(crash);
        assertThatThrownBy(() -> run(successor)).isNotNull();
        assertThat(crash.isDead()).as("died before " + operation).isTrue();
    }

    private CompletableFuture<Throwable> runInBackground() {
        return CompletableFuture.supplyAsync(() -> catchThrowable(() -> run(spark)));
    }

    private void assertExactlyOnce() throws IOException {
        assertThat(output("out")).isEqualTo(rows(process(input(spark))));
        Audit.assertSettled(store(), directory.resolve("store"), directory.resolve("out"));
    }

    private long published() throws IOException {
        return files("out").stream()
                .filter(name -> name.startsWith("part-") && name.endsWith(".parquet"))
                .count();
    }

    private List<Path> staged() throws IOException {
        return files("out").stream()
                .filter(name -> name.contains("/staging/"))
                .map(directory.resolve("out")::resolve)
                .toList();
    }

    private static void assertCondition(Throwable failure, String condition) {
        assertThat(failure).isInstanceOfSatisfying(SparkThrowable.class, error -> assertThat(error.getCondition())
                .isEqualTo(condition));
    }

    @Test
    void runThatNothingDisturbsPublishesOneFileForEachPartition() throws Exception {
        run(spark);

        assertThat(published()).isEqualTo(PARTITIONS);
        assertExactlyOnce();
    }

    @Test
    void headKilledBeforeItsIntentLeavesEverythingForTheNext() throws Exception {
        runAndDieBefore(INTENT, 1);
        assertThat(published()).isZero();
        assertThat(staged()).hasSize(PARTITIONS);

        runAgain();

        assertExactlyOnce();
        assertThat(files("out")).filteredOn(name -> name.startsWith("part-")).allMatch(name -> name.contains("-r0"));
    }

    @Test
    void epochThatWasIntendedAndNotRecordedIsCommittedByTheNext() throws Exception {
        runAndDieBefore(RECORD, 1);
        assertThat(published()).isZero();

        runAgain();

        assertExactlyOnce();
    }

    @Test
    void epochThatWasRecordedAndNotPublishedIsPublishedByTheNext() throws Exception {
        runAndDieBefore(RENAME, 1);
        assertThat(published()).isZero();

        runAgain();

        assertExactlyOnce();
    }

    @Test
    void epochThatWasPublishedInPartIsFinishedByTheNext() throws Exception {
        runAndDieBefore(RENAME, PARTITIONS);
        assertThat(published()).isEqualTo(PARTITIONS - 1);

        runAgain();

        assertExactlyOnce();
    }

    @Test
    void epochThatWasPublishedAndNotNotedIsNotPublishedAgain() throws Exception {
        runAndDieBefore(COMMITTED, 1);
        assertThat(published()).isEqualTo(PARTITIONS);

        runAgain();

        assertExactlyOnce();
        assertThat(published()).isEqualTo(PARTITIONS);
    }

    @Test
    void publishedFilesMayBeMovedOnOnceTheirPublicationIsRecorded() throws Exception {
        runAndDieBefore(COMMITTED, 1);
        List<String> complete = output("out");
        Files.move(directory.resolve("out"), directory.resolve("archive"));
        Files.createDirectories(directory.resolve("out"));
        Files.move(directory.resolve("archive/_cairn"), directory.resolve("out/_cairn"));

        runAgain();

        assertThat(output("archive")).isEqualTo(complete);
        assertThat(published()).isZero();
    }

    /** Every object creation, rename and deletion of a whole job, in the order in which one run happens to do them. */
    @Test
    @Tag("heavy")
    void jobKilledBeforeAnySingleOperationIsCompletedExactlyOnce() throws Exception {
        List<String> expected = rows(process(input(spark)));
        Path whole = directory;
        int kills = 0;
        for (int at = 1; ; at++) {
            directory = Files.createDirectory(whole.resolve("kill-" + at));
            Crashing crash = Crashing.before("^(?!overwrite|open)", at);
            CrashPoints.set(crash);
            Throwable failure = catchThrowable(() -> run(successor));
            CrashPoints.set(CrashPoints.Hook.NONE);
            if (!crash.isDead()) {
                assertThat(failure).isNull();
                break;
            }
            kills++;

            run(successor);

            assertThat(output("out")).as("killed before %s", crash.diedBefore()).isEqualTo(expected);
            Audit.assertSettled(store(), directory.resolve("store"), directory.resolve("out"));
        }
        directory = whole;
        assertThat(kills).as("operations of one run").isGreaterThan(20);
    }

    @Test
    void taskThatSealsAfterTheSuccessorStartedIsNeverPublished() throws Exception {
        Pausing zombie = Pausing.at("publish .*/checkpoints/0*/0*1\\.parquet");
        CrashPoints.set(zombie);
        CompletableFuture<Throwable> earlier = runInBackground();
        zombie.awaitReached();

        run(successor);
        zombie.wake();

        assertCondition(earlier.join(), "CAIRN_RUN_FENCED");
        assertThat(files("store")).contains("checkpoints/00000000000000000000/0000000001.parquet");
        assertExactlyOnceBesidesTheZombie();
        run(successor);
        assertExactlyOnce();
    }

    @Test
    void taskThatSealsWhileTheSuccessorIsAboutToCommitIsNeverPublished() throws Exception {
        Pausing zombie = Pausing.at("publish .*/checkpoints/0*/0*1\\.parquet");
        Pausing head = Pausing.at("publish .*/log/0*2\\.json");
        CrashPoints.set(operation -> {
            zombie.before(operation);
            head.before(operation);
        });
        CompletableFuture<Throwable> earlier = runInBackground();
        zombie.awaitReached();
        CompletableFuture<Throwable> later = CompletableFuture.supplyAsync(() -> catchThrowable(() -> run(successor)));
        head.awaitReached();

        zombie.wake();
        assertCondition(earlier.join(), "CAIRN_RUN_FENCED");
        head.wake();

        assertThat(later.join()).isNull();
        assertExactlyOnceBesidesTheZombie();
        run(successor);
        assertExactlyOnce();
    }

    private void assertExactlyOnceBesidesTheZombie() {
        assertThat(output("out")).isEqualTo(rows(process(input(spark))));
    }

    @Test
    void headThatIsOvertakenBeforeItsIntentFailsWithTheOthersName() throws Exception {
        Pausing pause = Pausing.at(INTENT);
        CrashPoints.set(pause);
        CompletableFuture<Throwable> earlier = runInBackground();
        pause.awaitReached();

        run(successor);
        pause.wake();

        Throwable failure = earlier.join();
        assertCondition(failure, "CAIRN_RUN_FENCED");
        assertThat(failure)
                .hasMessageContaining("lost the checkpoint store")
                .hasMessageContaining(spark.sparkContext().applicationId());
        assertExactlyOnce();
    }

    @Test
    void headThatIsOvertakenBetweenIntentAndCommitPublishesNothingTwice() throws Exception {
        Pausing pause = Pausing.at(RECORD);
        CrashPoints.set(pause);
        CompletableFuture<Throwable> earlier = runInBackground();
        pause.awaitReached();

        run(successor);
        List<String> before = output("out");
        pause.wake();

        assertCondition(earlier.join(), "CAIRN_RUN_FENCED");
        assertThat(output("out")).isEqualTo(before);
        assertThat(published()).isEqualTo(PARTITIONS);
        assertExactlyOnce();
    }

    @Test
    void twoHeadsMayFinishOneEpochAtTheSameTime() throws Exception {
        Pausing pause = Pausing.at(RENAME);
        CrashPoints.set(pause);
        CompletableFuture<Throwable> earlier = runInBackground();
        pause.awaitReached();

        run(successor);
        pause.wake();

        assertCondition(earlier.join(), "CAIRN_RUN_FENCED");
        assertExactlyOnce();
    }

    @Test
    void livingRunIsNotOvertakenUnasked() throws Exception {
        Pausing pause = Pausing.at(INTENT);
        CrashPoints.set(pause);
        CompletableFuture<Throwable> earlier = runInBackground();
        pause.awaitReached();

        Throwable refused = catchThrowable(() -> run(spark.newSession()));
        pause.wake();

        assertCondition(refused, "CAIRN_RUN_ALIVE");
        assertThat(earlier.join()).isNull();
        assertExactlyOnce();
    }

    @Test
    void stagedFileThatSomebodyDeletedBeforeTheIntentStopsTheNextRunUntilItIsBack() throws Exception {
        runAndDieBefore(INTENT, 1);
        assertLossIsNamedAndMended();
    }

    @Test
    void stagedFileThatSomebodyDeletedAfterTheIntentStopsTheNextRunUntilItIsBack() throws Exception {
        runAndDieBefore(RECORD, 1);
        assertLossIsNamedAndMended();
    }

    @Test
    void stagedFileThatSomebodyDeletedDuringThePublicationStopsTheNextRunUntilItIsBack() throws Exception {
        runAndDieBefore(RENAME, 2);
        assertLossIsNamedAndMended();
    }

    private void assertLossIsNamedAndMended() throws IOException {
        CrashPoints.set(CrashPoints.Hook.NONE);
        List<Path> staged = staged();
        Path lost = staged.get(staged.size() - 1);
        Path aside = directory.resolve("aside");
        Files.move(lost, aside);
        List<String> checkpoints = files("store").stream()
                .filter(name -> name.startsWith("checkpoints/"))
                .toList();

        Throwable failure = catchThrowable(() -> run(successor));

        assertCondition(failure, "CAIRN_OUTPUT_LOST");
        assertThat(failure).hasMessageContaining(lost.getFileName().toString());
        assertThat(files("store")).containsAll(checkpoints);
        assertThat(staged().size() + published()).as("files that are left").isEqualTo(PARTITIONS - 1);

        Files.move(aside, lost);
        run(successor);
        assertExactlyOnce();
    }

    /** The storage sealed, said that it failed, and could not be asked: the task fails although its checkpoint exists. */
    @Test
    void taskThatCannotTellWhetherItSealedKeepsItsFiles() throws Exception {
        AtomicInteger lost = new AtomicInteger();
        CrashPoints.set(operation -> {
            if (operation.matches("(reply to|open) .*/checkpoints/0*0/0*1\\.parquet") && lost.incrementAndGet() <= 2) {
                throw new IOException("reply lost on purpose");
            }
        });

        run(spark);

        assertThat(lost).hasValueGreaterThan(2);
        assertExactlyOnce();
        assertThat(published()).isEqualTo(PARTITIONS);
    }

    @Test
    void publicationSucceedsAlthoughLeftoversCannotBeRemoved() throws Exception {
        CrashPoints.set(operation -> {
            if (operation.matches("clean .*/epochs")) {
                throw new IOException("failed on purpose");
            }
        });

        run(spark);

        assertExactlyOnce();
    }

    @Test
    void stagedFileThatWasCutShortIsNotPublished() throws Exception {
        runAndDieBefore(RECORD, 1);
        CrashPoints.set(CrashPoints.Hook.NONE);
        Path damaged = staged().get(0);
        byte[] content = Files.readAllBytes(damaged);
        Files.write(damaged, java.util.Arrays.copyOf(content, content.length / 2));

        Throwable failure = catchThrowable(() -> run(successor));

        assertCondition(failure, "CAIRN_OUTPUT_LOST");
        assertThat(failure).hasMessageContaining(damaged.getFileName().toString());
        assertThat(published()).isZero();

        Files.write(damaged, content);
        run(successor);
        assertExactlyOnce();
    }
}
