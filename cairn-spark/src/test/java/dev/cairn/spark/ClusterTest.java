package dev.cairn.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cairn.spark.fault.Audit;
import dev.cairn.spark.fault.ClusterJobs;
import dev.cairn.spark.fault.ClusterJobs.Spec;
import dev.cairn.spark.fault.Failing.How;
import dev.cairn.spark.fault.Jvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Tasks fail and executors die on a cluster whose executors are processes of their own; all jobs share one cluster. */
@Tag("heavy")
class ClusterTest {
    static final List<Spec> JOBS = ClusterJobs.ALL;

    @TempDir
    static Path directory;

    @BeforeAll
    static void runAllJobs() throws Exception {
        Path home = Files.createDirectories(directory.resolve("home/jars")).getParent();
        try (Jvm driver = Jvm.start(
                directory.resolve("log"),
                Map.of("SPARK_HOME", home.toString(), "SPARK_SCALA_VERSION", "2.13", "SPARK_LOCAL_IP", "127.0.0.1"),
                List.of("-Xmx768m", "-XX:TieredStopAtLevel=1"),
                ClusterJobs.class,
                List.of(directory.resolve("jobs").toString()))) {
            assertThat(driver.await()).as(driver::output).isZero();
        }
    }

    @ParameterizedTest
    @FieldSource("JOBS")
    void jobGivesEveryRowAndSealsEveryPartitionOnce(Spec spec) throws Exception {
        Path job = directory.resolve("jobs").resolve(spec.name());

        assertThat(job.resolve("failure")).doesNotExist();
        assertThat(Audit.files(job.resolve("markers")))
                .as("what went wrong on purpose")
                .hasSize(spec.how() == How.HALT ? 1 : ClusterJobs.PARTITIONS);
        assertThat(Files.readAllLines(job.resolve("rows"))).isEqualTo(Files.readAllLines(job.resolve("expected")));
        assertThat(Audit.files(job.resolve("store")))
                .filteredOn(name -> name.startsWith("checkpoints/"))
                .containsExactlyElementsOf(IntStream.range(0, ClusterJobs.PARTITIONS)
                        .mapToObj(partition -> String.format("checkpoints/%020d/%010d.parquet", 0, partition))
                        .toList());
        Audit.assertSettled("file:" + job.resolve("store"), job.resolve("store"), job.resolve("out"));
    }
}
