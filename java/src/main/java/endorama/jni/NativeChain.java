package endorama.jni;

import java.nio.charset.StandardCharsets;

/**
 * Frames that are registered one after the other, {@code endo_chain}, as exposures or by their spectra: one run, and what it
 * left. Frames and hooks are the caller's, as of {@link NativeMosaic}.
 */
public final class NativeChain extends Handle {
    /** Numbers of a frame in {@link Frames}. */
    public static final int REALS = 20, INTS = 6;

    /**
     * Frames ({@code endo_chain_frame}), one after the other. Reals are the place's nine numbers, dx, dy, peak, certainty,
     * mismatch, usable, angle, scale, ratio, overlap, ncc; ints the class of the place, reference, status, registered,
     * predicted, back end.
     */
    public static final class Frames {
        /** How many. */
        public final int size;
        public final double[] reals;
        public final int[] ints;

        private Frames(int size) {
            this.size = size;
            reals = new double[PixelArrays.elements("frames", (long) size * REALS)];
            ints = new int[PixelArrays.elements("frames", (long) size * INTS)];
        }
    }

    /** An image of another sequence, and the parts of both that are compared: left, top, right, bottom; all 0: the whole. */
    public static final class Parts {
        /** Of the other image; null: there is none. */
        public NativeMosaic.Sequence onto;
        public int[] part = new int[4];
        public int[] ontoPart = new int[4];
        /** A byte for each pixel of the part, 0: it takes no part; null: all of them do. */
        public byte[] mask;
    }

    private final NativeMosaic.Bridge bridge;

    private NativeChain(long pointer, NativeMosaic.Bridge bridge) {
        super(null, pointer);
        this.bridge = bridge;
    }

    /**
     * Of exposures, which has not run.
     *
     * @param reference the frame from 0 that every other one is compared with; -1: the one before it
     * @param period exposures in a bracket of a video; 0: a single bracket
     */
    public static NativeChain exposures(ContextOptions context, int reference, ExposureOptions options, int period,
            boolean kalman, NativeMosaic.Caller caller) {
        int[] o = options.ints();
        int[] ints = {context.backend, context.threads, reference, o[0], o[1], o[2], o[3], o[4], period, kalman ? 1 : 0};
        NativeMosaic.Bridge bridge = new NativeMosaic.Bridge(caller);
        return new NativeChain(made(out -> Native.exposureChainCreate(ints, context.memoryLimit, context.devices, bridge,
                context.failAfter, out)), bridge);
    }

    /** The same by spectra. */
    public static NativeChain fourier(ContextOptions context, int reference, FourierOptions options, Parts parts,
            NativeMosaic.Caller caller) {
        int[] o = options.ints();
        int[] p = parts.part;
        int[] q = parts.ontoPart;
        NativeMosaic.Sequence onto = parts.onto;
        int[] ints = {context.backend, context.threads, reference, o[0], o[1], o[2], o[3], o[4], o[5], p[0], p[1], p[2], p[3],
            q[0], q[1], q[2], q[3], onto == null ? 0 : onto.width, onto == null ? 0 : onto.height, onto == null ? 0 : onto.type};
        NativeMosaic.Bridge bridge = new NativeMosaic.Bridge(caller);
        bridge.onto = onto;
        return new NativeChain(made(out -> Native.fourierChainCreate(ints, options.doubles(), context.memoryLimit,
                context.devices, parts.mask, bridge, context.failAfter, out)), bridge);
    }

    /** Over a sequence, once; what was found is there whatever ends it. */
    public void run(NativeMosaic.Sequence s) {
        bridge.sequence = s;
        run(chain -> {
            int code = Native.chainRun(chain, s.count, s.width, s.height, s.type);
            bridge.rethrow();
            return code;
        });
    }

    /** Every frame up to where the run came. */
    public Frames frames() {
        Frames frames = new Frames(ask(Native::chainCount));
        run(chain -> Native.chainFrames(chain, frames.reals, frames.ints));
        return frames;
    }

    /** What computed, for people. */
    public String backend() {
        return text(false);
    }

    /** The field of view, for people; "": the run did not come so far. */
    public String field() {
        return text(true);
    }

    private String text(boolean field) {
        return new String(ask(chain -> Native.chainText(chain, field)), StandardCharsets.UTF_8);
    }

    @Override
    void destroy(long object) {
        Native.chainDestroy(object);
    }
}
