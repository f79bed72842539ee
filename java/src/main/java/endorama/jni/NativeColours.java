package endorama.jni;

/** Colours as files and cameras have them: bytes of red, green and blue. */
public final class NativeColours {
    private NativeColours() {
    }

    /**
     * Makes n pixels, 0xffRRGGBB, of the first bytes.
     *
     * @param samples bytes of a pixel, 3..; those behind the third do not count
     * @param first the place of the first pixel
     * @throws EndoramaException if an array is too short, or the library cannot be loaded
     */
    public static void fromBytes(byte[] bytes, int samples, int[] pixels, int first, int n) {
        NativeLibrary.load();
        if (n < 0 || first < 0) {
            throw PixelArrays.argument(n + " pixels from " + first + ": must not be below 0");
        }
        PixelArrays.checkLength("bytes", bytes.length, (long) n * samples);
        PixelArrays.checkLength("pixels", pixels.length, (long) first + n);
        EndoramaException.check(Native.coloursFromBytes(bytes, samples, n, pixels, first));
    }
}
