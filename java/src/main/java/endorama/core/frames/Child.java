package endorama.core.frames;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Set;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A process whose standard output is read. It is killed if it writes nothing for {@link #deadline} seconds while a reader
 * waits, or for one second while Java is being ended.
 */
final class Child implements Closeable {
    /** System property: seconds without a byte, 1..86400. */
    static final String DEADLINE = "endorama.videoDeadline";
    private static final int USUAL_S = 30;
    private static final int MOST_S = 86400;
    private static final int ENDING_S = 1;
    private static final int TOLD = 500;
    private static final long CHECK_MS = 200;
    private static final Set<Child> ALL = Collections.newSetFromMap(new ConcurrentHashMap<Child, Boolean>());
    private static volatile boolean ending;

    static {
        new Timer("Endorama children", true).schedule(new TimerTask() {
            @Override
            public void run() {
                for (Child child : ALL) {
                    child.check(System.nanoTime());
                }
            }
        }, CHECK_MS, CHECK_MS);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> ending = true, "Endorama children end"));
    }

    private final Process process;
    private final Thread reader;
    private final StringBuilder errors = new StringBuilder();
    private final InputStream in;
    /** System.nanoTime when a reader began to wait for a byte; 0: no reader waits. */
    private volatile long waiting;
    private volatile int gaveUpAfter;

    Child(Process process) {
        this.process = process;
        in = new Watched(process.getInputStream());
        reader = new Thread(() -> readErrors(process.getErrorStream()), "Endorama ffmpeg");
        reader.setDaemon(true);
        reader.start();
        ALL.add(this);
    }

    /** Seconds without a byte after which the process is killed. */
    static int deadline() {
        return Integer.getInteger(DEADLINE, USUAL_S);
    }

    /** @throws IOException if the system property is none of the numbers that it may be */
    static void checkDeadline() throws IOException {
        String asked = System.getProperty(DEADLINE);
        if (asked != null && !(asked.matches("\\d{1,5}") && deadline() >= 1 && deadline() <= MOST_S)) {
            throw new IOException("system property " + DEADLINE + "=" + asked + ": must be 1.." + MOST_S + " seconds");
        }
    }

    /** The program's standard output, whose reader is watched. */
    InputStream in() {
        return in;
    }

    /** Waits for the end of the process. */
    int exitCode() throws IOException {
        try {
            if (process.waitFor(deadline(), TimeUnit.SECONDS)) {
                return process.exitValue();
            }
            throw new IOException(silence(deadline()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private void check(long now) {
        long since = waiting;
        int limit = ending ? ENDING_S : deadline();
        if (since != 0 && now - since > limit * 1000000000L) {
            gaveUpAfter = limit;
            process.destroyForcibly();
        }
    }

    private static String silence(int seconds) {
        return "nothing came for " + seconds + " s (system property " + DEADLINE + ")";
    }

    /** Records when a reader waits for a byte. */
    private final class Watched extends FilterInputStream {
        Watched(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int from, int n) throws IOException {
            waiting = Math.max(1, System.nanoTime());
            int read;
            try {
                read = in.read(bytes, from, n);
            } finally {
                waiting = 0;
            }
            if (read < 0 && gaveUpAfter > 0) {
                throw new IOException(silence(gaveUpAfter));
            }
            return read;
        }
    }

    private void readErrors(InputStream from) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                add(line.replaceFirst("^file:", "").replaceFirst("^\\[[^\\]]*\\] *", "").trim());
            }
        } catch (IOException e) {
            add(e.getMessage());
        }
    }

    private synchronized void add(String line) {
        if (errors.length() < TOLD && !line.isEmpty()) {
            errors.append(errors.length() == 0 ? "" : "; ").append(line);
        }
    }

    /** The beginning of its standard error as one line, once it has ended; "" for nothing. */
    String errors() {
        try {
            reader.join(1000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            return errors.toString();
        }
    }

    /** Kills the process. */
    @Override
    public void close() {
        ALL.remove(this);
        process.destroy();
    }
}
