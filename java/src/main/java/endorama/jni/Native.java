package endorama.jni;

import java.util.function.BooleanSupplier;

/**
 * The functions of the native library, one to one, documented in {@code native/include/endorama.h}. A returned int is an {@code
 * endo_status}. Called only by {@link Handle}s and similar classes, after {@link NativeLibrary#load()} and after checking array
 * types and lengths.
 */
final class Native {
    private Native() {
    }

    static native int abi();

    static native String version();

    /** Message of this thread's last failure. */
    static native String lastError();

    // ---------------------------------------------------------------- context

    static native int contextCreate(int backend, int threads, int cpu, int[] devices, long memoryLimit, long[] out);

    static native void contextDestroy(long context);

    static native String contextDescription(long context);

    static native String contextNote(long context);

    static native int contextThreads(long context);

    // ---------------------------------------------------------------- devices

    /** reason: receives why there is no device, "" if there is one. */
    static native int deviceCount(String[] reason);

    /** name: receives the name. numbers: major, minor, multiprocessors, memory, free memory, usable. */
    static native int deviceDescribe(int device, String[] name, long[] numbers);

    static native int cudaVersion();

    static native int cudaDriverVersion();

    /** Returns the back end; reason: receives a line for the log. */
    static native int backendChoose(int width, int height, int type, long frames, int threads, String[] reason);

    /** Returns the back end for registrations by mutual information; reason: receives a line for the log. */
    static native int backendChooseMutual(int width, int height, int depth, long registrations, int threads,
            String[] reason);

    /** numbers: equal to plain C (0 or 1), seconds. */
    static native int selfTest(int backend, int threads, int cpu, int device, long memoryLimit, double[] numbers);

    /** Opens cuFFT and closes it: returns the file name, or null, and then error receives the reason. */
    static native String fourierLibrary(String[] error);

    // ----------------------------------------------------------- colours of files

    /** bytes: n*samples. pixels: n from first on. */
    static native int coloursFromBytes(byte[] bytes, int samples, int n, int[] pixels, int first);

    // ---------------------------------------------------------- field of view

    /** pixels: byte[], short[] or int[] by type, width*height. mask: as many. found: receives whether there is a circle. */
    static native int fieldCircle(long context, int type, int width, int height, Object pixels, int low, int high,
            byte[] mask, boolean[] found);

    // ---------------------------------------------------------------- alignment

    /** sizes: type, width and height of a frame, of the canvas. */
    static native int alignerCreate(long context, int[] sizes, long[] out);

    static native void alignerDestroy(long aligner);

    /** kind: a class; matrix: nine numbers. Both images: byte[], short[] or int[] by type. */
    static native int alignerDraw(long aligner, Object frame, int kind, double[] matrix, int originX, int originY,
            Object canvas);

    // ----------------------------------------------------- adaptive equalization

    /** An empty object for one image at a time; it belongs to no context. */
    static native int aheCreate(long[] out);

    static native void aheDestroy(long ahe);

    /**
     * Copies rows of an image in. numbers: type, width of the image, first row, rows; x, y, width, height of the region to
     * equalize, pixels of the image.
     */
    static native int ahePut(long ahe, Object pixels, int[] numbers, int threads);

    /**
     * Equalizes rows of the region. numbers: method, window, low, high; the rows from and to, and the rows in their windows
     * from and to, of the image, ends excluded.
     */
    static native int aheRun(long ahe, long context, int[] numbers, double limit);

    /** Copies the equalized region into an image of the size of the one put in. */
    static native int aheGet(long ahe, Object pixels, int threads);

    // ------------------------------------------------------- mutual information

    /** A volume of zeros; it belongs to no context. sizes: type, width, height, depth. world: 16 numbers. */
    static native int volumeCreate(int[] sizes, double[] world, long[] out);

    static native void volumeDestroy(long volume);

    /** pixels: byte[], short[] or int[] by type, width*height. */
    static native int volumePut(long volume, int slice, Object pixels);

