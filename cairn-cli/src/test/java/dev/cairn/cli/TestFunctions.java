package dev.cairn.cli;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;

/** As a jar would bring them. */
public final class TestFunctions implements SqlFunctions {
    @Override
    public void register(SparkSession spark) {
        spark.udf()
                .register(
                        "fail_on_three",
                        (UDF1<Long, Long>) value -> {
                            if (value == 3) {
                                throw new IllegalStateException("three is one too many");
                            }
                            return value;
                        },
                        DataTypes.LongType);
    }
}
