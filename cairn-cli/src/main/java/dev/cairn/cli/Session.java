package dev.cairn.cli;

import dev.cairn.spark.Cairn;
import dev.cairn.spark.CairnExtensions;
import dev.cairn.store.CheckpointStore;
import dev.cairn.store.Figures;
import dev.cairn.store.LogEntry.RunEnded;
import dev.cairn.store.Run;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** An embedded Spark session for one script. */
final class Session implements AutoCloseable {
    private static final String EXTENSIONS = "spark.sql.extensions";
    private static final long REDRAW_MILLIS = 250;
    private static final long LINE_MILLIS = 10_000;

    private final Script script;
    private final Console console;
    private final SparkSession spark;
    private final ProgressListener listener;
    private final ClassLoader callersLoader;
    private final ScheduledExecutorService clock;
    private volatile Progress progress;

    private Session(Script script, Console console, SparkSession spark, ClassLoader callersLoader) {
        this.script = script;
        this.console = console;
        this.spark = spark;
        this.callersLoader = callersLoader;
        this.progress = new Progress(script.name(), System.currentTimeMillis());
        this.listener = new ProgressListener();
        this.clock = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "progress");
            thread.setDaemon(true);
            return thread;
        });
    }

    static Session start(
            Script script, Map<String, String> settings, String master, List<Path> givenJars, Console console) {
        List<Path> jars = new ArrayList<>();
        for (Path jar : givenJars) {
            if (!Files.isRegularFile(jar)) {
                throw CommandException.usage("There is no jar " + jar + ". Correct --jars.");
            }
            jars.add(jar.toAbsolutePath());
        }
        jars.addAll(jarsIn(script.directory().resolve("target")));
        jars.addAll(jarsIn(script.directory().resolve("target").resolve("lib")));

        Map<String, String> all = defaults(script);
        // Other extensions come beside ours, not in their place.
        settings.forEach((name, value) ->
                all.merge(name, value, (ours, given) -> name.equals(EXTENSIONS) ? ours + "," + given : given));
        if (master != null) {
            all.put("spark.master", master);
        }
        boolean isLocal = all.get("spark.master").startsWith("local");
        if (isLocal) {
            // No name of this machine has to resolve for Spark to talk to itself.
            all.putIfAbsent("spark.driver.bindAddress", "127.0.0.1");
            all.putIfAbsent("spark.driver.host", "127.0.0.1");
        } else {
            addJars(all, jars);
        }

        // Spark in this process, its tasks included, loads the jars' classes from here.
        ClassLoader callersLoader = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(new URLClassLoader(urls(jars), Session.class.getClassLoader()));
        try {
            SparkSession.Builder builder = SparkSession.builder();
            all.forEach(builder::config);
            SparkSession spark = builder.getOrCreate();
            Session session = new Session(script, console, spark, callersLoader);
            spark.sparkContext().addSparkListener(session.listener);
            Cairn.addListener(spark, new RunMessages(console, session::progress));
            ServiceLoader.load(SqlFunctions.class).forEach(functions -> functions.register(spark));
            return session;
        } catch (RuntimeException | Error e) {
            Thread.currentThread().setContextClassLoader(callersLoader);
            throw e;
        }
    }

    private static Map<String, String> defaults(Script script) {
        Map<String, String> defaults = new LinkedHashMap<>();
        defaults.put("spark.master", "local[*]");
        defaults.put("spark.app.name", script.name());
        defaults.put("spark.ui.enabled", "false");
        defaults.put("spark.ui.showConsoleProgress", "false");
        defaults.put("spark.sql.catalogImplementation", "in-memory");
        defaults.put(
                "spark.sql.warehouse.dir",
                Path.of(".cairn", "warehouse").toAbsolutePath().toString());
        // Tasks tell what they have done so far in their heartbeats.
        defaults.put("spark.executor.heartbeatInterval", "1s");
        defaults.put(EXTENSIONS, CairnExtensions.class.getName());
        return defaults;
    }

    /** Executors elsewhere need the script's jars, and Cairn's own. */
    private static void addJars(Map<String, String> settings, List<Path> jars) {
        List<String> all = new ArrayList<>();
        String given = settings.get("spark.jars");
        if (given != null && !given.isBlank()) {
            all.add(given);
        }
        jars.forEach(jar -> all.add(jar.toUri().toString()));
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path jar = Path.of(entry);
            if (jar.getFileName() != null && jar.getFileName().toString().matches("cairn-.*\\.jar")) {
                all.add(jar.toUri().toString());
            }
        }
        if (!all.isEmpty()) {
            settings.put("spark.jars", String.join(",", all));
        }
    }

    private static List<Path> jarsIn(Path directory) {
        List<Path> jars = new ArrayList<>();
        if (Files.isDirectory(directory)) {
            try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, "*.jar")) {
                for (Path jar : found) {
                    String name = jar.getFileName().toString();
                    if (!name.endsWith("-sources.jar") && !name.endsWith("-tests.jar")) {
                        jars.add(jar.toAbsolutePath());
                    }
                }
            } catch (IOException e) {
                throw CommandException.failure("The jars in " + directory + " cannot be listed: " + e.getMessage(), e);
            }
        }
        jars.sort(null);
        return jars;
    }

    private static URL[] urls(List<Path> jars) {
        List<URL> urls = new ArrayList<>();
        for (Path jar : jars) {
            try {
                urls.add(jar.toUri().toURL());
            } catch (MalformedURLException e) {
                throw new IllegalStateException("a path is a URL: " + jar, e);
            }
        }
        return urls.toArray(URL[]::new);
    }

    /** Of the statement that runs. */
    Progress progress() {
        return progress;
    }

    void execute(Statement statement, Printer printer) {
        String sql = script.substitute(statement, System.getenv());
        Progress mine = new Progress(script.name(), System.currentTimeMillis());
        progress = mine;
        listener.follow(mine);
        long period = console.isTerminal() ? REDRAW_MILLIS : LINE_MILLIS;
        ScheduledFuture<?> ticking =
                clock.scheduleAtFixedRate(() -> report(statement, mine), period, period, TimeUnit.MILLISECONDS);
        try {
            Dataset<Row> result = spark.sql(sql);
            printer.print(result);
        } finally {
            ticking.cancel(false);
            console.live("");
        }
        if (mine.isCheckpointed()) {
            console.say(mine.summary(figures(mine), System.currentTimeMillis()));
        }
    }

    private Optional<Figures> figures(Progress mine) {
        return mine.run().flatMap(run -> {
            try (CheckpointStore store =
                    CheckpointStore.open(run.store(), spark.sparkContext().hadoopConfiguration())) {
                return store.fold().run(run.number()).flatMap(Run::ended).map(RunEnded::figures);
            }
        });
    }

    private void report(Statement statement, Progress mine) {
        long now = System.currentTimeMillis();
        if (!console.isTerminal()) {
            if (mine.isCheckpointed()) {
                console.say(mine.line(now));
            }
        } else {
            console.live(mine.isCheckpointed() ? mine.line(now) : statement.headline());
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
        spark.stop();
        Thread.currentThread().setContextClassLoader(callersLoader);
    }
}
