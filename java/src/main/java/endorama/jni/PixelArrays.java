package endorama.jni;

import java.lang.reflect.Array;

/** The pixel types of {@code endo_pixel}, and checks of arrays against them. */
final class PixelArrays {
    private static final Class<?>[] CLASSES = {byte[].class, short[].class, int[].class};
    private static final String[] NAMES = {"byte[] (8-bit grey)", "short[] (16-bit grey)", "int[] (RGB)"};

    private PixelArrays() {
    }

    /** Throws unless the array has the type's class and at least n elements. */
    static void check(Object pixels, int type, long n) {
        if (type < 0 || type >= CLASSES.length) {
            throw argument("pixel type " + type + ": must be 0..2");
        }
        if (!CLASSES[type].isInstance(pixels)) {
            String is = pixels == null ? "null" : pixels.getClass().getSimpleName();
            throw argument("pixels are " + is + ": must be " + NAMES[type]);
        }
        checkLength("pixels", Array.getLength(pixels), n);
    }

    static void checkLength(String what, int length, long n) {
        if (length < n) {
            throw argument(what + ": " + length + " elements, needed " + n);
        }
    }

    /** Casts a 64-bit number of elements, if an array can have so many. */
    static int elements(String what, long n) {
        if (n < 0 || n > Integer.MAX_VALUE) {
            throw argument(what + ": " + n + " elements: an array of Java has 0.." + Integer.MAX_VALUE);
        }
        return (int) n;
    }

    static EndoramaException argument(String message) {
        return new EndoramaException(EndoramaException.Status.ARGUMENT, message);
    }
}
