package dev.cairn.examples.codesearch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ChunkTest {
    @Test
    void aShortFileIsOneChunk() {
        assertThat(Chunk.of("a\nb\n")).containsExactly(new Chunk(0, 1, "a\nb"));
    }

    @Test
    void anEmptyFileHasNone() {
        assertThat(Chunk.of("")).isEmpty();
        assertThat(Chunk.of("\n\n  \n")).isEmpty();
    }

    @Test
    void aLongFileIsCutAtABlankLine() {
        String text = lines(1, 30) + "\n\n" + lines(32, 60);

        List<Chunk> chunks = Chunk.of(text);

        assertThat(chunks).extracting(Chunk::firstLine).containsExactly(1, 32);
        assertThat(chunks).extracting(Chunk::number).containsExactly(0, 1);
    }

    @Test
    void withoutABlankLineItIsCutWhenTheChunkIsFull() {
        assertThat(Chunk.of(lines(1, 100))).extracting(Chunk::firstLine).containsExactly(1, 41, 81);
    }

    @Test
    void noLineIsLostOrDoubled() {
        String text = lines(1, 25) + "\n\n" + lines(27, 90) + "\n\n" + lines(92, 130);

        String joined = Chunk.of(text).stream().map(Chunk::text).collect(Collectors.joining("\n"));

        assertThat(joined).isEqualTo(text);
    }

    @Test
    void licencesImportsAndRemainsAreNotWorthKeeping() {
        assertThat(Chunk.isWorthKeeping("/*\n * Licensed to you\n * under the terms of\n * some licence\n */\n"))
                .isFalse();
        assertThat(Chunk.isWorthKeeping("package a.b;\n\nimport c.D;\nimport c.E;\nimport c.F;\nimport c.G;"))
                .isFalse();
        assertThat(Chunk.isWorthKeeping("    return x;\n    }\n  }\n}\n")).isFalse();
    }

    @Test
    void codeIsWorthKeeping() {
        assertThat(Chunk.isWorthKeeping("int add(int a, int b) {\n  int sum = a + b;\n  log(sum);\n  return sum;\n}"))
                .isTrue();
    }

    private static String lines(int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(i -> "line " + i).collect(Collectors.joining("\n"));
    }
}
