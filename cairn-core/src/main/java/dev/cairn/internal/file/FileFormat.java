package dev.cairn.internal.file;

import dev.cairn.ErrorCondition;
import dev.cairn.StoreAccessException;
import dev.cairn.StoreDamagedException;
import dev.cairn.key.KeySchema;
import dev.cairn.key.KeyType;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.Sealing;
import java.io.IOException;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;

/** What writers and readers of key files agree on; specified in {@code docs/store-format.md}. */
final class FileFormat {
    /** The newest version of the checkpoint document that this code knows. */
    static final int VERSION = 1;

    /** Footer entry: the checkpoint document, JSON. Absent in key files that are no checkpoint. */
    static final String CHECKPOINT = "cairn.checkpoint";
    /** Footer entries: where the block of committables and ranges lies, decimal, and its CRC-32C. */
    static final String BLOCK_OFFSET = "cairn.block.offset";

    static final String BLOCK_LENGTH = "cairn.block.length";
    static final String BLOCK_CRC = "cairn.block.crc32c";
    /** Footer entry: CRC-32C of everything before the block, or before the footer if there is no block. */
    static final String KEYS_CRC = "cairn.keys.crc32c";
    /** Footer entry: CRC-32C of footer, footer length and final magic, taken with this entry's digits all 0. */
    static final String FOOTER_CRC = "cairn.footer.crc32c";

    /** Stands for the footer's checksum until it is known. */
    static final String NO_CRC = "00000000";

    static final byte[] MAGIC = {'P', 'A', 'R', '1'};
    /** Footer length and magic. */
    static final int TAIL = 8;

    private FileFormat() {}

    static MessageType parquetSchema(KeySchema keys) {
        Type[] fields = new Type[keys.size()];
        for (int i = 0; i < fields.length; i++) {
            KeyType type = keys.type(i);
            fields[i] = Types.optional(type.isNumber() ? PrimitiveTypeName.INT64 : PrimitiveTypeName.BINARY)
                    .as(logicalType(type))
                    .named(keys.canonicalName(i));
        }
        return new MessageType("keys", fields);
    }

    /** Null for none. All numbers are of 64 bits, so that one code path serves them; Parquet has no such dates. */
    private static LogicalTypeAnnotation logicalType(KeyType type) {
        return switch (type) {
            case STRING, DECIMAL -> LogicalTypeAnnotation.stringType();
            case TIMESTAMP -> LogicalTypeAnnotation.timestampType(true, LogicalTypeAnnotation.TimeUnit.MICROS);
            case TIMESTAMP_NTZ -> LogicalTypeAnnotation.timestampType(false, LogicalTypeAnnotation.TimeUnit.MICROS);
            case INTEGER, BINARY, BOOLEAN, DATE -> null;
        };
    }

    static String hex(CRC32C crc) {
        return String.format(Locale.ROOT, "%08x", crc.getValue());
    }

    static String hex(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return hex(crc);
    }

    /** Name of a checkpoint's object within its store. */
    static String name(CheckpointId id, Sealing sealing) {
        return String.format(
                Locale.ROOT,
                "checkpoints/%020d/%010d%s",
                id.run(),
                id.partition(),
                sealing == Sealing.JOB ? ".job.parquet" : ".parquet");
    }

    static StoreDamagedException damaged(String object, String cause, Throwable exception) {
        return new StoreDamagedException(
                ErrorCondition.STORE_DAMAGED,
                "The object " + object + " of the checkpoint store is damaged: " + cause
                        + ". Nothing is skipped or committed on its word. Restore the object from a backup or an"
                        + " earlier version, or begin anew with a new store and an empty target.",
                exception);
    }

    static StoreDamagedException missing(String object, Throwable exception) {
        return new StoreDamagedException(
                ErrorCondition.STORE_DAMAGED,
                "The object " + object + " of the checkpoint store is missing, although the store's log names it."
                        + " Restore the object from a backup or an earlier version, or begin anew with a new store and an"
                        + " empty target.",
                exception);
    }

    static StoreAccessException notRead(String object, IOException exception) {
        return new StoreAccessException(
                ErrorCondition.STORE_ACCESS,
                "The object " + object + " of the checkpoint store could not be read: " + exception
                        + ". Nothing is known to be wrong with it; run again when the storage answers.",
                exception);
    }
}
