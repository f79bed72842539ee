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
        long[] out = new long[1];
        long pointer = context.acquire();
        try {
            long from = fixed.acquire();
            try {
                long to = moving.acquire();
                try {
                    context.step();
                    EndoramaException.check(Native.mutualCreate(pointer, from, to, options.ints(), options.doubles(),
                            out));
                } finally {
                    moving.release();
                }
            } finally {
                fixed.release();
            }
            return new NativeMutual(context, out[0]);
        } finally {
            context.release();
        }
    }

    /**
     * Searches for the transform with the largest measure.
     *
     * @param stop asked every few evaluations, on this thread: true ends the search, whose best so far is returned
     */
    public MutualResult register(BooleanSupplier stop) {
        MutualResult result = new MutualResult();
        long pointer = context.acquire();
        try {
            long mutual = acquire();
            try {
                context.step();
                EndoramaException.check(Native.mutualRegister(pointer, mutual, stop, result.measures(),
                        result.codes(), result.levelInts(), result.levelDoubles()));
            } finally {
                release();
            }
        } finally {
            context.release();
        }
        return result;
    }

    /** The measure at full size of a transform (fixed -&gt; moving, mm), NaN without overlap; and the overlap, 0..1. */
    public double[] evaluate(double[] world) {
        PixelArrays.checkLength("world", world.length, 16);
        double[] value = new double[2];
        long mutual = acquire();
        try {
            context.step();
            EndoramaException.check(Native.mutualEvaluate(mutual, world, value));
        } finally {
            release();
        }
        return value;
    }

    @Override
    void destroy(long object) {
        Native.mutualDestroy(object);
    }
}
