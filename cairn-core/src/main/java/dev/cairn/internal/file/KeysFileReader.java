package dev.cairn.internal.file;

import static dev.cairn.internal.file.KeysFooter.check;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import dev.cairn.internal.key.KeyEncoder;
import dev.cairn.key.KeySchema;
import dev.cairn.key.KeyType;
import dev.cairn.store.Checkpoint;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.Sealing;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.Util;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.SeekableInputStream;

/**
 * A cursor over the keys of a file, in the order in which they were written. Makes no object per key: values are seen in
 * the page's own buffer. Reads only files that {@link KeysFileWriter} wrote, and reads them strictly.
 *
 * <p>Page checksums are verified before a page's keys are seen, everything else at the end of the file at the latest: a
 * caller acts on what it read only once {@link #next()} has returned false.
 *
 * <p>Memory: one row group, packed and unpacked. Not thread-safe.
 */
public final class KeysFileReader implements AutoCloseable {
    private static final byte[] NO_LISTS = "{\"committables\":[],\"ranges\":[]}".getBytes(StandardCharsets.US_ASCII);

    private final String object;
    private final KeySchema keys;
    private final SeekableInputStream in;
    private final KeysFooter footer;
    private final Iterator<RowGroup> groups;
    private final Column[] columns;
    private final CRC32C crc = new CRC32C();
    private byte[] packed = new byte[0];
    private long position;
    private long rowsSeen;
    private int groupRows;
    private int row;

    private KeysFileReader(String object, KeySchema keys, SeekableInputStream in, long length) throws IOException {
        this.object = object;
        this.keys = keys;
        this.in = in;
        this.footer = KeysFooter.read(in, length, false);
        this.columns = new Column[keys.size()];
        for (int i = 0; i < columns.length; i++) {
            columns[i] = new Column(!keys.type(i).isNumber());
        }
        this.groups = footer.parquet().getRow_groups().iterator();
    }

    /**
     * Opens a file of keys that is no checkpoint.
     *
     * @param object name, for messages
     * @throws dev.cairn.StoreDamagedException if the object is missing, or its footer is damaged or has other columns
     * @throws dev.cairn.StoreAccessException if the storage did not answer
     */
    public static KeysFileReader open(InputFile file, String object, KeySchema keys) {
        return open(file, object, keys, null, null);
    }

    /** Opens a checkpoint's file, which must say that it is the checkpoint that its name says; else as {@link #open}. */
    public static KeysFileReader openCheckpoint(InputFile file, KeySchema keys, CheckpointId id, Sealing sealing) {
        return open(file, FileFormat.name(id, sealing), keys, id, sealing);
    }

    private static KeysFileReader open(
            InputFile file, String object, KeySchema keys, CheckpointId id, Sealing sealing) {
        SeekableInputStream in = null;
        boolean opened = false;
        try {
            in = file.newStream();
            KeysFileReader reader = new KeysFileReader(object, keys, in, file.getLength());
            if (id != null) {
                // Before the schema: a file of a newer format is called that, not damaged.
                Checkpoint said =
                        CheckpointJson.read(object, id, sealing, reader.footer.entry(FileFormat.CHECKPOINT), NO_LISTS);
                check(
                        said.rowsAdmitted() == reader.rows(),
                        "it holds " + reader.rows() + " keys, but says it admitted " + said.rowsAdmitted() + " rows");
            }
            reader.footer.checkSchema(keys);
            reader.begin();
            opened = true;
            return reader;
        } catch (IOException | ZstdException | IndexOutOfBoundsException | ArithmeticException e) {
            throw translate(object, e);
        } finally {
            if (!opened && in != null) {
                closeQuietly(in);
            }
        }
    }

    /** Number of keys in the file. */
    public long rows() {
        return footer.parquet().getNum_rows();
    }

    public KeySchema schema() {
        return keys;
    }

    /**
     * Moves to the next key.
     *
     * @return whether there is one; once this returned false the whole file has been verified
     * @throws dev.cairn.StoreDamagedException if the file is damaged
     * @throws dev.cairn.StoreAccessException if the storage did not answer
     */
    public boolean next() {
        try {
            while (row == groupRows) {
                if (!groups.hasNext()) {
                    end();
                    return false;
                }
                readGroup(groups.next());
            }
            for (Column column : columns) {
                column.advance(row);
            }
            row++;
            if (row == groupRows) {
                for (Column column : columns) {
                    check(column.next == column.end, "a page is longer than its keys");
                }
            }
            return true;
        } catch (IOException | RuntimeException e) {
            throw translate(object, e);
        }
    }