    static native int volumeGet(long volume, int slice, Object pixels);

    static native int volumeMask(long volume, int slice, byte[] mask);

    /** Resamples the moving volume in the grid of the fixed one, as a new volume. */
    static native int volumeResample(long context, long fixed, long moving, double[] world, int interpolation,
            long[] out);

    /**
     * Copies both volumes. ints: model, bins, measure, interpolation, optimizer, levels, starts, initial, most evaluations.
     * doubles: turn range, shift range, overlap, tolerance, initial map (16).
     */
    static native int mutualCreate(long context, long fixed, long moving, int[] ints, double[] doubles, long[] out);

    static native void mutualDestroy(long mutual);

    /**
     * stop: polled every few evaluations, on this thread. measures: voxels (16), world (16), before, after, overlap, certainty.
     * codes: status, stop, starts, levels, evaluations. levelInts: of each of 8 levels width, height, depth, bins, evaluations;
     * levelDoubles: measure, seconds.
     */
    static native int mutualRegister(long context, long mutual, BooleanSupplier stop,
            double[] measures, int[] codes, int[] levelInts, double[] levelDoubles);

    // ---------------------------------------------------------- demo sequence

    /** ints: width, height, frames, path, highlights. doubles: step, rotation, zoom, noise, flicker. */
    static native int demoCreate(long context, int[] ints, double[] doubles, long seed, long[] out);

    static native void demoDestroy(long demo);

    static native int demoRender(long demo, int index, int n, int[] pixels);

    /** matrix: nine numbers; kind: a class. */
    static native int demoTruth(long demo, int index, double[] matrix, int[] kind);

    // ----------------------------------------------------------------- mosaic

    /** The arrays: see MosaicOptions. bridge: NativeMosaic.Bridge, which is called during the run. */
    static native int mosaicCreate(int[] ints, long[] longs, double[] reals, int[] devices, byte[] mask, byte[] scratch,
            Object bridge, boolean watched, int failAfter, long[] out);

    static native void mosaicDestroy(long mosaic);

    static native int mosaicRun(long mosaic, int count, int width, int height, int type, boolean atHand,
            boolean pairsAlone);

    /** reals, ints: frames as in NativeMosaic.Records. */
    static native int mosaicPaint(long mosaic, int count, int width, int height, int type, boolean atHand, double[] reals,
            int[] ints);

    /** The arrays of mosaicPaint, of n frames, which receive the poses, and of edges. */
    static native int mosaicSolve(long mosaic, int width, int height, double spread, int n, double[] frameReals,
            int[] frameInts, int edges, double[] edgeReals, int[] edgeInts);

    /** counts: receives the numbers of frames, edges, components. */
    static native void mosaicCounts(long mosaic, int[] counts);

    static native int mosaicFrames(long mosaic, double[] reals, int[] ints);

    static native int mosaicEdges(long mosaic, double[] reals, int[] ints);

    /** numbers: width, height, frames, x and y of the origin, scale, extras. */
    static native int mosaicDescribe(long mosaic, int component, double[] numbers);

    static native int mosaicSnapshot(long mosaic, int canvas);

    /** Reads rows from y on, into the arrays from offset on; each array may be null. */
    static native int mosaicRead(long mosaic, int component, int y, int width, int height, int type, int offset,
            Object pixels, byte[] painted, short[] coverage, short[] uncertainty);

    /** UTF-8 text; which: 0 back end, 1 field of view, 2 light. */
    static native byte[] mosaicText(long mosaic, int which);

    /** Receives the grade, and as UTF-8 texts its word, why, what to do first, and pieces of advice: six at most. */
    static native int mosaicJudge(long mosaic, int warned, int[] grade, byte[][] words);

    static native double mosaicLens(long mosaic);

    /** False: every pixel is in the field. spread: receives one number. */
    static native boolean mosaicField(long mosaic, int n, byte[] mask, double[] spread);

    /** False: no light was estimated. */
    static native boolean mosaicLight(long mosaic, double[] numbers);

