package endorama.jni;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Sizes whose product does not fit an int: refused by the natives with the number, before anything is read or written. The Java
 * classes refuse most of these before; here the natives are called directly.
 */
class NativeSizesTest {
    /** 65536 * 65537 overflows to 65536 as an int: an array of that length exists. */
    private static final int W = 65536;
    private static final int H = 65537;
    private static final String AREA = "4295032832 elements: an array of Java has 0..2147483647";

    private NativeContext context;
    private NativeAligner aligner;

    @BeforeEach
    void open() {
        context = NativeContext.create(NativeContext.CPU, 1);
        aligner = NativeAligner.create(context, 0, 64, 48, 64, 48);
    }

    @AfterEach
    void close() {
        aligner.close();
        context.close();
    }

    private static void assertRefused(int code, String text) {
        assertEquals(1 + EndoramaException.Status.ARGUMENT.ordinal(), code);
        String message = Native.lastError();
        assertTrue(message.contains(text), message);
    }

    @Test
    void images() {
        byte[] small = new byte[W];
        long pointer = context.acquire();
        boolean[] found = new boolean[1];
        assertRefused(Native.fieldCircle(pointer, 0, W, H, small, 0, 255, small, found), AREA);
        assertRefused(Native.fieldCircle(pointer, 0, W, -H, small, 0, 255, small, found), "-4295032832 elements");
        assertRefused(Native.fieldCircle(pointer, 0, W, 2, small, 0, 255, small, found), "needed 131072");
        context.release();
        NativeDemo.Options options = new NativeDemo.Options();
        try (NativeDemo demo = NativeDemo.create(context, options)) {
            assertRefused(Native.demoRender(demo.acquire(), 0, -5, new int[1]), "-5 elements");
            demo.release();
        }
    }

    /** Rows that end beyond 2^31. */
    @Test
    void rows() {
        try (NativeAhe ahe = NativeAhe.create()) {
            long pointer = ahe.acquire();
            int[] far = {0, 16, Integer.MAX_VALUE, 1, 0, Integer.MAX_VALUE, 16, 1};
            assertRefused(Native.ahePut(pointer, new byte[256], far, 1), "needed 2147483648 rows of 16");
            int[] wide = {0, W, 0, H, 0, 0, W, H};
            assertRefused(Native.ahePut(pointer, new byte[W], wide, 1), "needed 65537 rows of 65536");
            ahe.release();
        }
    }

    /** Arrays that are too short are Java's exception, images that are too long a message with both numbers. */
    @Test
    void arraysThatAreTooShort() {
        byte[] whole = new byte[64 * 48];
        double[] matrix = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        long pointer = aligner.acquire();
        assertRefused(Native.alignerDraw(pointer, new byte[64 * 48 - 1], 0, matrix, 0, 0, whole),
                "pixels: 3071 elements, needed 3072");
        assertThrows(ArrayIndexOutOfBoundsException.class, () -> Native.alignerDraw(pointer, whole, 0, matrix, 0, 0,
                new byte[64 * 48 - 1]));
        assertThrows(ArrayIndexOutOfBoundsException.class, () -> Native.alignerDraw(pointer, whole, 0, new double[8], 0, 0,
                whole));
        assertThrows(ArrayIndexOutOfBoundsException.class, () -> Native.alignerCreate(pointer, new int[4], new long[1]));
        aligner.release();
    }

    /** Both the bindings and the library set messages: that of the last failure is reported. */
    @Test
    void lastErrorIsTheLast() {
        byte[] whole = new byte[64 * 48];
        double[] matrix = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        long pointer = aligner.acquire();
        assertRefused(Native.alignerDraw(pointer, new byte[5], 0, matrix, 0, 0, whole), "pixels: 5 elements, needed 3072");
        assertRefused(Native.alignerDraw(pointer, whole, 9, matrix, 0, 0, whole), "9");
        assertRefused(Native.alignerDraw(pointer, new byte[6], 0, matrix, 0, 0, whole), "pixels: 6 elements");
        assertThrows(ArrayIndexOutOfBoundsException.class, () -> Native.alignerDraw(pointer, whole, 0, matrix, 0, 0,
                new byte[1]));
        assertRefused(Native.alignerDraw(pointer, whole, 8, matrix, 0, 0, whole), "8");
        aligner.release();
    }
}
