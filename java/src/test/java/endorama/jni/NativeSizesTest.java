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
    private NativeFrames frames;

    @BeforeEach
    void open() {
        context = NativeContext.create(NativeContext.CPU, 1);
        FramesOptions options = new FramesOptions();
        options.width = 64;
        options.height = 48;
        options.capacity = 2;
        frames = NativeFrames.create(context, options);
        frames.put(0, new byte[64 * 48]);
        frames.put(1, new byte[64 * 48]);
    }

    @AfterEach
    void close() {
        frames.close();
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
        try (NativeField field = NativeField.create(context, 0, 64, 48, 0, 255)) {
            long finder = field.acquire();
            assertRefused(Native.fieldAdd(finder, small, 0, W, H), "needed 4295032832");
            assertRefused(Native.fieldAdd(finder, small, 0, W, -H), "needed -4295032832");
            assertRefused(Native.fieldFind(finder, -1, small, new double[8]), "-1 elements");
            field.release();
        }
        try (NativeCanvas canvas = NativeCanvas.create(context, 0, 100, 100)) {
            long pointer = canvas.acquire();
            assertRefused(Native.canvasRead(pointer, 0, 0, W, H, 0, 0, small, null), AREA);
            assertRefused(Native.canvasRead(pointer, 0, 0, W, -H, 0, 0, small, null), "-4295032832 elements");
            canvas.release();
        }
        NativeDemo.Options options = new NativeDemo.Options();
        try (NativeDemo demo = NativeDemo.create(context, options)) {
            long pointer = demo.acquire();
            assertRefused(Native.demoRender(pointer, 0, -5, new int[1]), "-5 elements");
            assertRefused(Native.demoField(pointer, -5, small), "-5 elements");
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

    /** n is an int, but the numbers of n pairs are too many. */
    @Test
    void pairs() {
        int n = Integer.MAX_VALUE / 8 + 1;
        int[] pair = {0, 1};
        long store = frames.acquire();
        RegisterOptions options = new RegisterOptions();
        assertRefused(Native.registerPairs(store, pair, n, options.ints(), options.doubles(), new double[8],
                new int[7]), "4563402752 elements");
        assertRefused(Native.quality(store, pair, new double[9], new int[1], 400000000, new double[1]),
                "3600000000 elements");
        try (NativeCanvas canvas = NativeCanvas.create(context, 0, 100, 100)) {
            assertRefused(Native.canvasPaint(canvas.acquire(), store, pair, new double[9], new int[1], 400000000,
                    0, 0, NativeCanvas.UNION), "3600000000 elements");
            canvas.release();
        }
        frames.release();
        assertTooMany("4563402752 elements", () -> new PairResults(n));
    }

    private static void assertTooMany(String text, org.junit.jupiter.api.function.Executable call) {
        EndoramaException e = assertThrows(EndoramaException.class, call);
        assertEquals(EndoramaException.Status.ARGUMENT, e.status());
        assertTrue(e.getMessage().contains(text), e.getMessage());
    }

    /** Arrays that are too short are Java's exception, images that are too long a message with both numbers. */
    @Test
    void arraysThatAreTooShort() {
        long store = frames.acquire();
        assertRefused(Native.framesPut(store, 0, new byte[64 * 48 - 1]), "pixels: 3071 elements, needed 3072");
        assertThrows(ArrayIndexOutOfBoundsException.class, () -> Native.framesGetGrey(store, 0, new byte[64 * 48 - 1]));
        assertThrows(ArrayIndexOutOfBoundsException.class, () -> Native.quality(store, new int[1], new double[9],
                new int[1], 1, new double[1]));
        frames.release();
    }

    /** Both the bindings and the library set messages: that of the last failure is reported. */
    @Test
    void lastErrorIsTheLast() {
        long store = frames.acquire();
        assertRefused(Native.framesPut(store, 0, new byte[5]), "pixels: 5 elements, needed 3072");
        assertRefused(Native.framesPut(store, 7, new byte[64 * 48]), "slot 7");
        assertRefused(Native.framesPut(store, 0, new byte[6]), "pixels: 6 elements");
        assertThrows(ArrayIndexOutOfBoundsException.class, () -> Native.framesGetGrey(store, 0, new byte[1]));
        assertRefused(Native.framesPut(store, 8, new byte[64 * 48]), "slot 8");
        frames.release();
    }

    @Test
    void imagesAtOnce() {
        byte[] whole = new byte[64 * 48];
        long store = frames.acquire();
        try {
            int[] slots = new int[17];
            assertRefused(Native.framesPutList(store, slots, 17, new Object[17]), "17 images: must be 0..16");
            assertRefused(Native.framesPutList(store, slots, -1, new Object[1]), "-1 images");
            assertRefused(Native.framesPutList(store, slots, 2, new Object[] {whole, null}), "image 1: null");
            assertRefused(Native.framesPutList(store, slots, 1, new Object[] {new byte[64 * 48 - 1]}), "too few pixels");
            assertRefused(Native.framesPutList(store, slots, 2, new Object[] {whole, whole}), "slot 0 comes twice");
            assertEquals(0, Native.framesPutList(store, new int[] {1, 0}, 2, new Object[] {whole, whole}));
        } finally {
            frames.release();
        }
    }
}
