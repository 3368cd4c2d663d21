/** Benchmarks of whole jobs. */
package dev.cairn.bench;
