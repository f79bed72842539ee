package endorama.jni;

/** Draws frames as transforms move them, each alone on a canvas, in the back end's memory; interpolates. */
public final class NativeAligner extends Handle {
    private final int type;
    private final int pixels;
    private final int drawn;

    private NativeAligner(NativeContext context, long pointer, int type, int pixels, int drawn) {
        super(context, pointer);
        this.type = type;
        this.pixels = pixels;
        this.drawn = drawn;
    }

    /**
     * Makes an aligner for frames of one type and size.
     *
     * @param type 0 8-bit, 1 16-bit, 2 RGB
     * @param width of a frame, px, like height
     * @param canvasWidth of what is drawn, px, like canvasHeight
     */
    public static NativeAligner create(NativeContext context, int type, int width, int height, int canvasWidth,
            int canvasHeight) {
        int pixels = PixelArrays.elements("frame", (long) width * height);
        int drawn = PixelArrays.elements("canvas", (long) canvasWidth * canvasHeight);
        int[] sizes = {type, width, height, canvasWidth, canvasHeight};
        long pointer = context.ask(c -> made(out -> Native.alignerCreate(c, sizes, out)));
        return new NativeAligner(context, pointer, type, pixels, drawn);
    }

    /**
     * Draws one frame; pixels that it does not reach are 0.
     *
     * @param kind one of {@link NativeTransforms}
     * @param matrix frame -&gt; reference, nine numbers by rows; denominators positive in all of the frame
     * @param originX canvas pixel on which the reference's point (0, 0) lies, within +-2^21
     * @param originY the same for y
     * @param canvas receives the canvas's pixels: byte[], short[] or int[] by type
     */
    public void draw(Object frame, int kind, double[] matrix, int originX, int originY, Object canvas) {
        PixelArrays.check(frame, type, pixels);
        PixelArrays.check(canvas, type, drawn);
        run(aligner -> Native.alignerDraw(aligner, frame, kind, matrix, originX, originY, canvas));
    }

    @Override
    void destroy(long object) {
        Native.alignerDestroy(object);
    }
}
