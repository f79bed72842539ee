package endorama.jni;

import java.nio.charset.StandardCharsets;

/**
 * A chain of frames registered one after the other, {@code endo_chain}, as exposures or by spectra: one run and its results.
 * Frames and hooks belong to the caller, as in {@link NativeMosaic}.
 */
public final class NativeChain extends Handle {
    /** Number of reals and ints of a frame in {@link Frames}. */
    public static final int REALS = 20, INTS = 6;

    /**
     * Frames ({@code endo_chain_frame}), one after the other. Reals: the pose's nine numbers, dx, dy, peak, certainty,
     * mismatch, usable, angle, scale, ratio, overlap, ncc. Ints: class of the pose, reference, status, registered, predicted,
     * back end.
     */
    public static final class Frames {
        /** Number of frames. */
        public final int size;
        public final double[] reals;
        public final int[] ints;

        private Frames(int size) {
            this.size = size;
            reals = new double[PixelArrays.elements("frames", (long) size * REALS)];
            ints = new int[PixelArrays.elements("frames", (long) size * INTS)];
        }
    }

    /** Another image as the reference, and the compared regions of both: left, top, right, bottom; all 0: the whole. */
    public static final class Regions {
        /** The other image; null: there is none. */
        public NativeMosaic.Sequence onto;
        public int[] region = new int[4];
        public int[] ontoRegion = new int[4];
        /** A byte for each pixel of the region, 0: excluded; null: all are included. */
        public byte[] mask;
    }

    private final NativeMosaic.Bridge bridge;

    private NativeChain(long pointer, NativeMosaic.Bridge bridge) {
        super(null, pointer);
        this.bridge = bridge;
    }

    /**
     * A chain of exposures that has not run.
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

    /** A chain by Fourier registration that has not run. */
    public static NativeChain fourier(ContextOptions context, int reference, FourierOptions options, Regions regions,
            NativeMosaic.Caller caller) {
        int[] o = options.ints();
        int[] p = regions.region;
        int[] q = regions.ontoRegion;
        NativeMosaic.Sequence onto = regions.onto;
        int[] ints = {context.backend, context.threads, reference, o[0], o[1], o[2], o[3], o[4], o[5], p[0], p[1], p[2], p[3],
            q[0], q[1], q[2], q[3], onto == null ? 0 : onto.width, onto == null ? 0 : onto.height, onto == null ? 0 : onto.type};
        NativeMosaic.Bridge bridge = new NativeMosaic.Bridge(caller);
        bridge.onto = onto;
        return new NativeChain(made(out -> Native.fourierChainCreate(ints, options.doubles(), context.memoryLimit,
                context.devices, regions.mask, bridge, context.failAfter, out)), bridge);
    }

    /** Runs over a sequence, once; the results up to its end or failure stay. */
    public void run(NativeMosaic.Sequence s) {
        bridge.sequence = s;
        run(chain -> {
            int code = Native.chainRun(chain, s.count, s.width, s.height, s.type);
            bridge.rethrow();
            return code;
        });
    }

    /** Every frame up to the last one reached. */
    public Frames frames() {
        Frames frames = new Frames(ask(Native::chainCount));
        run(chain -> Native.chainFrames(chain, frames.reals, frames.ints));
        return frames;
    }

    /** Description of the back end, for people. */
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
