package dev.cairn.internal.file;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import dev.cairn.internal.file.KeyColumns.Page;
import dev.cairn.key.KeySchema;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.PositionOutputStream;
import org.apache.parquet.schema.MessageType;

/**
 * Writes keys as a Parquet file, one row group at a time, each column of it as one page. Holds no more than the
 * compressed form of one page. Writes to the stream it is given and never closes it: whether the object becomes visible
 * is decided by its owner.
 *
 * <p>Not thread-safe. After an exception the file is lost, and its object must be aborted.
 */
public final class KeysFileWriter {
    /** How much of a page is tried for whether compressing it pays. */
    private static final int SAMPLE = 32 << 10;
    /** Zstandard's "fast 1": finds repetitions and does not code single letters, so it is quick to see that there are none. */
    private static final int SAMPLE_LEVEL = -1;

    private static final int LEVEL = 1;

    private final MessageType schema;
    private final ChecksummedOutput out;
    private final ParquetFileWriter parquet;
    private long rows;
    private byte[] compressed = new byte[0];

    public KeysFileWriter(PositionOutputStream target, KeySchema keys) throws IOException {
        this.schema = FileFormat.parquetSchema(keys);
        this.out = new ChecksummedOutput(target);
        this.parquet = new ParquetFileWriter(
                out,
                schema,
                ParquetFileWriter.Mode.CREATE,
                KeyColumns.ROW_GROUP_BYTES,
                0,
                ParquetProperties.DEFAULT_COLUMN_INDEX_TRUNCATE_LENGTH,
                ParquetProperties.DEFAULT_STATISTICS_TRUNCATE_LENGTH,
                true);
        parquet.start();
    }

    /** Writes the rows as a row group and clears the columns. Does nothing without rows. */
    public void write(KeyColumns columns) throws IOException {
        if (columns.rows() == 0) {
            return;
        }
        parquet.startBlock(columns.rows());
        for (int i = 0; i < schema.getFieldCount(); i++) {
            Page page = columns.page(i);
            int length = compress(page);
            boolean pays = length > 0;
            parquet.startColumn(
                    schema.getColumns().get(i),
                    columns.rows(),
                    pays ? CompressionCodecName.ZSTD : CompressionCodecName.UNCOMPRESSED);
            // Without statistics and without a row count there are no page indexes: nothing reads a part of the keys,
            // and nothing of ours lies between the block and the footer.
            parquet.writeDataPage(
                    columns.rows(),
                    page.length(),
                    pays
                            ? BytesInput.from(compressed, 0, length)
                            : BytesInput.from(page.bytes(), page.offset(), page.length()),
                    null,
                    Encoding.RLE,
                    Encoding.RLE,
                    Encoding.PLAIN,
                    null,
                    null);
            parquet.endColumn();
        }
        parquet.endBlock();
        rows += columns.rows();
        columns.clear();
    }

    /** Rows written. */
    public long rows() {
        return rows;
    }

    /** Bytes written. */
    public long bytes() throws IOException {
        return out.getPos();
    }

    /** Completes a file of keys that is no checkpoint. Publishing it is the caller's. */
    public void finish() throws IOException {
        finish(null, Map.of());
    }

    /**
     * Completes the file.
     *
     * @param block to put before the footer; may be null
     * @param metadata to put into the footer
     */
    void finish(byte[] block, Map<String, String> metadata) throws IOException {
        Map<String, String> entries = new LinkedHashMap<>(metadata);
        entries.put(FileFormat.KEYS_CRC, out.checksum());
        entries.put(FileFormat.FOOTER_CRC, FileFormat.NO_CRC);
        if (block != null) {
            entries.put(FileFormat.BLOCK_OFFSET, Long.toString(out.getPos()));
            entries.put(FileFormat.BLOCK_LENGTH, Integer.toString(block.length));
            entries.put(FileFormat.BLOCK_CRC, FileFormat.hex(block, 0, block.length));
            out.write(block, 0, block.length);
        }
        out.beginFooter();
        parquet.end(entries);
        out.endFooter();
    }

    /**
     * Compresses a page if that pays. Random keys do not repeat, and coding their letters would cost more than all the
     * rest of staging; keys that count upwards shrink to a few percent at next to no cost. So a sample decides.
     *
     * @return length of the compressed form, or 0 to store the page as it is
     */
    private int compress(Page page) throws IOException {
        int sample = Math.min(page.length(), SAMPLE);
        if (compress(page, sample, SAMPLE_LEVEL) > sample * 3L / 4) {
            return 0;
        }
        int length = compress(page, page.length(), LEVEL);
        return length < page.length() ? length : 0;
    }

    private int compress(Page page, int count, int level) throws IOException {
        int bound = Math.toIntExact(Zstd.compressBound(count));
        if (compressed.length < bound) {
            compressed = new byte[bound];
        }
        try {
            long length =
                    Zstd.compressByteArray(compressed, 0, compressed.length, page.bytes(), page.offset(), count, level);
            if (Zstd.isError(length)) {
                throw new IOException("compressing keys failed: " + Zstd.getErrorName(length));
            }
            return (int) length;
        } catch (ZstdException e) {
            throw new IOException("compressing keys failed", e);
        }
    }
}
