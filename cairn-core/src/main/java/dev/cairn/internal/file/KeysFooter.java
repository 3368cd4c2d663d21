package dev.cairn.internal.file;

import dev.cairn.key.KeySchema;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.KeyValue;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Type;
import org.apache.parquet.format.Util;
import org.apache.parquet.io.SeekableInputStream;

/**
 * The verified footer of a key file. Its checksum was right, so what it says is what was written.
 *
 * @param parquet what Parquet says
 * @param entries its key-value metadata
 * @param keysEnd offset of the first byte after the row groups
 * @param block committables and ranges, verified; null in key files that are no checkpoint
 */
record KeysFooter(FileMetaData parquet, Map<String, String> entries, long keysEnd, byte[] block) {
    /** How much of the file's end is fetched at once: in most files this holds footer and block. */
    private static final int GUESS = 64 << 10;

    /** Something about the bytes is wrong. Its message is the cause, as a clause. */
    static final class DamageException extends IOException {
        private static final long serialVersionUID = 1L;

        DamageException(String cause) {
            super(cause);
        }

        DamageException(String cause, Exception exception) {
            super(cause, exception);
        }
    }

    static void check(boolean condition, String cause) throws DamageException {
        if (!condition) {
            throw new DamageException(cause);
        }
    }

    /**
     * Reads the footer, and the block if it is wanted.
     *
     * @param fileLength the object's length
     */
    static KeysFooter read(SeekableInputStream in, long fileLength, boolean withBlock) throws IOException {
        check(
                fileLength >= FileFormat.MAGIC.length + FileFormat.TAIL,
                "with " + fileLength + " bytes it is too short for a Parquet file");
        byte[] end = readAt(in, fileLength - Math.min(fileLength, GUESS), (int) Math.min(fileLength, GUESS));
        int magic = end.length - FileFormat.MAGIC.length;
        check(
                Arrays.equals(end, magic, end.length, FileFormat.MAGIC, 0, FileFormat.MAGIC.length),
                "it does not end as a Parquet file does (was it cut off?)");
        long footerLength = (int) KeyColumns.INT.get(end, end.length - FileFormat.TAIL) & 0xFFFFFFFFL;
        long footerStart = fileLength - FileFormat.TAIL - footerLength;
        check(
                footerStart >= FileFormat.MAGIC.length && footerLength <= Integer.MAX_VALUE - FileFormat.TAIL - 16,
                "its footer is said to have " + footerLength + " bytes, the whole file has " + fileLength);
        int tailLength = (int) (footerLength + FileFormat.TAIL);
        byte[] tail = tailLength <= end.length
                ? Arrays.copyOfRange(end, end.length - tailLength, end.length)
                : readAt(in, footerStart, tailLength);
        verifyChecksum(tail);

        FileMetaData parquet;
        try {
            parquet = Util.readFileMetaData(new ByteArrayInputStream(tail, 0, (int) footerLength));
        } catch (IOException e) {
            throw new DamageException("its footer cannot be read: " + e.getMessage(), e);
        }
        Map<String, String> entries = new HashMap<>();
        if (parquet.getKey_value_metadata() != null) {
            for (KeyValue entry : parquet.getKey_value_metadata()) {
                entries.put(entry.getKey(), entry.getValue());
            }
        }
        if (!entries.containsKey(FileFormat.BLOCK_OFFSET)) {
            return new KeysFooter(parquet, entries, footerStart, null);
        }
        long blockOffset = number(entries, FileFormat.BLOCK_OFFSET);
        long blockLength = number(entries, FileFormat.BLOCK_LENGTH);
        check(
                blockOffset >= FileFormat.MAGIC.length && blockLength >= 0 && blockOffset + blockLength == footerStart,
                "the block of committables [" + blockOffset + ", +" + blockLength + ") does not end at the footer, "
                        + footerStart);
        byte[] block = null;
        if (withBlock) {
            check(blockLength <= Integer.MAX_VALUE - 16, "its block has " + blockLength + " bytes");
            long inEnd = blockOffset - (fileLength - end.length);
            block = inEnd >= 0
                    ? Arrays.copyOfRange(end, (int) inEnd, (int) (inEnd + blockLength))
                    : readAt(in, blockOffset, (int) blockLength);
            check(
                    FileFormat.hex(block, 0, block.length).equals(entries.get(FileFormat.BLOCK_CRC)),
                    "the checksum of its committables and ranges is wrong");
        }
        return new KeysFooter(parquet, entries, blockOffset, block);
    }

    private static void verifyChecksum(byte[] tail) throws DamageException {
        int at = ChecksummedOutput.findFooterCrc(tail);
        check(at >= 0, "its footer has no checksum (it is no file of Cairn's, or its footer is damaged)");
        int digits = FileFormat.NO_CRC.length();
        String written = new String(tail, at, digits, StandardCharsets.US_ASCII);
        byte[] zeroed = tail.clone();
        Arrays.fill(zeroed, at, at + digits, (byte) '0');
        check(FileFormat.hex(zeroed, 0, zeroed.length).equals(written), "the checksum of its footer is wrong");
    }

    /** Whether the columns are those of a file with these keys. */
    void checkSchema(KeySchema keys) throws DamageException {
        List<SchemaElement> schema = parquet.getSchema();
        boolean same = schema.size() == keys.size() + 1;
        for (int i = 0; same && i < keys.size(); i++) {
            SchemaElement column = schema.get(i + 1);
            Type type = keys.type(i).isNumber() ? Type.INT64 : Type.BYTE_ARRAY;
            same = column.getName().equals(keys.canonicalName(i)) && column.getType() == type;
        }
        if (!same) {
            throw new DamageException("its key columns are "
                    + schema.stream()
                            .skip(1)
                            .map(column -> column.getName() + " " + column.getType())
                            .toList()
                    + ", but the store's key is " + keys);
        }
    }

    String entry(String name) throws DamageException {
        String value = entries.get(name);
        check(value != null, "its footer lacks the entry " + name);
        return value;
    }

    private static long number(Map<String, String> entries, String name) throws DamageException {
        try {
            return Long.parseLong(String.valueOf(entries.get(name)));
        } catch (NumberFormatException e) {
            throw new DamageException("the footer's entry " + name + " is '" + entries.get(name) + "'");
        }
    }

    private static byte[] readAt(SeekableInputStream in, long offset, int length) throws IOException {
        byte[] bytes = new byte[length];
        in.seek(offset);
        try {
            in.readFully(bytes, 0, length);
        } catch (EOFException e) {
            throw new DamageException("it ends before its length says: " + e.getMessage());
        }
        return bytes;
    }
}
