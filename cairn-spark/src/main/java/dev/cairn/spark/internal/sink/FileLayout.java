package dev.cairn.spark.internal.sink;

import org.apache.hadoop.fs.Path;

/**
 * Where the file sink keeps things below its target directory:
 *
 * <pre>
 * target/part-00017-STOREID-r40-c000.snappy.parquet                    published files
 * target/_cairn/STOREID/store.json                                     where the store lies
 * target/_cairn/STOREID/staging/RUN/PARTITION-ATTEMPT/…                staged files, invisible to readers
 * target/_cairn/STOREID/epochs/EPOCH.json                              which files make up an epoch, written first
 * target/_cairn/STOREID/epochs/EPOCH.published-N                       the first N files of the epoch are published
 * </pre>
 *
 * <p>Readers skip names that begin with an underscore. One store never touches what another keeps.
 *
 * @param target the directory that is written to, qualified
 * @param storeId the store's UUID
 */
record FileLayout(Path target, String storeId) {
    static final String ROOT = "_cairn";

    /** The store's own directory below the target. */
    Path own() {
        return new Path(new Path(target, ROOT), storeId);
    }

    Path staging() {
        return new Path(own(), "staging");
    }

    Path staging(long run) {
        return new Path(staging(), Long.toString(run));
    }

    /** Relative to the target. */
    String stagingPrefix(long run, int partition, long attempt) {
        return ROOT + "/" + storeId + "/staging/" + run + "/" + partition + "-" + attempt;
    }

    /** Same for every attempt of a partition, and different for everything else that is ever written to the target. */
    String fileName(String prefix, int partition, long run, String suffix) {
        return String.format("%spart-%05d-%s-r%d%s", prefix, partition, storeId, run, suffix);
    }
}
