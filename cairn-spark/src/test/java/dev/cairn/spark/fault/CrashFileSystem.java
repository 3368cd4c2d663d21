package dev.cairn.spark.fault;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/** Local files for Spark's writers, with {@link CrashPoints} before everything that changes them. */
public final class CrashFileSystem extends RawLocalFileSystem {
    private static final URI ROOT = URI.create(CrashPoints.SCHEME + ":///");

    /** Makes {@code crash:} paths known to Hadoop. */
    public static void register(Configuration configuration) {
        configuration.set("fs." + CrashPoints.SCHEME + ".impl", CrashFileSystem.class.getName());
    }

    @Override
    public URI getUri() {
        return ROOT;
    }

    @Override
    public String getScheme() {
        return CrashPoints.SCHEME;
    }

    private static void before(String verb, Path path) throws IOException {
        CrashPoints.before(verb + " " + path);
    }

    @Override
    public FSDataOutputStream create(
            Path path, boolean overwrite, int bufferSize, short replication, long blockSize, Progressable progress)
            throws IOException {
        before("create", path);
        return super.create(path, overwrite, bufferSize, replication, blockSize, progress);
    }

    @Override
    public FSDataOutputStream create(
            Path path,
            FsPermission permission,
            boolean overwrite,
            int bufferSize,
            short replication,
            long blockSize,
            Progressable progress)
            throws IOException {
        before("create", path);
        return super.create(path, permission, overwrite, bufferSize, replication, blockSize, progress);
    }

    @Override
    public boolean rename(Path from, Path to) throws IOException {
        before("rename", to);
        return super.rename(from, to);
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
        before("delete", path);
        return super.delete(path, recursive);
    }

    @Override
    public boolean mkdirs(Path path) throws IOException {
        before("mkdirs", path);
        return super.mkdirs(path);
    }
}
