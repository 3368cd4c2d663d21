/**
 * Cairn's errors. The vocabulary lives in {@link dev.cairn.store}, the protocol in {@link dev.cairn.run}, what a sink
 * implements in {@link dev.cairn.commit}, what a file system implements in {@link dev.cairn.storage}.
 */
package dev.cairn;
