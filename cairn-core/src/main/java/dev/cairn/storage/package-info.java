/** What a file system implements: {@link dev.cairn.storage.StorageProvider}. */
package dev.cairn.storage;
