package dev.cairn.internal.file;

import dev.cairn.store.Checkpoint;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.Sealing;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.SeekableInputStream;

/** Reads everything of a checkpoint but its keys. Thread-safe. */
public final class CheckpointFileReader {
    private CheckpointFileReader() {}

    /** Name of a checkpoint's object within its store. */
    public static String objectName(CheckpointId id, Sealing sealing) {
        return FileFormat.name(id, sealing);
    }

    /**
     * Reads footer and block; most often in one request.
     *
     * @param expected what the object's name says
     * @throws NoSuchFileException if there is no such object
     * @throws dev.cairn.StoreDamagedException if the object is not a whole checkpoint of that id and sealing, or is of a
     *     newer format
     * @throws dev.cairn.StoreAccessException if the storage did not answer
     */
    public static Checkpoint readCheckpoint(InputFile file, CheckpointId expected, Sealing sealing)
            throws NoSuchFileException {
        String object = FileFormat.name(expected, sealing);
        KeysFooter footer;
        String document;
        try (SeekableInputStream in = file.newStream()) {
            footer = KeysFooter.read(in, file.getLength(), true);
            document = footer.entry(FileFormat.CHECKPOINT);
            KeysFooter.check(footer.block() != null, "it has no block of committables and ranges");
        } catch (NoSuchFileException e) {
            throw e;
        } catch (FileNotFoundException e) {
            NoSuchFileException absent = new NoSuchFileException(object);
            absent.initCause(e);
            throw absent;
        } catch (KeysFooter.DamageException e) {
            throw FileFormat.damaged(object, e.getMessage(), e);
        } catch (IOException e) {
            throw FileFormat.notRead(object, e);
        } catch (RuntimeException e) {
            throw FileFormat.damaged(object, "its footer cannot be read: " + e, e);
        }
        Checkpoint checkpoint = CheckpointJson.read(object, expected, sealing, document, footer.block());
        if (footer.parquet().getNum_rows() != checkpoint.rowsAdmitted()) {
            throw FileFormat.damaged(
                    object,
                    "it holds " + footer.parquet().getNum_rows() + " keys, but says it admitted "
                            + checkpoint.rowsAdmitted() + " rows",
                    null);
        }
        return checkpoint;
    }
}
