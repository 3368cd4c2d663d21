package dev.cairn.examples.codesearch;

import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import dev.langchain4j.model.embedding.onnx.AbstractInProcessEmbeddingModel;
import dev.langchain4j.model.embedding.onnx.OnnxBertBiEncoder;
import dev.langchain4j.model.embedding.onnx.PoolingMode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * The model all-MiniLM-L6-v2, which maps texts of like meaning to like directions in 384 dimensions. It comes as a
 * jar and runs on the CPU, offline. Thread-safe.
 */
final class SentenceModel extends AbstractInProcessEmbeddingModel {
    private static final String MODEL = "/all-minilm-l6-v2-q.onnx";
    private static final String TOKENIZER = "/all-minilm-l6-v2-q-tokenizer.json";

    private final OnnxBertBiEncoder encoder;

    private SentenceModel(OnnxBertBiEncoder encoder) {
        super(Runnable::run);
        this.encoder = encoder;
    }

    /** One for all tasks of this JVM, loaded when the first of them needs it. */
    static SentenceModel instance() {
        return Holder.INSTANCE;
    }

    float[] embedText(String text) {
        return embed(text).content().vector();
    }

    @Override
    protected OnnxBertBiEncoder model() {
        return encoder;
    }

    private static SentenceModel load() {
        try (InputStream model = SentenceModel.class.getResourceAsStream(MODEL);
                InputStream tokenizer = SentenceModel.class.getResourceAsStream(TOKENIZER)) {
            OrtEnvironment environment = OrtEnvironment.getEnvironment();
            OrtSession.SessionOptions options = new OrtSession.SessionOptions();
            // Spark already keeps every core busy with a task of its own.
            options.setIntraOpNumThreads(1);
            options.setInterOpNumThreads(1);
            OrtSession session = environment.createSession(model.readAllBytes(), options);
            return new SentenceModel(new OnnxBertBiEncoder(environment, session, tokenizer, PoolingMode.MEAN));
        } catch (OrtException e) {
            throw new IllegalStateException("The sentence model cannot be loaded: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Holder {
        static final SentenceModel INSTANCE = load();
    }
}
