package endorama.jni;

/** A synthetic endoscopic sequence with known truth; the same options give the same pixels everywhere. */
public final class NativeDemo extends Handle {
    /** Options of a demo sequence: {@code endo_demo_options}, with its defaults. */
    public static final class Options {
        /** Size of a frame, px, 64..4096. */
        public int width = 720, height = 576;
        /** Number of frames, 2..100000. */
        public int frames = 60;
        /** Camera path: 0 closed loop, 1 sweep to and fro, 2 spiral. */
        public int path;
        /** Mean motion from frame to frame, px, 0..64. */
        public double step = 6;
        /** Amplitude of the slow roll, degrees, 0..180. */
        public double rotation = 10;
        /** Amplitude of the slow change of scale, per cent, 0..50. */
        public double zoom = 8;
        /** Standard deviation of the noise, grey levels, 0..64. */
        public double noise = 2;
        /** Amplitude of brightness changes, per cent, 0..50. */
        public double flicker = 3;
        /** Number of specular highlights, 0..1000. */
        public int highlights = 12;
        /** Seed of the random numbers. */
        public long seed = 1;
    }

    private final int pixels;

    private NativeDemo(NativeContext context, long pointer, Options options) {
        super(context, pointer);
        pixels = PixelArrays.elements("frame", (long) options.width * options.height);
    }

    /** A sequence whose frames are rendered on demand. */
    public static NativeDemo create(NativeContext context, Options o) {
        int[] ints = {o.width, o.height, o.frames, o.path, o.highlights};
        double[] doubles = {o.step, o.rotation, o.zoom, o.noise, o.flicker};
        return new NativeDemo(context, context.ask(c -> made(out -> Native.demoCreate(c, ints, doubles, o.seed, out))), o);
    }

    /** Frame index, 0..frames-1: width*height pixels 0xAARRGGBB. */
    public int[] render(int index) {
        int[] image = new int[pixels];
        run(demo -> Native.demoRender(demo, index, pixels, image));
        return image;
    }

    /** Frame index -&gt; frame 0: its class; matrix receives its nine numbers, by rows. */
    public int truth(int index, double[] matrix) {
        int[] kind = new int[1];
        run(demo -> Native.demoTruth(demo, index, matrix, kind));
        return kind[0];
    }

    @Override
    void destroy(long object) {
        Native.demoDestroy(object);
    }
}
