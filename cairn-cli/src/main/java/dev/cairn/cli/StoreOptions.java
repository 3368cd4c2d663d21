package dev.cairn.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.cairn.store.CheckpointStore;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What the commands that look into a store have in common. They read and never write. */
final class StoreOptions {
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    @Parameters(index = "0", paramLabel = "STORE", description = "Location of the store: a path or a URI.")
    private String location;

    @Option(
            names = "--conf",
            paramLabel = "K=V",
            description = "Hadoop setting, such as fs.s3a.endpoint=…; may be repeated.")
    private Map<String, String> settings = Map.of();

    @Option(names = "--json", description = "Print JSON for programs. Fields are added, never renamed.")
    private boolean json;

    @SuppressWarnings("UnusedVariable") // Main asks the parser, since errors may come before this is set
    @Option(names = "--verbose", description = "Show stack traces of errors.")
    private boolean verbose;

    CheckpointStore open() {
        Configuration configuration = new Configuration();
        // Settings may be spelled as for Spark, so that one --conf serves every command.
        settings.forEach((name, value) -> configuration.set(name.replaceFirst("^spark\\.hadoop\\.", ""), value));
        return CheckpointStore.open(location, configuration);
    }

    boolean isJson() {
        return json;
    }

    static String toJson(Object document) {
        try {
            return JSON.writeValueAsString(document);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("maps, lists and texts are JSON", e);
        }
    }
}
