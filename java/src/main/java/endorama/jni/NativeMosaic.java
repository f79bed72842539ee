package endorama.jni;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * The panorama of a sequence, {@code endo_mosaic}: one run and its results. Frames and hooks belong to the caller; they are
 * requested during a run, frames also on other threads than the calling one, but by one at a time.
 */
public final class NativeMosaic extends Handle {
    /** Levels of an event, {@code endo_event_level}: usual course; progress; lost frames; a warning about the whole result. */
    public static final int NOTE = 0, LOG = 1, LOST = 2, WARNING = 3;
    /**
     * Kinds of an event, {@code endo_event_kind}: frames not in the panorama; the field of view; the panorama is full; something
     * moves before the scene.
     */
    public static final int LEFT_OUT = 4, FIELD = 8, FULL = 13, LAYERS = 15;
    /** Number of reals and ints of a frame in {@link Records}. */
    public static final int FRAME_REALS = 24, FRAME_INTS = 35;
    /** Number of reals and ints of an edge in {@link Records}. */
    public static final int EDGE_REALS = 15, EDGE_INTS = 5;
    /** Pixels a reading call moves at most, unless a row is longer. */
    private static final int BAND = 1 << 22;
    private static final int TIMES = 9;
    private static final int LIGHT = 8;
    private static final int CURVE = 33;

    /** Lends the frames of the sequence, and follows the run. */
    public interface Caller {
        /** Index of the other image, which is no frame of the sequence. */
        int ONTO = -1;

        /**
         * The pixels of frame 0.. ({@link #ONTO}: the other image), byte[], short[] or int[] by type, unchanged until {@link
         * #giveBack}.
         */
        Object pixels(int frame) throws Exception;

        /** Gives back what {@link #pixels} returned: the library no longer reads these pixels. */
        void giveBack(int frame, Object pixels);

        /** Name of a frame, for messages; may be empty. */
        String name(int frame);

        /** Number of a frame, for messages and records; it grows from frame to frame. */
        int number(int frame);

        /** Something happened. */
        void event(Event event);

        /** Share of the run that is done, 0..1. */
        void progress(double share);

        /** The run should end, and keep its results. */
        boolean cancelled();

        /** A canvas has changed: {@link NativeMosaic#snapshot} may be called. Only if the run is watched. */
        void painted(int canvas);
    }

    /** An event of a run, {@code endo_event}: a finding, a warning, or frames that are lost. */
    public static final class Event {
        /** {@link #NOTE} .. {@link #WARNING}. */
        public final int level;
        /** {@code endo_event_kind}. */
        public final int kind;
        /** Indices of the first and the last frame concerned, from 0; -1: none. */
        public final int first, last;
        /** One line for people. */
        public final String text;

        public Event(int level, int kind, int first, int last, String text) {
            this.level = level;
            this.kind = kind;
            this.first = first;
            this.last = last;
            this.text = text;
        }
    }

    /** Number, size and type of the frames of a sequence. */
    public static final class Sequence {
        final int count, width, height, type;
        final boolean atHand;

        /** atHand: reading a frame takes no longer than copying it. */
        public Sequence(int count, int width, int height, int type, boolean atHand) {
            this.count = count;
            this.width = width;
            this.height = height;
            this.type = type;
            this.atHand = atHand;
        }
    }

    /**
     * Frames ({@code endo_mosaic_frame}) or edges, one after the other. Reals of a frame: nine numbers of the pose and of the
     * chained pose, deviation, dx, dy, coefficient, quality, milliseconds; ints: classes of both, reference, status,
     * registered, component, doubtful, key frame, chain, order, landmarks, found, used, computed, reused, back end, solved,
     * hidden cells, number.
     * Reals of an edge: nine numbers of the transform, deviation, two of perspective, their deviation, lens, its deviation;
     * ints: class, reference, current, doubtful, by hand.
     */
    public static final class Records {
        /** Number of frames or edges. */
        public final int size;
        public final double[] reals;
        public final int[] ints;

