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
        /** A store of so many slots, and others for frames that are only kept. */
        FrameStore make(NativeContext context, int slots, int kept);
    }

    /** Some work of a run, which knows where it is: after a failure it is asked again. */
    public interface Work {
        void run() throws FrameReadException;
    }

    /** What lives on the back end beside the store, and moves when that is replaced. */
    public interface Lodger {
        /** Takes with it what it can, as long as the back end is there. */
        void leave();

        /** Goes on with the back end as it is now; what that costs, for people: "" for nothing. */
        String enter();
    }

    private static final Lodger NOBODY = new Lodger() {
        @Override
        public void leave() {
        }

        @Override
        public String enter() {
            return "";
        }
    };

    private final BackEnd backEnd;
    private final Progress progress;
    private IntSupplier wanted = () -> 0;
    private IntSupplier least = () -> 0;
    private IntSupplier spare = () -> 0;
    private Stores stores;
    private FrameStore store;
    /** Why there is no store. */
    private EndoramaException failure;
    /** Of the store, or of the one that there was no memory for. */
    private int slots;
    /** Slots beside them: they go first where there is no memory. */
    private int kept;

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
        open(wanted, least, () -> 0, stores);
    }

    /** The same with slots beside them, for frames that need not be read again. */
    public void open(IntSupplier wanted, IntSupplier least, IntSupplier spare, Stores stores) {
        this.wanted = wanted;
        this.least = least;
        this.spare = spare;
        this.stores = stores;
        chooseSlots();
        try {
            store = stores.make(backEnd.context(), slots, kept);
        } catch (EndoramaException e) {
            if (!recover(e)) {
                throw e;
            }
        }
    }

    private void chooseSlots() {
        slots = wanted.getAsInt();
        kept = spare.getAsInt();
    }

    /** Frames have slots that could be given back for memory: {@link #recover}. */
    public boolean keepsFrames() {
        return kept > 0;
    }

    /** No frame has to leave a store for as many as that. */
    public boolean holds(int count) {
        return slots + kept >= count || store().unused() >= slots;
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

    private boolean recover(EndoramaException e) {
        return recover(e, "", NOBODY);
    }

    /**
     * Makes it possible to go on after a failure, with another store; false if it is not.
     *
     * @param where the run is, for people; may be empty
     * @param lodger who moves if the back end is replaced
     */
    public boolean recover(EndoramaException e, String where, Lodger lodger) {
        for (EndoramaException reason = e; prepare(reason, where, lodger); reason = failure) {
            if (stores == null) {
                return true;
            }
            try {
                store = stores.make(backEnd.context(), slots, kept);
                return true;
            } catch (EndoramaException again) {
                failure = again;
            }
        }
        return false;
    }

    /** Without the store that was there. False, with it, if nothing helps. */
    private boolean prepare(EndoramaException e, String where, Lodger lodger) {
        if (e.status() == EndoramaException.Status.MEMORY && shrink(e)) {
            closeStore(e);
            return true;
        }
        if (!backEnd.replaces(e)) {
            return false;
        }
        String failed = backEnd.name();
        lodger.leave();
        backEnd.replace();
        String cost = lodger.enter();
        closeStore(e);
        chooseSlots();
        progress.log(BackEnd.replaced(failed, where, e) + cost);
        return true;
    }

    /** What is only kept goes first. False if nothing can go. */
    private boolean shrink(EndoramaException e) {
        int fewer = Math.max(least.getAsInt(), slots / 2);
        if (kept > 0) {
            kept = 0;
            return true;
        }
        if (fewer >= slots) {
            return false;
        }
        progress.log("out of memory with " + slots + " frames at once (" + e.getMessage() + "); going on with " + fewer);
        slots = fewer;
        return true;
    }

    /** Goes on with the CPU whatever was chosen: after a failure that ends the run, for what is still to be saved. */
    public void replace() {
        closeStore(failure);
        backEnd.replace();
        chooseSlots();
        store = stores.make(backEnd.context(), slots, kept);
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
