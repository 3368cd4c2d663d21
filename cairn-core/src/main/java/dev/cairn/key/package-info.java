/** Keys: their {@link dev.cairn.key.KeySchema types}, and the {@link dev.cairn.key.KeyFilter set of sealed ones}. */
package dev.cairn.key;
