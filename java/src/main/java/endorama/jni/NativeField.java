package endorama.jni;

/** Detects the endoscope's field of view. */
public final class NativeField {
    private NativeField() {
    }

    /**
     * Detects a circle, perhaps cut, in one image of a size (px) and type (0 8-bit, 1 16-bit, 2 RGB).
     *
     * @param context on whose CPU threads it works
     * @param low 16 bit: grey value that becomes 0
     * @param high 16 bit: grey value that becomes 255
     * @return width*height bytes, -1 (255) inside, 0 outside; null: there is no circle
     */
    public static byte[] circle(NativeContext context, int type, int width, int height, Object pixels, int low, int high) {
        PixelArrays.check(pixels, type, (long) width * height);
        byte[] mask = new byte[PixelArrays.elements("mask", (long) width * height)];
        boolean[] found = new boolean[1];
        context.run(c -> Native.fieldCircle(c, type, width, height, pixels, low, high, mask, found));
        return found[0] ? mask : null;
    }
}
