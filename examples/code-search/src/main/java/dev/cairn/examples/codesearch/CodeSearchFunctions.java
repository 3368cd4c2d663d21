package dev.cairn.examples.codesearch;

import static org.apache.spark.sql.types.DataTypes.BooleanType;
import static org.apache.spark.sql.types.DataTypes.DoubleType;
import static org.apache.spark.sql.types.DataTypes.FloatType;
import static org.apache.spark.sql.types.DataTypes.IntegerType;
import static org.apache.spark.sql.types.DataTypes.StringType;

import dev.cairn.cli.SqlFunctions;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.api.java.UDF2;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import scala.collection.Seq;

/** What the scripts of this example call. */
public final class CodeSearchFunctions implements SqlFunctions {
    private static final DataType VECTOR = DataTypes.createArrayType(FloatType, false);
    private static final DataType CHUNKS = DataTypes.createArrayType(
            DataTypes.createStructType(List.of(
                    DataTypes.createStructField("chunk", IntegerType, false),
                    DataTypes.createStructField("first_line", IntegerType, false),
                    DataTypes.createStructField("text", StringType, false))),
            false);

    @Override
    public void register(SparkSession spark) {
        spark.udf().register("chunks", (UDF1<String, List<Row>>) CodeSearchFunctions::chunks, CHUNKS);
        spark.udf()
                .register(
                        "worth_keeping",
                        (UDF1<String, Boolean>) text -> text != null && Chunk.isWorthKeeping(text),
                        BooleanType);
        spark.udf().register("embed", (UDF1<String, float[]>) CodeSearchFunctions::embed, VECTOR);
        spark.udf().register("cosine", (UDF2<Seq<Float>, Seq<Float>, Double>) CodeSearchFunctions::cosine, DoubleType);
    }

    private static List<Row> chunks(String text) {
        return text == null
                ? null
                : Chunk.of(text).stream()
                        .map(chunk -> RowFactory.create(chunk.number(), chunk.firstLine(), chunk.text()))
                        .toList();
    }

    private static float[] embed(String text) {
        return text == null ? null : SentenceModel.instance().embedText(text);
    }

    /** From -1 to 1: how alike two directions are. */
    static Double cosine(Seq<Float> left, Seq<Float> right) {
        if (left == null || right == null) {
            return null;
        }
        if (left.length() != right.length()) {
            throw new IllegalArgumentException("cosine compares vectors of one length, not of " + left.length()
                    + " and " + right.length() + ": embed both with the same model");
        }
        double product = 0;
        double leftSquare = 0;
        double rightSquare = 0;
        for (int i = 0; i < left.length(); i++) {
            float a = left.apply(i);
            float b = right.apply(i);
            product += a * b;
            leftSquare += a * a;
            rightSquare += b * b;
        }
        return leftSquare == 0 || rightSquare == 0 ? 0 : product / Math.sqrt(leftSquare * rightSquare);
    }
}
