package dev.cairn.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** What the build wrote down of itself. */
final class VersionProvider implements IVersionProvider {
    @Override
    public String[] getVersion() {
        Properties build = new Properties();
        try (InputStream in = VersionProvider.class.getResourceAsStream("build.properties")) {
            build.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new String[] {
            "cairn " + build.getProperty("version") + " (Spark " + build.getProperty("spark") + ", Java "
                    + Runtime.version().feature() + ")"
        };
    }
}
