package endorama.jni;

/**
 * A panorama that grows while frames come, {@code endo_live}. Frames are put, and it is finished, by one thread; it can be
 * described and read by any.
 */
public final class NativeLive extends Handle {
    /**
     * Numbers of a frame: its number, state ({@code endo_live_state}), number among the kept ones (0: not kept), component,
     * found again, class of its pose. Reals: nine numbers of the pose, quality, milliseconds.
     */
    public static final int FRAME_NUMBERS = 6, FRAME_REALS = 11;
    /** Numbers of the preview: width, height, component, type, changes. Reals: x and y of the origin, scale. */
    public static final int VIEW_NUMBERS = 5, VIEW_REALS = 3;
    /** Counts: frames put, kept, lost; bytes of the kept ones; components; loops. */
    public static final int COUNTS = 6;

    private final NativeMosaic.Bridge bridge;

    private NativeLive(long pointer, NativeMosaic.Bridge bridge) {
        super(null, pointer);
        this.bridge = bridge;
    }

    /**
     * A live panorama without a frame.
     *
     * @param o of the panorama at the end
     * @param caller hears events, progress and says when to stop; is asked for no frames
     * @param step of a kept frame, percent of the longer side, 0.1..50
     * @param preview longer side of a frame in the preview, px, 64..4096
     * @param loops the preview closes loops
     */
    public static NativeLive create(MosaicOptions o, NativeMosaic.Caller caller, double step, int preview, boolean loops) {
        NativeMosaic.Bridge bridge = new NativeMosaic.Bridge(caller);
        return new NativeLive(made(out -> Native.liveCreate(o.ints(), o.longs(), o.reals(), o.context.devices, o.mask,
                o.scratch == null ? null : NativeMosaic.utf8(o.scratch), bridge, step, preview, loops, out)), bridge);
    }

    /** An exception of the caller's code takes precedence over the library's status. */
    @Override
    void check(int status) {
        bridge.rethrow();
        super.check(status);
    }

    /** Registers a frame, and fills {@link #FRAME_REALS} reals and {@link #FRAME_NUMBERS} numbers. */
    public void put(int width, int height, int type, Object pixels, double[] reals, long[] numbers) {
        PixelArrays.check(pixels, type, PixelArrays.elements("pixels", (long) width * height));
        run(live -> Native.livePut(live, width, height, type, pixels, reals, numbers));
    }

    /** Fills the numbers of the preview and the counts. */
    public void describe(double[] reals, long[] numbers, long[] counts) {
        run(live -> Native.liveDescribe(live, reals, numbers, counts));
    }

    /**
     * Copies the preview into an array of a type with so many pixels, and fills its numbers.
     *
     * @return whether it fits; else it has to be described again
     */
    public boolean read(int type, int room, Object pixels, double[] reals, long[] numbers) {
        PixelArrays.check(pixels, type, room);
        try {
            run(live -> Native.liveRead(live, type, room, pixels, reals, numbers));
            return true;
        } catch (EndoramaException e) {
            if (e.status() == EndoramaException.Status.ARGUMENT) {
                return false;
            }
            throw e;
        }
    }

    /** The mosaic of the kept frames, and what ended it early. */
    public static final class Finished {
        /** Null if fewer than two frames were kept. Closed before the live panorama, or with it. */
        public final NativeMosaic mosaic;
        /** Null if it came to its end. */
        public final RuntimeException ended;

        private Finished(NativeMosaic mosaic, RuntimeException ended) {
            this.mosaic = mosaic;
            this.ended = ended;
        }
    }

    /** Makes the mosaic of the kept frames; no frame can be put afterwards. */
    public Finished finish() {
        boolean[] made = new boolean[1];
        RuntimeException ended = null;
        try {
            run(live -> Native.liveFinish(live, made));
        } catch (RuntimeException e) {
            ended = e;
        }
        return new Finished(made[0] ? ask(live -> new NativeMosaic(this, live, bridge)) : null, ended);
    }

    @Override
    void destroy(long object) {
        Native.liveDestroy(object);
    }
}
