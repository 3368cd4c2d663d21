package dev.cairn.spark.internal.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cairn.OutputLostException;
import dev.cairn.StoreDamagedException;
import dev.cairn.commit.CommitOutcome;
import dev.cairn.commit.Committer;
import dev.cairn.commit.CommitterContract;
import dev.cairn.commit.EpochTag;
import dev.cairn.commit.Presence;
import dev.cairn.store.Committable;
import dev.cairn.store.Destination;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileCommitterTest extends CommitterContract {
    private final String store = UUID.randomUUID().toString();

    @TempDir
    Path directory;

    private FileCommitter of(String storeId) {
        return new FileCommitter(
                new org.apache.hadoop.fs.Path(directory.toUri()),
                storeId,
                "file:/the/store",
                false,
                new Configuration());
    }

    /** A committer of files is one store's; the contract wants one for all. */
    @Override
    protected Committer open() {
        return new Committer() {
            @Override
            public Destination destination() {
                return of(store).destination();
            }

            @Override
            public String base() {
                return of(store).base();
            }

            @Override
            public OptionalLong highestEpoch(String storeId) {
                return of(storeId).highestEpoch(storeId);
            }

            @Override
            public Presence isCommitted(EpochTag tag, String base) {
                return of(tag.storeId()).isCommitted(tag, base);
            }

            @Override
            public CommitOutcome commit(EpochTag tag, String base, List<Committable> committables) {
                return of(tag.storeId()).commit(tag, base, committables);
            }

            @Override
            public List<String> missing(Collection<Committable> committables) {
                return of(store).missing(committables);
            }

            @Override
            public void close() {
                of(store).close();
            }
        };
    }

    private static StagedFile file(int row) {
        return new StagedFile("_cairn/s/staging/0/" + row + "-0/year=7/row-" + row, "year=7/row-" + row, 4);
    }

    @Override
    protected Committable write(int row) {
        try {
            Path staged = directory.resolve(file(row).staged());
            Files.createDirectories(staged.getParent());
            Files.writeString(staged, "row\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return file(row).toCommittable();
    }

    @Override
    protected List<Integer> read() {
        Path published = directory.resolve("year=7");
        if (!Files.isDirectory(published)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(published)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("row-"))
                    .map(name -> Integer.valueOf(name.substring(4)))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Others write files of their own, which says nothing about ours. */
    @Override
    protected boolean commitByOthers() {
        return false;
    }

    @Override
    protected boolean expireHistory() {
        return false;
    }

    @Override
    protected boolean lose(Committable committable) {
        try {
            Files.delete(directory.resolve(StagedFile.of(committable).staged()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return true;
    }

    private EpochTag tag(long epoch) {
        return new EpochTag(store, epoch, "a", 0);
    }

    @Test
    void publicationThatWasCutOffIsCompletedByWhoeverAsks() throws Exception {
        List<Committable> committables = IntStream.range(0, 2 * PublicationLog.BATCH + 7)
                .mapToObj(this::write)
                .toList();
        try (FileCommitter committer = of(store)) {
            committer.commit(tag(1), "", committables);
        }
        for (int row = PublicationLog.BATCH + 3; row < committables.size(); row++) {
            Files.move(
                    directory.resolve(file(row).target()),
                    directory.resolve(file(row).staged()));
        }
        dropProgressBeyond(PublicationLog.BATCH);

        try (FileCommitter committer = of(store)) {
            assertThat(committer.isCommitted(tag(1), "")).isEqualTo(new Presence.Committed("a"));
        }

        assertThat(read()).hasSize(committables.size());
    }

    private void dropProgressBeyond(int files) throws IOException {
        Path epochs = directory.resolve("_cairn/" + store + "/epochs");
        List<Path> progress;
        try (Stream<Path> all = Files.list(epochs)) {
            progress =
                    all.filter(path -> path.toString().contains(".published-")).toList();
        }
        for (Path path : progress) {
            String name = path.toString();
            if (Integer.parseInt(name.substring(name.lastIndexOf('-') + 1)) > files) {
                Files.delete(path);
            }
        }
    }

    @Test
    void fileThatIsNeitherStagedNorPublishedIsNamedUnlessItsPublicationIsRecorded() throws Exception {
        try (FileCommitter committer = of(store)) {
            committer.commit(tag(1), "", List.of(write(1)));
            Files.delete(directory.resolve(file(1).target()));

            assertThat(committer.isCommitted(tag(1), "")).isEqualTo(new Presence.Committed("a"));

            dropProgressBeyond(0);
            assertThatThrownBy(() -> committer.isCommitted(tag(1), ""))
                    .isInstanceOf(OutputLostException.class)
                    .hasMessageContaining("row-1");
        }
    }

    @Test
    void fileOfAnotherLengthThanSealedCountsAsMissing() throws Exception {
        Committable committable = write(1);
        Files.writeString(directory.resolve(file(1).staged()), "ro");

        try (FileCommitter committer = of(store)) {
            assertThat(committer.missing(List.of(committable)))
                    .singleElement()
                    .asString()
                    .contains("row-1", "2 bytes instead of 4");
        }
    }

    @Test
    void nameThatLeadsOutOfTheTargetIsNeverTouched() {
        Committable outside =
                new Committable("file", 1, "{\"staged\":\"_cairn/../../x\",\"target\":\"row-1\",\"length\":1}");

        try (FileCommitter committer = of(store)) {
            assertThatThrownBy(() -> committer.commit(tag(1), "", List.of(outside)))
                    .isInstanceOf(StoreDamagedException.class);
        }
    }

    @Test
    void damagedPublicationRecordStopsTheCommitAndIsNamed() throws Exception {
        try (FileCommitter committer = of(store)) {
            committer.commit(tag(1), "", List.of(write(1)));
            Path record = directory.resolve("_cairn/" + store + "/epochs/00000000000000000001.json");
            Files.writeString(record, "{\"format\":1");

            assertThatThrownBy(() -> committer.isCommitted(tag(1), ""))
                    .isInstanceOf(StoreDamagedException.class)
                    .hasMessageContaining("00000000000000000001.json");
        }
    }

    @Test
    void epochOfAnotherStoreIsRefused() {
        try (FileCommitter committer = of(store)) {
            assertThatThrownBy(() -> committer.commit(new EpochTag("other", 1, "a", 0), "", List.of()))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
