package dev.cairn.spark;

import static org.apache.spark.sql.functions.*;

import org.apache.spark.sql.*;
import org.junit.jupiter.api.Test;

class FirstStepsTest extends SparkTest {
    @Test
    void smoke() throws Exception {
        spark.range(0, 100, 1, 5)
                .withColumn("name", concat(lit("k"), col("id")))
                .write()
                .parquet(path("in"));
        for (int i = 0; i < 2; i++) {
            Dataset<Row> in = checkpointed(spark.read().parquet(path("in")), "name");
            Dataset<Row> out = in.filter("id % 2 = 0").withColumn("x", col("id").plus(1));
            out.explain();
            out.write().mode("append").parquet(path("out"));
            System.err.println(files("store"));
            System.err.println(files("out"));
            System.err.println(output("out").size());
        }
        checkpointed(spark.read().parquet(path("in")), "name");
        System.err.println(
                new String(java.nio.file.Files.readAllBytes(directory.resolve("store/log/00000000000000000003.json"))));
    }
}
