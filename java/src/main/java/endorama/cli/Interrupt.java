package endorama.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Ctrl-C: asks the running command to stop, and holds the Java machine until its outputs are written. */
final class Interrupt {
    private static final int PATIENCE_SECONDS = 60;

    private final CountDownLatch finished = new CountDownLatch(1);
    private volatile boolean requested;

    /** Catches the signal from now on. */
    void install() {
        Runtime.getRuntime().addShutdownHook(new Thread("Endorama interrupt") {
            @Override
            public void run() {
                requested = true;
                try {
                    if (!finished.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                        System.err.println("endorama: interrupted; given up after " + PATIENCE_SECONDS
                                + " s, what was to be written may be missing");
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        });
    }

    /** The command should stop. */
    boolean requested() {
        return requested;
    }

    /** Asks the command to stop, as the signal does. */
    void request() {
        requested = true;
    }

    /** The command has ended: ends the Java machine, by this code or by the signal that is ending it already. */
    void finish(int code) {
        boolean bySignal = requested;
        if (bySignal && code == Main.DONE) {
            System.err.println("endorama: interrupted when all was done");
        }
        finished.countDown();
        if (!bySignal) {
            System.exit(code);
        }
    }
}
