package dev.cairn.commit;

import static java.util.Objects.requireNonNull;

/** What became of a commit. */
public sealed interface CommitOutcome {
    /**
     * The epoch is in the catalog, durably, by this call or an earlier one.
     *
     * @param nonce of the intent that won; another than the one asked for means that this call changed nothing
     */
    record Committed(String nonce) implements CommitOutcome {
        public Committed {
            requireNonNull(nonce, "nonce");
        }
    }

    /**
     * Nothing was changed, and it is certain.
     *
     * @param reason for people: problem and cause
     */
    record NotCommitted(String reason) implements CommitOutcome {
        public NotCommitted {
            requireNonNull(reason, "reason");
        }
    }

    /**
     * It cannot be told. The caller deletes nothing and asks {@link Committer#isCommitted} later.
     *
     * @param reason for people
     * @param cause what happened, or null
     */
    record Unknown(String reason, Throwable cause) implements CommitOutcome {
        public Unknown {
            requireNonNull(reason, "reason");
        }
    }
}
