package endorama.jni;

/** A canvas in the back end's memory. */
public final class NativeCanvas extends Handle {
    /** Paint only pixels that nothing has painted yet. */
    public static final int RING = 1;
    /** Paint every pixel that the frame reaches. */
    public static final int UNION = 2;
    /** Longest side, px: {@code endo_canvas_create}, {@code endo_blend_create}. */
    public static final int LONGEST = 1 << 20;
    /** Pixels a reading call moves at most, unless a row is longer. */
    private static final int BAND = 1 << 22;

    private final NativeContext context;
    private final int type;

    private NativeCanvas(NativeContext context, long pointer, int type) {
        super(context, pointer);
        this.context = context;
        this.type = type;
    }

    /** An unpainted canvas of a pixel type (0 8-bit, 1 16-bit, 2 RGB) and a size in px. */
    public static NativeCanvas create(NativeContext context, int type, int width, int height) {
        long[] out = new long[1];
        long pointer = context.acquire();
        try {
            EndoramaException.check(Native.canvasCreate(pointer, type, width, height, out));
            return new NativeCanvas(context, out[0], type);
        } finally {
            context.release();
        }
    }

    /** Makes every pixel unpainted. */
    public void clear() {
        long canvas = acquire();
        try {
            EndoramaException.check(Native.canvasClear(canvas));
        } finally {
            release();
        }
    }

    /**
     * Paints frames in order.
     *
     * @param transforms one a frame, frame -&gt; panorama; denominators positive in all of the frame
     * @param originX canvas pixel on which the panorama's point (0, 0) lies, within +-2^21
     * @param originY the same for y
     * @param painting {@link #RING} or {@link #UNION}
     */
    public void paint(NativeFrames frames, int[] slots, NativeTransforms transforms, int originX, int originY,
            int painting) {
        if (slots.length == 0) {
            return;
        }
        PixelArrays.checkLength("transforms", transforms.size(), slots.length);
        long canvas = acquire();
        try {
            long source = frames.acquire();
            try {
                context.step();
                EndoramaException.check(Native.canvasPaint(canvas, source, slots, transforms.matrices(),
                        transforms.kinds(), slots.length, originX, originY, painting));
            } finally {
                frames.release();
            }
        } finally {
            release();
        }
    }

    /**
     * Reads a rectangle of the canvas, width*height pixels, dense.
     *
     * @param pixels byte[], short[] or int[] by the canvas's type
     * @param painted receives -1 (255) where painted, 0 elsewhere; may be null
     */
    public void read(int x, int y, int width, int height, Object pixels, byte[] painted) {
        long area = (long) width * height;
        PixelArrays.check(pixels, type, area);
        if (painted != null) {
            PixelArrays.checkLength("painted", painted.length, area);
        }
        long canvas = acquire();
        try {
            int rows = Math.max(1, BAND / Math.max(1, width));
            for (int row = 0; row < height; row += rows) {
                int n = Math.min(rows, height - row);
                EndoramaException.check(Native.canvasRead(canvas, x, y + row, width, n, type, row * width, pixels,
                        painted));
            }
        } finally {
            release();
        }
    }

    @Override
    void destroy(long object) {
        Native.canvasDestroy(object);
    }
}
