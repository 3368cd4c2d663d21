package dev.cairn.storage;

import dev.cairn.ErrorCondition;
import dev.cairn.RefusedException;
import dev.cairn.StoreAccessException;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.FileSystem;

/** Finds the storage of a location. Locations are taken literally, like Hadoop's paths: there are no URI escapes. */
public final class Storages {
    private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*):.*", Pattern.DOTALL);

    /** For the message about an unknown scheme; a provider cannot be asked what it supports. */
    private static final List<String> KNOWN_SCHEMES = List.of(
            "file", "hdfs", "viewfs", "s3a", "s3", "gs", "abfs", "abfss", "wasb", "wasbs", "oss", "cosn", "obs");

    private Storages() {}

    /**
     * Opens the storage at a location. Creates nothing.
     *
     * @param location with a scheme; without one it is resolved as Hadoop does, against {@code fs.defaultFS}
     * @param configuration Hadoop's, with endpoints and credentials
     * @throws RefusedException if no storage knows the scheme, or the place cannot hold a store
     * @throws StoreAccessException if the storage did not answer
     */
    public static Storage open(String location, Configuration configuration) {
        String qualified = qualify(location, configuration);
        String scheme = scheme(qualified).orElseThrow();
        List<StorageProvider> providers = providers();
        for (StorageProvider provider : providers) {
            if (provider.supports(scheme)) {
                try {
                    return provider.open(qualified, configuration);
                } catch (IOException failed) {
                    throw new StoreAccessException(
                            ErrorCondition.STORE_ACCESS,
                            "The storage of the checkpoint store '" + qualified + "' did not answer: " + failed
                                    + ". Check the endpoint, the network and the credentials, then run again.",
                            failed);
                }
            }
        }
        String available = KNOWN_SCHEMES.stream()
                .filter(known -> providers.stream().anyMatch(provider -> provider.supports(known)))
                .collect(Collectors.joining(", "));
        throw new RefusedException(
                ErrorCondition.INVALID_STORE_LOCATION,
                "'" + location + "' cannot hold a checkpoint store: no storage knows the scheme '" + scheme
                        + "', so it is not supported. Supported are: " + available
                        + ". Use a location of one of these.");
    }

    /** The location with its scheme in lower case. */
    static String qualify(String location, Configuration configuration) {
        if (location.isBlank()) {
            throw new RefusedException(
                    ErrorCondition.INVALID_STORE_LOCATION,
                    "The location of the checkpoint store is empty. Name a directory, for example file:/checkpoints.");
        }
        Optional<String> scheme = scheme(location);
        if (scheme.isPresent()) {
            return scheme.get() + location.substring(scheme.get().length());
        }
        // Not through a java.net.URI of the location itself, which would stumble over spaces and percent signs.
        String defaultFs =
                configuration.getTrimmed(CommonConfigurationKeysPublic.FS_DEFAULT_NAME_KEY, FileSystem.DEFAULT_FS);
        URI base = FileSystem.getDefaultUri(configuration);
        String baseScheme = base.getScheme() == null ? "file" : base.getScheme().toLowerCase(Locale.ROOT);
        if (baseScheme.equals("file")) {
            return "file:" + java.nio.file.Path.of("").toAbsolutePath().resolve(location);
        }
        if (!location.startsWith("/")) {
            throw new RefusedException(
                    ErrorCondition.INVALID_STORE_LOCATION,
                    "'" + location + "' cannot hold a checkpoint store: it is relative, and fs.defaultFS is "
                            + defaultFs
                            + ". Write the whole location, for example " + baseScheme + "://" + base.getAuthority()
                            + "/"
                            + location + ".");
        }
        return baseScheme + "://" + (base.getAuthority() == null ? "" : base.getAuthority()) + location;
    }

    private static Optional<String> scheme(String location) {
        Matcher matcher = SCHEME.matcher(location);
        // As for Hadoop, a colon after the first slash belongs to the path.
        if (!matcher.matches() || location.substring(0, matcher.end(1)).contains("/")) {
            return Optional.empty();
        }
        return Optional.of(matcher.group(1).toLowerCase(Locale.ROOT));
    }

    private static List<StorageProvider> providers() {
        // Spark adds user jars to the context class loader; the loader of this class is what tools have.
        List<ClassLoader> loaders = new ArrayList<>();
        Stream.of(Thread.currentThread().getContextClassLoader(), Storages.class.getClassLoader())
                .filter(loader -> loader != null && !loaders.contains(loader))
                .forEach(loaders::add);
        List<StorageProvider> providers = new ArrayList<>();
        for (ClassLoader loader : loaders) {
            try {
                ServiceLoader.load(StorageProvider.class, loader).forEach(providers::add);
            } catch (ServiceConfigurationError foreign) {
                // Another copy of Cairn's classes under that loader; the other loader has the right ones.
                if (loader == Storages.class.getClassLoader()) {
                    throw foreign;
                }
            }
        }
        return providers;
    }
}