    public boolean isNull(int column) {
        return columns[column].isNull;
    }

    /** Value of a column of numbers that is not null. */
    public long longValue(int column) {
        Column from = columns[column];
        return (long) KeyColumns.LONG.get(from.page, from.value);
    }

    /** Holds the bytes of the value of a column of bytes; valid until the next call of {@link #next()}. */
    public byte[] buffer(int column) {
        return columns[column].page;
    }

    /** Where the value of a column of bytes begins in its buffer. */
    public int offset(int column) {
        return columns[column].value;
    }

    /** Length of the value of a column of bytes in bytes. */
    public int length(int column) {
        return columns[column].length;
    }

    /** Gives the key to an encoder, which holds it until the next call of {@link #next()}. */
    public void encode(KeyEncoder encoder) {
        if (columns.length == 1 && columns[0].bytes && !columns[0].isNull) {
            // Overwrites the length in the page, which has been read.
            encoder.encodeInPlace(columns[0].page, columns[0].value, columns[0].length);
            return;
        }
        encoder.reset();
        for (Column column : columns) {
            if (column.isNull) {
                encoder.addNull();
            } else if (column.bytes) {
                encoder.addBytes(column.page, column.value, column.length);
            } else {
                encoder.addLong((long) KeyColumns.LONG.get(column.page, column.value));
            }
        }
    }

    /** For people: the key's values, as {@link KeyType#valueFrom} gives them, or null, in an unmodifiable list. */
    public List<Object> values() {
        List<Object> values = new ArrayList<>(columns.length);
        for (int i = 0; i < columns.length; i++) {
            KeyType type = keys.type(i);
            if (isNull(i)) {
                values.add(null);
            } else if (type.isNumber()) {
                values.add(type.valueFrom(longValue(i)));
            } else {
                values.add(type.valueFrom(buffer(i), offset(i), length(i)));
            }
        }
        return Collections.unmodifiableList(values);
    }

    @Override
    public void close() {
        closeQuietly(in);
    }

    private void begin() throws IOException {
        in.seek(0);
        byte[] magic = readPacked(FileFormat.MAGIC.length);
        for (int i = 0; i < FileFormat.MAGIC.length; i++) {
            check(magic[i] == FileFormat.MAGIC[i], "it does not begin as a Parquet file does");
        }
    }

    private void end() throws IOException {
        check(position == footer.keysEnd(), "its row groups end at " + position + ", not at " + footer.keysEnd());
        check(rowsSeen == rows(), "its row groups hold " + rowsSeen + " keys, its footer says " + rows());
        check(FileFormat.hex(crc).equals(footer.entry(FileFormat.KEYS_CRC)), "the checksum of its keys is wrong");
    }

    private void readGroup(RowGroup group) throws IOException {
        long rows = group.getNum_rows();
        check(rows > 0 && rows <= Integer.MAX_VALUE, "a row group has " + rows + " rows");
        check(group.getColumnsSize() == columns.length, "a row group has " + group.getColumnsSize() + " columns");
        for (int i = 0; i < columns.length; i++) {
            readColumn(columns[i], group.getColumns().get(i).getMeta_data(), (int) rows);
        }
        groupRows = (int) rows;
        row = 0;
        rowsSeen += rows;
    }

    private void readColumn(Column column, ColumnMetaData meta, int rows) throws IOException {
        check(
                meta.getData_page_offset() == position
                        && meta.getTotal_compressed_size() > 0
                        && meta.getTotal_compressed_size() <= footer.keysEnd() - position,
                "a column lies at " + meta.getData_page_offset() + " and not at " + position);
        int chunk = Math.toIntExact(meta.getTotal_compressed_size());
        byte[] bytes = readPacked(chunk);
        ByteArrayInputStream stream = new ByteArrayInputStream(bytes, 0, chunk);
        PageHeader header;
        try {
            header = Util.readPageHeader(stream);
        } catch (IOException e) {
            throw new KeysFooter.DamageException("a page's header cannot be read: " + e.getMessage(), e);
        }
        int start = chunk - stream.available();
        check(
                header.getType() == PageType.DATA_PAGE
                        && header.isSetData_page_header()
                        && header.getData_page_header().getNum_values() == rows
                        && header.getData_page_header().getEncoding() == Encoding.PLAIN
                        && header.getData_page_header().getDefinition_level_encoding() == Encoding.RLE
                        && header.isSetCrc(),
                "a page is not laid out as Cairn does it");
        int packedLength = header.getCompressed_page_size();
        // Sizes are taken from the header only where the footer, whose checksum was right, agrees: no wrong bit can
        // make this allocate without bound.
        check(
                packedLength == chunk - start
                        && header.getUncompressed_page_size() == meta.getTotal_uncompressed_size() - start,
                "a page's size differs from what the footer says");
        CRC32 pageCrc = new CRC32();
        pageCrc.update(bytes, start, packedLength);
        check((int) pageCrc.getValue() == header.getCrc(), "the checksum of a page is wrong");
        int length = header.getUncompressed_page_size();
        column.ensure(length);
        if (meta.getCodec() == CompressionCodec.ZSTD) {
            long unpacked = Zstd.decompressByteArray(column.page, 0, length, bytes, start, packedLength);
            check(!Zstd.isError(unpacked) && unpacked == length, "a page cannot be decompressed");
        } else {
            check(
                    meta.getCodec() == CompressionCodec.UNCOMPRESSED && packedLength == length,
                    "a page is compressed by " + meta.getCodec());
            System.arraycopy(bytes, start, column.page, 0, length);
        }
        column.begin(rows, length);
    }

