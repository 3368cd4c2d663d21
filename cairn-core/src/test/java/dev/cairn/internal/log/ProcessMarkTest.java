package dev.cairn.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessMarkTest {
    @TempDir
    Path proc;

    private ProcessMark mark;

    @BeforeEach
    void machineWithOneHead() throws IOException {
        boot("boot-1");
        Files.createDirectories(proc.resolve("self/ns"));
        Files.createSymbolicLink(proc.resolve("self/ns/pid"), Path.of("pid:[4026531836]"));
        process(1, "init", 5);
        process(17, "java (the) head", 900);
        mark = ProcessMark.current(proc, 17).orElseThrow();
    }

    private void boot(String id) throws IOException {
        Files.createDirectories(proc.resolve("sys/kernel/random"));
        Files.writeString(proc.resolve("sys/kernel/random/boot_id"), id + "\n");
    }

    private void process(long pid, String name, long startTicks) throws IOException {
        Files.createDirectories(proc.resolve(Long.toString(pid)));
        Files.writeString(
                proc.resolve(pid + "/stat"),
                pid + " (" + name + ") S 1 1 1 0 -1 4194560 1 1 1 1 1 1 1 1 20 0 1 0 " + startTicks + " 1 1 1");
    }

    private void kill(long pid) throws IOException {
        Files.delete(proc.resolve(pid + "/stat"));
    }

    @Test
    void tellsWhenTheProcessStarted() {
        assertThat(mark).isEqualTo(new ProcessMark(17, 900, "boot-1", "pid:[4026531836]"));
    }

    @Test
    void livingProcessIsNotGone() {
        assertThat(mark.isGone(proc)).isFalse();
    }

    @Test
    void killedProcessIsGone() throws IOException {
        kill(17);
        assertThat(mark.isGone(proc)).isTrue();
    }

    @Test
    void laterProcessWithTheSameIdDoesNotHideThatItIsGone() throws IOException {
        process(17, "other", 901);
        assertThat(mark.isGone(proc)).isTrue();
    }

    @Test
    void nothingIsKnownAfterABootOrElsewhere() throws IOException {
        kill(17);
        boot("boot-2");
        assertThat(mark.isGone(proc)).isFalse();
    }

    @Test
    void nothingIsKnownFromAnotherContainer() throws IOException {
        kill(17);
        Files.delete(proc.resolve("self/ns/pid"));
        Files.createSymbolicLink(proc.resolve("self/ns/pid"), Path.of("pid:[7]"));
        assertThat(mark.isGone(proc)).isFalse();
    }

    @Test
    void nothingIsKnownWhereProcessesOfOthersAreHidden() throws IOException {
        kill(17);
        kill(1);
        assertThat(mark.isGone(proc)).isFalse();
    }

    @Test
    void nothingIsKnownWithoutProc() {
        assertThat(ProcessMark.current(proc.resolve("absent"), 17)).isEmpty();
        assertThat(mark.isGone(proc.resolve("absent"))).isFalse();
    }
}
