package dev.cairn.commit;

import static java.util.Objects.requireNonNull;

/** What the catalog says about an epoch. */
public sealed interface Presence {
    /**
     * The epoch is committed, durably.
     *
     * @param nonce of the intent that won
     */
    record Committed(String nonce) implements Presence {
        public Committed {
            requireNonNull(nonce, "nonce");
        }
    }

    /** Proven absent: the whole history since the base was seen, and the epoch is not in it under any nonce. */
    record Absent() implements Presence {}

    /**
     * Neither can be proven; the history was expired or rolled back.
     *
     * @param reason for people
     */
    record Unprovable(String reason) implements Presence {
        public Unprovable {
            requireNonNull(reason, "reason");
        }
    }
}
