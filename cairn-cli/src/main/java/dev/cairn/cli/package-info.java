/** The command line. {@link dev.cairn.cli.SqlFunctions} is the only type meant for others. */
package dev.cairn.cli;