        private Records(int size, int reals, int ints) {
            this.size = size;
            this.reals = new double[PixelArrays.elements("records", (long) size * reals)];
            this.ints = new int[PixelArrays.elements("records", (long) size * ints)];
        }

        /** Records of frames, all 0. */
        public static Records frames(int size) {
            return new Records(size, FRAME_REALS, FRAME_INTS);
        }

        /** Records of edges, all 0. */
        public static Records edges(int size) {
            return new Records(size, EDGE_REALS, EDGE_INTS);
        }
    }

    /** A panorama: size, px; number of frames; sum of MosaicOptions.COVERAGE and UNCERTAINTY; where the first frame's pixel (0, 0) lies, px; pixels along one of it. */
    public static final class Description {
        public final int width, height, frames, extras;
        public final double originX, originY, scale;

        private Description(double[] numbers) {
            width = (int) numbers[0];
            height = (int) numbers[1];
            frames = (int) numbers[2];
            originX = numbers[3];
            originY = numbers[4];
            scale = numbers[5];
            extras = (int) numbers[6];
        }
    }

    /** Called by the library, which must not see an exception. */
    static final class Bridge {
        final Caller caller;
        Sequence sequence;
        /** The other image; null: there is none. */
        Sequence onto;
        private volatile Throwable failure;
        private volatile String reason = "";

        Bridge(Caller caller) {
            this.caller = caller;
        }

        private void fail(Throwable thrown) {
            if (failure == null) {
                failure = thrown;
            }
        }

        /** The pixels of a frame; null: it cannot be read, and {@link #reason} tells why. */
        Object lend(int frame) {
            try {
                Object pixels = caller.pixels(frame);
                Sequence lent = frame == Caller.ONTO ? onto : sequence;
                PixelArrays.check(pixels, lent.type, lent.width * lent.height);
                return pixels;
            } catch (Error e) {
                fail(e);
                reason = e.toString();
            } catch (Exception e) {
                reason = e.getMessage() == null ? e.toString() : e.getMessage();
            }
            return null;
        }

        /** Why the last requested frame cannot be read. */
        byte[] reason() {
            return utf8(reason);
        }

        void giveBack(int frame, Object pixels) {
            tell(() -> caller.giveBack(frame, pixels));
        }

        byte[] name(int frame) {
            try {
                String name = caller.name(frame);
                return name == null || name.isEmpty() ? null : utf8(name);
            } catch (RuntimeException | Error e) {
                fail(e);
                return null;
            }
        }

        int number(int frame) {
            try {
                return caller.number(frame);
            } catch (RuntimeException | Error e) {
                fail(e);
                return 0;
            }
        }

        void event(int level, int kind, int first, int last, byte[] text) {
            tell(() -> caller.event(new Event(level, kind, first, last, new String(text, StandardCharsets.UTF_8))));
        }

        void progress(double share) {
            tell(() -> caller.progress(share));
        }

        void painted(int canvas) {
            tell(() -> caller.painted(canvas));
        }

        private void tell(Runnable told) {
            try {
                told.run();
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        }

        boolean cancelled() {
            try {
                return failure != null || caller.cancelled();
            } catch (RuntimeException | Error e) {
                fail(e);
                return true;
            }
        }

        /** Throws the exception of a callback that ended the run. */
        void rethrow() {
            if (failure instanceof RuntimeException) {
                throw (RuntimeException) failure;
            }
            if (failure != null) {
                throw (Error) failure;
            }
        }
    }

    private final Bridge bridge;
    /** True: another native object frees this mosaic, and closing it frees nothing. */
    private final boolean borrowed;
    private Qualities qualities;
    private Sums sums;

    /** A mosaic that belongs to its owner; null: to itself. */
    NativeMosaic(Handle owner, long pointer, Bridge bridge) {
        super(owner, pointer);
        this.bridge = bridge;
        this.borrowed = owner != null;
    }

