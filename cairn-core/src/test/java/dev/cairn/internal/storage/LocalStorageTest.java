package dev.cairn.internal.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.cairn.ErrorCondition;
import dev.cairn.RefusedException;
import dev.cairn.storage.PendingObject;
import dev.cairn.storage.PendingObject.Publication;
import dev.cairn.storage.Storage;
import dev.cairn.storage.Storages;
import dev.cairn.store.CheckpointStoreContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalStorageTest extends CheckpointStoreContract {
    @TempDir
    Path directory;

    @Override
    protected Storage open() throws IOException {
        return LocalStorage.at("file:" + directory.resolve("store"));
    }

    private static Storage open(String location) {
        return Storages.open(location, new Configuration(false));
    }

    @Test
    void openingCreatesNothing() throws IOException {
        open().close();

        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void locationIsTheSameHoweverItIsWritten() throws IOException {
        Path real = Files.createDirectory(directory.toRealPath().resolve("real"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), real);
        String expected = "file:" + real + "/a/store";

        assertThat(open("file:" + real + "/a/store").location()).isEqualTo(expected);
        assertThat(open("file://" + real + "/a/store").location()).isEqualTo(expected);
        assertThat(open("FILE:" + real + "/a//store/").location()).isEqualTo(expected);
        assertThat(open(real + "/a/./store").location()).isEqualTo(expected);
        assertThat(open("file:" + link + "/a/store").location()).isEqualTo(expected);
        Files.createDirectories(real.resolve("a/store"));
        assertThat(open("file:" + link + "/a/store").location()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"with space", "50%25", "a#b", "a?b=c", "a+b", "ünïcödé-日本", "a:b", "a&b;c'd\"e", "{x}[y]"})
    void pathsAreTakenLiterally(String name) throws IOException {
        assumeTrue(!System.getProperty("sun.jnu.encoding", "").startsWith("ANSI"), "needs a UTF-8 locale");
        Path store = directory.toRealPath().resolve(name);
        try (Storage storage = open("file:" + store)) {
            PendingObject object = storage.create("log/a.json");
            object.stream().write(1);
            assertThat(object.publish()).isEqualTo(Publication.PUBLISHED);

            assertThat(storage.location()).isEqualTo("file:" + store);
            assertThat(store.resolve("log/a.json")).exists();
        }
    }

    @Test
    void pathWithoutSchemeIsResolvedAgainstTheDefaultFileSystem() {
        assertThat(open("target/x").location())
                .isEqualTo("file:" + Path.of("target/x").toAbsolutePath());

        Configuration hdfs = new Configuration(false);
        hdfs.set("fs.defaultFS", "hdfs://name:8020");
        assertThatThrownBy(() -> Storages.open("/x", hdfs)).hasMessageContaining("the scheme 'hdfs'");
        assertThatThrownBy(() -> Storages.open("x", hdfs)).hasMessageContaining("it is relative");
    }

    @Test
    void unknownSchemeIsRefusedWithTheOnesThatThereAre() {
        assertThatThrownBy(() -> open("gopher://host/x"))
                .isInstanceOfSatisfying(RefusedException.class, refused -> assertThat(refused.condition())
                        .isEqualTo(ErrorCondition.INVALID_STORE_LOCATION))
                .hasMessageContaining("no storage knows the scheme 'gopher'")
                .hasMessageContaining("Supported are: file");
    }

    @Test
    void fileInPlaceOfTheStoreIsRefused() throws IOException {
        Path file = Files.writeString(directory.toRealPath().resolve("file"), "x");

        assertThatThrownBy(() -> open("file:" + file))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("it is a file");
        assertThatThrownBy(() -> open("file:" + file + "/below/it"))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("'" + file + "' on the way to it is a file");
    }

    @Test
    void directoryThatIsNotWritableIsRefused() throws IOException {
        Path closed = Files.createDirectory(directory.resolve("closed"));
        assumeTrue(closed.toFile().setWritable(false) && !Files.isWritable(closed), "needs a user who is not root");

        assertThatThrownBy(() -> open("file:" + closed + "/store"))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("is not writable");
    }

    @Test
    void hostInTheLocationIsRefused() {
        assertThatThrownBy(() -> open("file://host/x"))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("names the host 'host'");
    }

    @Test
    void interruptedWriterNeverBelievesThatItPublished() throws IOException {
        try (Storage storage = open()) {
            PendingObject object = storage.create("log/a.json");
            object.stream().write(1);
            Thread.currentThread().interrupt();
            try {
                assertThatThrownBy(object::publish).isInstanceOf(IOException.class);
            } finally {
                assertThat(Thread.interrupted()).isTrue();
            }
            // Unknown to the writer; whatever is there is whole.
            assertThat(storage.readIfPresent("log/a.json").orElse(new byte[] {1}))
                    .isEqualTo(new byte[] {1});
            assertThat(storage.removeLeftovers("", java.time.Duration.ZERO)).isZero();
        }
    }

    @Test
    void foreignDirectoryMakesAPlaceNotEmpty() throws IOException {
        Files.createDirectories(directory.resolve("store/somebody"));

        try (Storage storage = open()) {
            assertThat(storage.isEmpty()).isFalse();
        }
    }
}
