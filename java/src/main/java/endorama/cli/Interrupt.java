package endorama.cli;

import endorama.core.files.AtomicFile;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Ctrl-C: asks the running command to stop, and holds the Java machine until its outputs are written. */
class Interrupt {
    private static final long PATIENCE_MS = 60000;
    private static final long IMPATIENCE_MS = 800;
    private static final long AGAIN_MS = 100;

    private final CountDownLatch finished = new CountDownLatch(1);
    private volatile long patience = PATIENCE_MS;
    private volatile boolean requested;

    /** Catches the signal from now on. */
    final void install() {
        Runtime.getRuntime().addShutdownHook(new Thread("Endorama interrupt") {
            @Override
            public void run() {
                try {
                    hold();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        });
    }

    /** Asks again and again, as a command that begins just now may not have heard it. */
    private void hold() throws InterruptedException {
        long start = System.nanoTime();
        do {
            request();
            if (finished.await(AGAIN_MS, TimeUnit.MILLISECONDS)) {
                return;
            }
        } while (System.nanoTime() - start < patience * 1000000);
        System.err.println("endorama: interrupted; not waited for longer than " + patience / 1000.0
                + " s: what is not written by now is missing");
        AtomicFile.giveUp();
    }

    /** While nothing is lost by ending, it is not waited for longer than people do. */
    final void setPatient(boolean patient) {
        patience = patient ? PATIENCE_MS : IMPATIENCE_MS;
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
    final void finish(int code) {
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
