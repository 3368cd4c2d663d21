/** Storages that come with Cairn's core. */
package dev.cairn.internal.storage;
