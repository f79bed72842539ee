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
        long[] out = new long[1];
        long pointer = context.acquire();
        try {
            EndoramaException.check(Native.demoCreate(pointer, ints, doubles, o.seed, out));
            return new NativeDemo(context, out[0], o);
        } finally {
            context.release();
        }
    }

    /** Frame index, 0..frames-1: width*height pixels 0xAARRGGBB. */
    public int[] render(int index) {
        int[] image = new int[pixels];
        long demo = acquire();
        try {
            EndoramaException.check(Native.demoRender(demo, index, pixels, image));
        } finally {
            release();
        }
        return image;
    }

    /** Stores frame index -&gt; frame 0 in entry i of a list. */
    public void truth(int index, NativeTransforms list, int i) {
        double[] matrix = new double[NativeTransforms.NUMBERS];
        int[] kind = new int[1];
        long demo = acquire();
        try {
            EndoramaException.check(Native.demoTruth(demo, index, matrix, kind));
        } finally {
            release();
        }
        list.set(i, kind[0], matrix);
    }

    /** The field of view of every frame: width*height bytes, -1 (255) inside, 0 outside. */
    public byte[] field() {
        byte[] mask = new byte[pixels];
        long demo = acquire();
        try {
            EndoramaException.check(Native.demoField(demo, pixels, mask));
        } finally {
            release();
        }
        return mask;
    }

    @Override
    void destroy(long object) {
        Native.demoDestroy(object);
    }
}