    static native void mosaicSpent(long mosaic, double[] seconds);

    // ----------------------------------------------------------- beside the panorama

    /**
     * reals, ints: frames, see NativeMosaic.Records. Receives frame and reference of each pair, its quality, and their number.
     */
    static native int mosaicQuality(long mosaic, int count, int width, int height, int type, boolean atHand, double[] reals,
            int[] ints, int distance, int[] frames, double[] values, int[] n);

    /**
     * pair: reference and current, from 0, and the class of the start, whose matrix follows. The edge's arrays receive one
     * edge; numbers: quality, moved, refined; why: a text in UTF-8, null if it was refined.
     */
    static native int mosaicRefine(long mosaic, int count, int width, int height, int type, boolean atHand, int[] pair,
            double[] start, double[] edgeReals, int[] edgeInts, double[] numbers, byte[][] why);

    /** The pair arrays: n RegisterOptions. The results receive pairs, ok, computed, reused, qualities; their sum, ms. */
    static native int mosaicSweep(long mosaic, int count, int width, int height, int type, boolean atHand, int n,
            int[] pairInts, double[] pairReals, long[] longs, double[] reals);

    /** size: receives width, height, x and y of the origin. */
    static native int mosaicAlign(long mosaic, int count, int width, int height, int type, boolean atHand, double[] reals,
            int[] ints, int component, int extent, int[] size);

    /** n: pixels of a frame; readable: receives 1, or 0. */
    static native int mosaicReadAligned(long mosaic, int frame, int type, int n, Object pixels, int[] readable);

    /** words: receives the reason for each frame with a wild pose, UTF-8. */
    static native int mosaicWildPoses(int n, double[] reals, int[] ints, int width, int height, long maxCanvas,
            byte[][] words);

    /** places: of n points x, y, then of their targets; matrix: receives 9 numbers, or stays where no transform is the best. */
    static native int transformFit(int n, double[] places, int kind, double[] matrix);

    // ------------------------------------------------------------- live panorama

    /** The arrays, bridge: as mosaicCreate. */
    static native int liveCreate(int[] ints, long[] longs, double[] reals, int[] devices, byte[] mask, byte[] scratch,
            Object bridge, double step, int preview, boolean loops, long[] out);

    static native void liveDestroy(long live);

    /** reals, numbers: see NativeLive.FRAME_REALS and FRAME_NUMBERS. */
    static native int livePut(long live, int width, int height, int type, Object pixels, double[] reals, long[] numbers);

    /** reals, numbers, counts: see NativeLive. */
    static native int liveDescribe(long live, double[] reals, long[] numbers, long[] counts);

    /** room: pixels that fit into the array; it receives those of the preview, and the others its description. */
    static native int liveRead(long live, int type, int room, Object pixels, double[] reals, long[] numbers);

    /** made: receives whether there is a mosaic, which the pointer of the live panorama then stands for. */
    static native int liveFinish(long live, boolean[] made);

    // -------------------------------------------------------------- chains

    /** ints: back end, threads, reference; search, tolerance, bins, percentile, subpixel; period, kalman. */
    static native int exposureChainCreate(int[] ints, long memory, int[] devices, Object bridge, int failAfter, long[] out);

    /**
     * ints: back end, threads, reference; model, window, gradient, refine, candidates, paper; left, top, right, bottom of the
     * compared region, and of the other image's; its width, height, type (0, 0, 0: none). reals: largest scale, angle.
     */
    static native int fourierChainCreate(int[] ints, double[] reals, long memory, int[] devices, byte[] mask, Object bridge,
            int failAfter, long[] out);

    static native void chainDestroy(long chain);

    static native int chainRun(long chain, int count, int width, int height, int type);

    static native int chainCount(long chain);

    /** reals, ints: see NativeChain.Frames. */
    static native int chainFrames(long chain, double[] reals, int[] ints);

    /** UTF-8 text: the field of view, or the back end. */
    static native byte[] chainText(long chain, boolean field);
}
