package endorama.core.engine;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.options.MosaicParameters;
import endorama.jni.EndoramaException;
import endorama.jni.NativeContext;
import java.util.function.IntSupplier;

/**
 * What every run over frames stands on: the back end, and the store of as many frames as there is memory for. What
 * becomes of them where the library fails is the same for every command: where memory ends the store gets smaller;
 * where a device fails that Auto had chosen, the CPU goes on.
 */
public final class FrameSession implements AutoCloseable {
    /** Makes the store. */
    public interface Stores {
        /** A store of so many slots. */
        FrameStore make(NativeContext context, int slots);
    }

    /** Some work of a run, which knows where it is: after a failure it is asked again. */
    public interface Work {
        void run() throws FrameReadException;
    }

    private final BackEnd backEnd;
    private final Progress progress;
    private IntSupplier wanted = () -> 0;
    private IntSupplier least = () -> 0;
    private Stores stores;
    private FrameStore store;
    /** Why there is no store. */
    private EndoramaException failure;
    /** Of the store, or of the one that there was no memory for. */
    private int slots;

    /** Starts the back end that the parameters ask for, by how many frames are registered or painted. */
    public FrameSession(FrameSource source, MosaicParameters parameters, long frames, Progress progress) {
        this.progress = progress;
        if (source.origin().warning() != null) {
            progress.log(source.origin().warning());
        }
        backEnd = BackEnd.open(source, parameters, frames, progress);
    }

    public BackEnd backEnd() {
        return backEnd;
    }

    /**
     * Makes the store.
     *
     * @param wanted slots that it should have, on the back end as it then is
     * @param least slots that the work needs as it then is
     */
    public void open(IntSupplier wanted, IntSupplier least, Stores stores) {
        this.wanted = wanted;
        this.least = least;
        this.stores = stores;
        slots = wanted.getAsInt();
        try {
            store = stores.make(backEnd.context(), slots);
        } catch (EndoramaException e) {
            if (!recover(e)) {
                throw e;
            }
        }
    }

    /** False after a failure that nothing helped against. */
    public boolean hasStore() {
        return store != null;
    }

    /** It is another one after a failure. */
    public FrameStore store() {
        if (!hasStore()) {
            throw failure;
        }
        return store;
    }

    /**
     * Works to the end of a piece of work.
     *
     * @throws EndoramaException that neither a smaller store nor the CPU helps against
     */
    public void persist(Work work) throws FrameReadException {
        while (true) {
            try {
                work.run();
                return;
            } catch (EndoramaException e) {
                if (!recover(e)) {
                    throw e;
                }
            }
        }
    }

    /** Makes it possible to go on after a failure, with another store; false if it is not. */
    private boolean recover(EndoramaException e) {
        for (EndoramaException reason = e; prepare(reason); reason = failure) {
            if (stores == null) {
                return true;
            }
            try {
                store = stores.make(backEnd.context(), slots);
                return true;
            } catch (EndoramaException again) {
                failure = again;
            }
        }
        return false;
    }

    /** Without the store that was there. False, with it, if nothing helps. */
    private boolean prepare(EndoramaException e) {
        if (e.status() == EndoramaException.Status.MEMORY && shrink(e)) {
            closeStore(e);
            return true;
        }
        if (!backEnd.replaces(e)) {
            return false;
        }
        String failed = backEnd.name();
        backEnd.replace();
        closeStore(e);
        slots = wanted.getAsInt();
        progress.log(BackEnd.replaced(failed, "", e));
        return true;
    }

    /** False if no slot can go. */
    private boolean shrink(EndoramaException e) {
        int fewer = Math.max(least.getAsInt(), slots / 2);
        if (fewer >= slots) {
            return false;
        }
        progress.log("out of memory with " + slots + " frames at once (" + e.getMessage() + "); going on with " + fewer);
        slots = fewer;
        return true;
    }

    private void closeStore(EndoramaException why) {
        failure = why;
        if (store != null) {
            store.close();
            store = null;
        }
    }

    @Override
    public void close() {
        closeStore(failure);
        backEnd.close();
    }
}
