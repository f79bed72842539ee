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

    /** Installs the handler of the signal. */
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

    /** Requests the end repeatedly, because a command that has just begun may miss it once. */
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

    /** Sets whether to wait long for the command to end; false where nothing would be lost. */
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

    /** Ends the Java machine after the command, by this code or by the signal that is ending it already. */
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