    /**
     * A mosaic that has not run.
     *
     * @param watched {@link Caller#painted} is called; unwatched painting can be postponed
     */
    public static NativeMosaic create(MosaicOptions o, Caller caller, boolean watched) {
        Bridge bridge = new Bridge(caller);
        return new NativeMosaic(null, made(out -> Native.mosaicCreate(o.ints(), o.longs(), o.reals(), o.context.devices, o.mask,
                o.scratch == null ? null : utf8(o.scratch), bridge, watched, o.context.failAfter, out)), bridge);
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** An exception of the caller's code takes precedence over the library's status. */
    @Override
    void check(int status) {
        bridge.rethrow();
        super.check(status);
    }

    /** Runs all stages, or with pairsAlone the first; the results up to its end or failure stay. */
    public void run(Sequence s, boolean pairsAlone) {
        bridge.sequence = s;
        run(mosaic -> Native.mosaicRun(mosaic, s.count, s.width, s.height, s.type, s.atHand, pairsAlone));
    }

    /** Paints panoramas of frames with these poses, one for each frame of the sequence. */
    public void paint(Sequence s, Records frames) {
        PixelArrays.checkLength("frames", frames.size, s.count);
        bridge.sequence = s;
        run(mosaic -> Native.mosaicPaint(mosaic, s.count, s.width, s.height, s.type, s.atHand, frames.reals, frames.ints));
    }

    /** Solves for the poses of frames of this size, px, from edges; spread: of {@link #field}. Changes the frames. */
    public void solve(int width, int height, double spread, Records frames, Records edges) {
        run(mosaic -> Native.mosaicSolve(mosaic, width, height, spread, frames.size, frames.reals, frames.ints, edges.size,
                edges.reals, edges.ints));
    }

    // ----------------------------------------------------- beside the panorama

    /** How well the poses of pairs fit: indices of the frames, from 0, and the measure, NaN where it is undefined. */
    public static final class Qualities {
        public final int[] frames, references;
        public final double[] values;

        private Qualities(int[] pairs, double[] values, int n) {
            frames = new int[n];
            references = new int[n];
            this.values = Arrays.copyOf(values, n);
            for (int i = 0; i < n; i++) {
                frames[i] = pairs[2 * i];
                references[i] = pairs[2 * i + 1];
            }
        }
    }

    /** The qualities up to the end of the run or its failure. */
    public Qualities qualities() {
        return qualities;
    }

    /** Measures how well the poses of frames fit to those distance frames before: {@link #qualities()}. */
    public void quality(Sequence s, Records frames, int distance) {
        PixelArrays.checkLength("frames", frames.size, s.count);
        bridge.sequence = s;
        int[] pairs = new int[PixelArrays.elements("pairs", 2L * s.count)];
        double[] values = new double[s.count];
        int[] n = new int[1];
        try {
            run(mosaic -> Native.mosaicQuality(mosaic, s.count, s.width, s.height, s.type, s.atHand, frames.reals, frames.ints,
                    distance, pairs, values, n));
        } finally {
            qualities = new Qualities(pairs, values, n[0]);
        }
    }

    /** A pair that was registered from a transform which somebody gave, {@code endo_refined_pair}. */
    public static final class Refined {
        /** One edge, as registered; null: nothing fits near the start. */
        public final Records edge;
        /** The 5 x 5 measure, NaN where undefined; how far the corners moved, px, NaN if nothing was found. */
        public final double quality, moved;
        /** For people: why nothing was refined; "" where it was. */
        public final String why;

        private Refined(Records edge, double[] numbers, byte[] why) {
            this.edge = numbers[2] == 0 ? null : edge;
            this.quality = numbers[0];
            this.moved = numbers[1];
            this.why = why == null ? "" : new String(why, StandardCharsets.UTF_8);
        }
    }

    /** Registers a frame onto a reference, both from 0, from a start (a class and nine numbers, current -&gt; reference). */
    public Refined refine(Sequence s, int reference, int current, int kind, double[] start) {
        bridge.sequence = s;
        Records edge = Records.edges(1);
        double[] numbers = new double[3];
        byte[][] why = new byte[1][];
        int[] pair = {reference, current, kind};
        run(mosaic -> Native.mosaicRefine(mosaic, s.count, s.width, s.height, s.type, s.atHand, pair, start, edge.reals,
                edge.ints, numbers, why));
        return new Refined(edge, numbers, why[0]);
    }

    /** Sums over all pairs, for each combination of options. */
    public static final class Sums {
        /** Numbers of registered pairs, of pairs with status ok, of coefficients computed and reused, of qualities. */
        public final long[] pairs, ok, computed, reused, qualities;
        /** Sum of the qualities; time of the registration, ms. */
        public final double[] quality, timeMs;

        private Sums(long[] longs, double[] reals, int n) {
            pairs = column(longs, 0, n);
            ok = column(longs, 1, n);
            computed = column(longs, 2, n);
            reused = column(longs, 3, n);
            qualities = column(longs, 4, n);
            quality = new double[n];
            timeMs = new double[n];
            for (int i = 0; i < n; i++) {
                quality[i] = reals[2 * i];
                timeMs[i] = reals[2 * i + 1];
            }
        }

        private static long[] column(long[] longs, int at, int n) {
            long[] column = new long[n];
            for (int i = 0; i < n; i++) {
                column[i] = longs[5 * i + at];
            }
            return column;
        }
    }

    /** The sums up to the end of the run or its failure. */
    public Sums sums() {
        return sums;
    }

    /** Registers consecutive frames with each of these options: {@link #sums()}. */
    public void sweep(Sequence s, List<RegisterOptions> combinations) {
        int n = combinations.size();
        int[] ints = new int[8 * n];
        double[] reals = new double[3 * n];
        long[] longs = new long[5 * n];
        double[] measured = new double[2 * n];
        for (int i = 0; i < n; i++) {
            System.arraycopy(combinations.get(i).ints(), 0, ints, 8 * i, 8);
            System.arraycopy(combinations.get(i).doubles(), 0, reals, 3 * i, 3);
        }
        bridge.sequence = s;
        try {
            run(mosaic -> Native.mosaicSweep(mosaic, s.count, s.width, s.height, s.type, s.atHand, n, ints, reals, longs,
                    measured));
        } finally {
            sums = new Sums(longs, measured, n);
        }
    }

    /**
     * Prepares the alignment of the frames of a component, in the size of a frame, or of their union.
     *
     * @return width, height, column and row of the first frame's pixel (0, 0)
     */
    public int[] align(Sequence s, Records frames, int component, boolean all) {
        PixelArrays.checkLength("frames", frames.size, s.count);
        bridge.sequence = s;
        int[] size = new int[4];
        run(mosaic -> Native.mosaicAlign(mosaic, s.count, s.width, s.height, s.type, s.atHand, frames.reals, frames.ints,
                component, all ? 1 : 0, size));
        return size;
    }

    /** Reads an aligned frame, from 0, of n pixels; false: it cannot be read, and all of it is 0. */
    public boolean readAligned(int frame, int n, Object pixels) {
        int[] readable = new int[1];
        PixelArrays.check(pixels, bridge.sequence.type, n);
        run(mosaic -> Native.mosaicReadAligned(mosaic, frame, bridge.sequence.type, n, pixels, readable));
        return readable[0] != 0;
    }

    /**
     * Says which poses no panorama can show.
     *
     * @param width of a frame, px, like height
     * @param maxCanvas pixels of a panorama at most
     * @return one a frame: the reason, for people; null where a panorama can show it
     */
    public static String[] wildPoses(Records frames, int width, int height, long maxCanvas) {
        NativeLibrary.load();
        byte[][] words = new byte[frames.size][];
        EndoramaException.check(Native.mosaicWildPoses(frames.size, frames.reals, frames.ints, width, height, maxCanvas,
                words));
        String[] why = new String[frames.size];
        for (int i = 0; i < why.length; i++) {
            why[i] = words[i] == null ? null : new String(words[i], StandardCharsets.UTF_8);
        }
        return why;
    }

    // ---------------------------------------------------------------- results

    /** Numbers of frames, edges, components. */
    private int[] counts() {
        int[] counts = new int[3];
        return ask(mosaic -> {
            Native.mosaicCounts(mosaic, counts);
            return counts;
        });
    }

    /** The records of every frame up to the last one reached. */
    public Records frames() {
        Records frames = Records.frames(counts()[0]);
        run(mosaic -> Native.mosaicFrames(mosaic, frames.reals, frames.ints));
        return frames;
    }

    /** Every edge that was accepted. */
    public Records edges() {
        Records edges = Records.edges(counts()[1]);
        run(mosaic -> Native.mosaicEdges(mosaic, edges.reals, edges.ints));
        return edges;
    }

    /** Number of panoramas; they are numbered from 1, the largest first. */
    public int components() {
        return counts()[2];
    }

    /** The description of a component, or of 0, the last snapshot; a width of 0: nothing is painted. */
    public Description describe(int component) {
        double[] numbers = new double[7];
        run(mosaic -> Native.mosaicDescribe(mosaic, component, numbers));
        return new Description(numbers);
    }

    /** Makes the canvas as it is component 0; only within {@link Caller#painted}. */
    public void snapshot(int canvas) {
        run(mosaic -> Native.mosaicSnapshot(mosaic, canvas));
    }

    /** Reads rows of a panorama of this width and type into the arrays that are not null. painted: -1 where painted. */
    public void read(int component, int first, int rows, int width, int type, Object pixels, byte[] painted,
            short[] coverage, short[] uncertainty) {
        int most = Math.max(1, BAND / Math.max(1, width));
        if (pixels != null) {
            PixelArrays.check(pixels, type, (long) rows * width);
        }
        for (int row = 0; row < rows; row += most) {
            int from = row;
            int n = Math.min(most, rows - row);
            run(mosaic -> Native.mosaicRead(mosaic, component, first + from, width, n, type, from * width, pixels, painted,
                    coverage, uncertainty));
        }
    }

    private String text(int which) {
        return new String(ask(mosaic -> Native.mosaicText(mosaic, which)), StandardCharsets.UTF_8);
    }

    /** Description of the back end, for people. */
    public String backend() {
        return text(0);
    }

    /** Description of the field of view, for people. */
    public String field() {
        return text(1);
    }

    /** Judges what was made; warned: number of warnings of earlier stages that this one did not repeat. */
    public Verdict judge(int warned) {
        int[] grade = new int[1];
        byte[][] words = new byte[Verdict.WORDS][];
        run(mosaic -> Native.mosaicJudge(mosaic, warned, grade, words));
        return new Verdict(grade[0], words);
    }

    /** Distortion of the lens that was taken out of the frames, percent; 0: none. */
    public double lens() {
        return ask(Native::mosaicLens);
    }

    /** Description of the light, for people; "" if it was not corrected. */
    public String light() {
        return text(2);
    }

    /** The field of view of frames of a number of pixels, 0 = outside; null: every pixel. spread: receives one number, px. */
    public byte[] field(int pixels, double[] spread) {
        byte[] mask = new byte[pixels];
        return ask(mosaic -> Native.mosaicField(mosaic, pixels, mask, spread)) ? mask : null;
    }

    /** Numbers of the light: found (0, 1), deviation, x, y, rim, flicker, colour, rest, then its curve; null: there is none. */
    public double[] lightNumbers() {
        double[] numbers = new double[LIGHT + CURVE];
        return ask(mosaic -> Native.mosaicLight(mosaic, numbers)) ? numbers : null;
    }

    /** Times of the stages, s: {@code endo_mosaic_times}. */
    public double[] spent() {
        double[] seconds = new double[TIMES];
        return ask(mosaic -> {
            Native.mosaicSpent(mosaic, seconds);
            return seconds;
        });
    }

    @Override
    void destroy(long object) {
        if (!borrowed) {
            Native.mosaicDestroy(object);
        }
    }
}
