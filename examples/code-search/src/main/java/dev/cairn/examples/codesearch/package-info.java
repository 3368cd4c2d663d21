/** Functions for {@code pipeline.sql} and {@code search.sql}. */
package dev.cairn.examples.codesearch;
