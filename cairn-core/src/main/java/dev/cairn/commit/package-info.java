/** What a sink implements: {@link dev.cairn.commit.Committer}. */
package dev.cairn.commit;
