/** The files of a checkpoint store that hold keys; see {@code docs/store-format.md}. Not an API. */
package dev.cairn.internal.file;