    /** The next bytes of the file, from index 0 of a buffer that is used again. */
    private byte[] readPacked(int length) throws IOException {
        if (packed.length < length) {
            packed = new byte[length];
        }
        in.readFully(packed, 0, length);
        crc.update(packed, 0, length);
        position += length;
        return packed;
    }

    private static RuntimeException translate(String object, Exception e) {
        if (e instanceof NoSuchFileException || e instanceof FileNotFoundException) {
            return FileFormat.missing(object, e);
        }
        if (e instanceof KeysFooter.DamageException) {
            return FileFormat.damaged(object, e.getMessage(), e);
        }
        if (e instanceof EOFException) {
            return FileFormat.damaged(object, "it ends before its footer says", e);
        }
        if (e instanceof IOException io) {
            return FileFormat.notRead(object, io);
        }
        if (e instanceof dev.cairn.CairnException cairn) {
            return cairn;
        }
        return FileFormat.damaged(object, "its pages cannot be read: " + e, e);
    }

    private static void closeQuietly(SeekableInputStream in) {
        try {
            in.close();
        } catch (IOException e) {
            // Everything that was asked for has been read and verified, or another error is under way.
        }
    }

    /** A column's page of the current row group and where the cursor is in it. */
    private static final class Column {
        /** Whether values are bytes; otherwise numbers. */
        private final boolean bytes;

        private byte[] page = new byte[0];
        private int end;
        private int next;
        /** Where the bit-packed definition levels begin; 0 if no row is null. */
        private int levels;

        private boolean isNull;
        private int value;
        private int length;

        Column(boolean bytes) {
            this.bytes = bytes;
        }

        void ensure(int size) {
            if (page.length < size) {
                page = new byte[size];
            }
        }

        void begin(int rows, int size) throws IOException {
            check(size > Integer.BYTES, "a page is too short");
            int levelBytes = (int) KeyColumns.INT.get(page, 0);
            check(levelBytes > 0 && levelBytes <= size - Integer.BYTES, "a page's levels do not fit it");
            int at = Integer.BYTES;
            int header = 0;
            for (int shift = 0; ; shift += 7) {
                check(shift < 35 && at < Integer.BYTES + levelBytes, "a page's levels have no end");
                byte b = page[at++];
                header |= (b & 0x7F) << shift;
                if (b >= 0) {
                    break;
                }
            }
            next = Integer.BYTES + levelBytes;
            end = size;
            if ((header & 1) == 0) {
                check(header >>> 1 == rows && at + 1 == next && page[at] == 1, "a page's levels are wrong");
                levels = 0;
            } else {
                int groups = (rows + 7) >>> 3;
                check(header >>> 1 == groups && at + groups == next, "a page's levels are wrong");
                levels = at;
            }
        }

        void advance(int row) throws IOException {
            isNull = levels != 0 && (page[levels + (row >>> 3)] >>> (row & 7) & 1) == 0;
            if (isNull) {
                return;
            }
            if (bytes) {
                check(end - next >= Integer.BYTES, "a page ends within a key");
                length = (int) KeyColumns.INT.get(page, next);
                value = next + Integer.BYTES;
                check(length >= 0 && length <= end - value, "a page ends within a key");
                next = value + length;
            } else {
                check(end - next >= Long.BYTES, "a page ends within a key");
                value = next;
                next += Long.BYTES;
            }
        }
    }
}
