package dev.cairn.internal.log;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * The content of {@code heartbeat}: the one object that is overwritten. Advisory: nothing that is read here decides
 * what counts, only whether a head starts at once, waits, or refuses to.
 *
 * @param run whose head lives
 * @param nonce of that run
 * @param counter changes with every beat; watchers compare it with what they saw before, never with a clock
 * @param process of the head, where it can be told apart from every other process
 */
public record Beat(long run, String nonce, long counter, Optional<ProcessMark> process) {
    public Beat {
        requireNonNull(nonce, "nonce");
        requireNonNull(process, "process");
    }

    public byte[] encode() {
        ObjectNode json = JsonDocument.newObject();
        json.put("run", run);
        json.put("nonce", nonce);
        json.put("counter", counter);
        process.ifPresent(mark -> json.putObject("process")
                .put("pid", mark.pid())
                .put("startTicks", mark.startTicks())
                .put("bootId", mark.bootId())
                .put("pidNamespace", mark.pidNamespace()));
        return JsonDocument.encode(json);
    }

    /**
     * @param name of the object, with the store's location, for messages
     * @throws dev.cairn.StoreDamagedException if it cannot be read
     */
    public static Beat decode(String name, byte[] content) {
        JsonDocument json = JsonDocument.parse(name, content);
        return new Beat(
                json.integer("run"),
                json.text("nonce"),
                json.integer("counter"),
                json.optionalPart("process")
                        .map(process -> new ProcessMark(
                                process.integer("pid"),
                                process.integer("startTicks"),
                                process.text("bootId"),
                                process.text("pidNamespace"))));
    }
}
