package dev.cairn.examples.codesearch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;

class SentenceModelTest {
    private static final String RETRY =
            "for (int attempt = 1; attempt <= max; attempt++) { try { return send(request); }"
                    + " catch (IOException e) { sleep(backoff(attempt)); } }";
    private static final String SORT =
            "int partition(int[] a, int lo, int hi) { int pivot = a[hi]; swap(a, i, j); return i; }";

    @Test
    void aQuestionIsNearerToCodeThatAnswersIt() {
        Seq<Float> question = embed("how is a failed request retried?");

        assertThat(CodeSearchFunctions.cosine(question, embed(RETRY)))
                .isGreaterThan(CodeSearchFunctions.cosine(question, embed(SORT)) + 0.1);
    }

    @Test
    void oneTextHasOneVector() {
        assertThat(SentenceModel.instance().embedText(RETRY))
                .hasSize(384)
                .isEqualTo(SentenceModel.instance().embedText(RETRY));
    }

    @Test
    void aTextIsMostLikeItself() {
        assertThat(CodeSearchFunctions.cosine(embed(SORT), embed(SORT))).isBetween(0.999, 1.001);
    }

    @Test
    void vectorsOfDifferentModelsAreNotCompared() {
        assertThatThrownBy(() -> CodeSearchFunctions.cosine(vector(1f), vector(1f, 2f)))
                .hasMessageContaining("not of 1 and 2");
    }

    private static Seq<Float> embed(String text) {
        return vector(SentenceModel.instance().embedText(text));
    }

    private static Seq<Float> vector(float... values) {
        List<Float> list = new ArrayList<>();
        for (float value : values) {
            list.add(value);
        }
        return CollectionConverters.asScala(list).toSeq();
    }
}
