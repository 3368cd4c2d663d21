package dev.cairn.store;

import static java.util.Objects.requireNonNull;

/**
 * Who wrote an object of the store.
 *
 * @param application name and id of the application, for example {@code embed-docs (local-1764556000000)}
 * @param host on which it runs
 * @param user under which it runs
 * @param nonce random, drawn per writing process and run; tells a writer its own objects from another's
 */
public record Writer(String application, String host, String user, String nonce) {
    public Writer {
        requireNonNull(application, "application");
        requireNonNull(host, "host");
        requireNonNull(user, "user");
        requireNonNull(nonce, "nonce");
    }

    /** For messages: {@code embed-docs (local-1) on host worker-7, user ada}. */
    public String describe() {
        return application + " on host " + host + ", user " + user;
    }
}
