package dev.cairn.internal.file;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;

/**
 * Between Parquet's writer and the object: takes the checksum of what passes, and holds the footer back so that its own
 * checksum can be put into it. Never closes the object's stream.
 */
final class ChecksummedOutput extends PositionOutputStream implements OutputFile {
    private static final byte[] FOOTER_CRC_MARK = footerCrcMark();

    private final PositionOutputStream target;
    private final CRC32C crc = new CRC32C();
    /** Null until the footer begins. */
    private ByteArrayOutputStream footer;

    ChecksummedOutput(PositionOutputStream target) {
        this.target = target;
    }

    /** Of everything written so far. */
    String checksum() {
        return FileFormat.hex(crc);
    }

    /** What is written from here on is the footer. */
    void beginFooter() {
        footer = new ByteArrayOutputStream();
    }

    /** Writes the footer with its checksum in place. */
    void endFooter() throws IOException {
        byte[] bytes = footer.toByteArray();
        int at = findFooterCrc(bytes);
        if (at < 0) {
            throw new IllegalStateException("the footer has no place for its checksum");
        }
        byte[] digits = FileFormat.hex(bytes, 0, bytes.length).getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(digits, 0, bytes, at, digits.length);
        target.write(bytes, 0, bytes.length);
    }

    /**
     * Index of the eight digits of the footer's checksum, or -1. The mark cannot be part of another entry: it holds a
     * control character, which JSON escapes.
     */
    static int findFooterCrc(byte[] footer) {
        byte[] mark = FOOTER_CRC_MARK;
        for (int i = 0; i + mark.length + FileFormat.NO_CRC.length() <= footer.length; i++) {
            if (Arrays.equals(footer, i, i + mark.length, mark, 0, mark.length)) {
                return i + mark.length;
            }
        }
        return -1;
    }

    /** The entry's name, then what Thrift's compact protocol puts before the text of its value: type and length. */
    private static byte[] footerCrcMark() {
        byte[] name = FileFormat.FOOTER_CRC.getBytes(StandardCharsets.US_ASCII);
        byte[] mark = Arrays.copyOf(name, name.length + 2);
        mark[name.length] = 0x18;
        mark[name.length + 1] = (byte) FileFormat.NO_CRC.length();
        return mark;
    }

    @Override
    public long getPos() throws IOException {
        return target.getPos() + (footer == null ? 0 : footer.size());
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (footer != null) {
            footer.write(bytes, offset, length);
        } else {
            crc.update(bytes, offset, length);
            target.write(bytes, offset, length);
        }
    }

    /** The object is flushed by being published. */
    @Override
    public void flush() {}

    /** The object's stream belongs to whoever publishes or aborts it. */
    @Override
    public void close() {}

    @Override
    public PositionOutputStream create(long blockSizeHint) {
        return this;
    }

    @Override
    public PositionOutputStream createOrOverwrite(long blockSizeHint) {
        return this;
    }

    @Override
    public boolean supportsBlockSize() {
        return false;
    }

    @Override
    public long defaultBlockSize() {
        return 0;
    }
}
