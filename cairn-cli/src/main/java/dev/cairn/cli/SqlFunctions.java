package dev.cairn.cli;

import org.apache.spark.sql.SparkSession;

/**
 * Functions that a jar brings to the SQL scripts of {@code cairn run}.
 *
 * <p>Found by {@link java.util.ServiceLoader}: name the implementation in
 * {@code META-INF/services/dev.cairn.cli.SqlFunctions}.
 */
public interface SqlFunctions {
    /** Called once, before the script's first statement. */
    void register(SparkSession spark);
}
