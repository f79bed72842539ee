package endorama.jni;

import java.util.function.BooleanSupplier;

/** Two volumes in the back end's memory, with their pyramids, ready to be registered. */
public final class NativeMutual extends Handle {
    private final NativeContext context;

    private NativeMutual(NativeContext context, long pointer) {
        super(context, pointer);
        this.context = context;
    }

    /** Copies both volumes. */
    public static NativeMutual create(NativeContext context, NativeVolume fixed, NativeVolume moving,
            MutualOptions options) {
        return new NativeMutual(context, made(out -> fixed.ask(from -> moving.ask(to -> context.step(pointer ->
                Native.mutualCreate(pointer, from, to, options.ints(), options.doubles(), out))))));
    }

    /**
     * Searches for the transform with the largest measure.
     *
     * @param stop asked every few evaluations, on this thread: true ends the search, whose best so far is returned
     */
    public MutualResult register(BooleanSupplier stop) {
        MutualResult result = new MutualResult();
        run(mutual -> context.step(pointer -> Native.mutualRegister(pointer, mutual, stop, result.measures(), result.codes(),
                result.levelInts(), result.levelDoubles())));
        return result;
    }

    @Override
    void destroy(long object) {
        Native.mutualDestroy(object);
    }
}
