package endorama.core.equalize;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.Progress;
import endorama.core.engine.BackEnd;
import endorama.core.frames.PixelType;
import endorama.core.options.Commands;
import endorama.core.transforms.Rect;
import endorama.jni.AheOptions;
import endorama.jni.EndoramaException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Equalized arrays compared with the definition, counted pixel by pixel. */
class EqualizerTest {
    private static final int W = 41;
    private static final int H = 33;

    @AfterEach
    void noMoreFailures() {
        System.clearProperty(BackEnd.FAIL_AFTER);
    }

    private static EqualizeParameters parameters(String line) {
        return EqualizeParameters.of(Commands.AHE.parseMacro(line.contains("limit") ? line : "limit=0 " + line));
    }

    private static Object apply(String line, PixelType type, int width, Object pixels, Rect region, long band,
            Progress progress) {
        int n = type.length(pixels);
        Object out = type.array(n);
        System.arraycopy(pixels, 0, out, 0, n);
        try (Equalizer equalizer = new Equalizer(parameters(line), 1).inBandsOf(band)) {
            equalizer.apply(type, width, n / width, out, region, out, progress);
        }
        return out;
    }

    private static Object apply(String line, PixelType type, int width, Object pixels) {
        return apply(line, type, width, pixels, null, 0, Progress.NONE);
    }

    /** Windows range from small to larger than the image. */
    @ParameterizedTest
    @CsvSource({"3,0", "7,0", "15,0", "31,0", "63,0", "151,0", "3,2", "7,1.5", "15,3", "31,3", "63,20", "151,1.1"})
    void everyTypeIsAsDefined(int window, double limit) {
        String line = "window=" + window + " limit=" + limit;
        int[] grey = BruteEqualization.scene(W, H, 255, 1);
        assertArrayEquals(BruteEqualization.bytes(BruteEqualization.grey8(grey, W, window, limit)),
                (byte[]) apply(line, PixelType.GREY8, W, BruteEqualization.bytes(grey)));
        int[] deep = BruteEqualization.scene(W, H, 40000, 2);
        assertArrayEquals(BruteEqualization.shorts(BruteEqualization.grey16(deep, W, window, limit)),
                (short[]) apply(line, PixelType.GREY16, W, BruteEqualization.shorts(deep)));
        int[] colours = BruteEqualization.colours(W, H, 3);
        assertArrayEquals(BruteEqualization.rgb(colours, W, window, limit),
                (int[]) apply(line, PixelType.RGB32, W, colours));
    }

    private static final int SIDE = 240;
    private static final int RADIUS = 100;

    private static boolean inside(int x, int y) {
        return Math.hypot(x - 119.5, y - 119.5) < RADIUS;
    }

    /** A scene in the circle of an endoscope, with the noise of a dark sensor around it. */
    private static byte[] scope(int seed) {
        int[] scene = BruteEqualization.scene(SIDE, SIDE, 200, seed);
        byte[] pixels = new byte[SIDE * SIDE];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) (inside(i % SIDE, i / SIDE) ? 50 + scene[i] : i * 31 % 5);
        }
        return pixels;
    }

    /** The picture is equalized as if mirrored at its rim; the surround stays. */
    @Test
    void surroundOfAScopeStaysAndDoesNotCount() {
        byte[] pixels = scope(5);
        byte[] out = (byte[]) apply("window=31 limit=0", PixelType.GREY8, SIDE, pixels);
        byte[] whole = (byte[]) apply("window=31 limit=0 field=Whole", PixelType.GREY8, SIDE, pixels);
        long rim = 0;
        long rimOfWhole = 0;
        int n = 0;
        for (int i = 0; i < pixels.length; i++) {
            double far = Math.hypot(i % SIDE - 119.5, i / SIDE - 119.5);
            if (far > RADIUS + 3) {
                assertEquals(pixels[i], out[i], "pixel " + i);
            } else if (far < RADIUS - 26) {
                assertEquals(whole[i], out[i], "pixel " + i);
            } else if (far < RADIUS - 3 && far > RADIUS - 6) {
                rim += out[i] & 255;
                rimOfWhole += whole[i] & 255;
                n++;
            }
        }
        assertTrue(n > 500);
        assertTrue(Math.abs(rim / (double) n - 127) < 20, "rim at " + rim / n);
        assertTrue(rimOfWhole / n > 150, "whole at " + rimOfWhole / n);
    }

    /** Works in place; a sequence keeps the field of its first image with one; another sequence is searched anew. */
    @Test
    void fieldIsThatOfTheSequence() {
        byte[] pixels = scope(6);
        byte[] bright = BruteEqualization.bytes(BruteEqualization.scene(SIDE, SIDE, 255, 7));
        try (Equalizer equalizer = new Equalizer(parameters("window=31 limit=3"), 2)) {
            byte[] first = pixels.clone();
            equalizer.apply(PixelType.GREY8, SIDE, SIDE, first, null, first, Progress.NONE);
            assertArrayEquals((byte[]) apply("window=31 limit=3", PixelType.GREY8, SIDE, pixels), first);
            byte[] second = bright.clone();
            equalizer.apply(PixelType.GREY8, SIDE, SIDE, second, null, second, Progress.NONE);
            assertEquals(bright[0], second[0]);
            equalizer.beginSequence();
            second = bright.clone();
            equalizer.apply(PixelType.GREY8, SIDE, SIDE, second, null, second, Progress.NONE);
            assertArrayEquals((byte[]) apply("window=31 limit=3 field=Whole", PixelType.GREY8, SIDE, bright), second);
        }
    }

    /** A region is equalized completely, even outside the field. */
    @Test
    void regionGoesBeforeTheField() {
        byte[] pixels = scope(8);
        Rect region = new Rect(0, 0, SIDE, SIDE - 1);
        assertArrayEquals((byte[]) apply("window=31 limit=3 field=Whole", PixelType.GREY8, SIDE, pixels, region, 0, Progress.NONE),
                (byte[]) apply("window=31 limit=3", PixelType.GREY8, SIDE, pixels, region, 0, Progress.NONE));
    }

    @Test
    void globalIsTheHistogramOfTheRegion() {
        int[] grey = BruteEqualization.scene(W, H, 255, 4);
        byte[] out = (byte[]) apply("method=Global", PixelType.GREY8, W, BruteEqualization.bytes(grey),
                new Rect(5, 7, 30, 20), 0, Progress.NONE);
        for (int i = 0; i < grey.length; i++) {
            int x = i % W;
            int y = i / W;
            int expected = grey[i];
            if (x >= 5 && x < 30 && y >= 7 && y < 20) {
                int rank = 0;
                for (int j = 0; j < 25 * 13; j++) {
                    rank += grey[(7 + j / 25) * W + 5 + j % 25] <= grey[i] ? 1 : 0;
                }
                expected = 255 * rank / (25 * 13);
            }
            assertEquals(expected, out[i] & 255, "pixel " + x + ", " + y);
        }
    }

    /** Bands of one row, of a few, and the whole in one call, also where a window covers the whole image. */
    @ParameterizedTest
    @CsvSource({"9,0", "9,3", "31,0", "31,3", "95,0", "95,2", "201,2"})
    void bandsAreAsOneCall(int window, double limit) {
        String line = "window=" + window + " limit=" + limit;
        Object[] images = {BruteEqualization.bytes(BruteEqualization.scene(64, 120, 255, 5)),
            BruteEqualization.shorts(BruteEqualization.scene(64, 120, 60000, 6)), BruteEqualization.colours(64, 120, 7)};
        for (Rect region : new Rect[] {null, new Rect(10, 3, 50, 111)}) {
            for (PixelType type : PixelType.values()) {
                Object whole = apply(line, type, 64, images[type.code()], region, 1 << 20, Progress.NONE);
                for (long band : new long[] {64, 64 * 13, 64 * 50}) {
                    Object banded = apply(line, type, 64, images[type.code()], region, band, Progress.NONE);
                    assertSame(type, whole, banded);
                }
            }
        }
    }

    private static void assertSame(PixelType type, Object one, Object other) {
        switch (type) {
            case GREY8: assertArrayEquals((byte[]) one, (byte[]) other); break;
            case GREY16: assertArrayEquals((short[]) one, (short[]) other); break;
            default: assertArrayEquals((int[]) one, (int[]) other);
        }
    }

    /** Pixels around the region count, and stay. */
    @Test
    void regionIsACutOfTheWhole() {
        byte[] grey = BruteEqualization.bytes(BruteEqualization.scene(W, H, 255, 8));
        byte[] whole = (byte[]) apply("window=11", PixelType.GREY8, W, grey);
        byte[] part = (byte[]) apply("window=11", PixelType.GREY8, W, grey, new Rect(9, 12, 40, 33), 0, Progress.NONE);
        for (int i = 0; i < grey.length; i++) {
            boolean inside = i % W >= 9 && i % W < 40 && i / W >= 12;
            assertEquals(inside ? whole[i] : grey[i], part[i], "pixel " + i % W + ", " + i / W);
        }
    }

    @Test
    void constantImagesAndSinglePixelsAreWhite() {
        assertArrayEquals(new byte[] {-1}, (byte[]) apply("window=1023", PixelType.GREY8, 1, new byte[] {7}));
        short[] flat = (short[]) apply("window=5 limit=2", PixelType.GREY16, 4, new short[] {9, 9, 9, 9, 9, 9, 9, 9});
        for (short value : flat) {
            // With 256 bins of one level all pixels are in the first: clipped to 2 of 25 * 2 / 256, rounded up to 1.
            assertEquals((int) ((256L * 1 + 24) * 65535 / (256 * 25)), value & 0xffff);
        }
    }

    /** After a stop between bands, the image is unchanged. */
    @Test
    void stoppedMeansUnchanged() {
        byte[] grey = BruteEqualization.bytes(BruteEqualization.scene(W, H, 255, 9));
        List<Integer> rows = new ArrayList<>();
        byte[] out = (byte[]) apply("window=11", PixelType.GREY8, W, grey, null, W * 5, new Progress() {
            @Override
            public void progress(int done, int total) {
                rows.add(done);
            }

            @Override
            public boolean cancelled() {
                return rows.size() == 3;
            }

            @Override
            public void log(String line) {
            }
        });
        assertArrayEquals(grey, out);
        assertEquals(3, rows.size());
    }

    /** The device that Auto chose fails before the second band: nothing is lost, and a line tells it. */
    @Test
    void autoGoesOnWithTheCpu() {
        byte[] grey = BruteEqualization.bytes(BruteEqualization.scene(W, H, 255, 10));
        Object wanted = apply("window=11", PixelType.GREY8, W, grey);
        List<String> log = new ArrayList<>();
        Progress listening = new Progress() {
            @Override
            public void progress(int done, int total) {
            }

            @Override
            public boolean cancelled() {
                return false;
            }

            @Override
            public void log(String line) {
                log.add(line);
            }
        };
        System.setProperty(BackEnd.FAIL_AFTER, "1");
        assertArrayEquals((byte[]) wanted,
                (byte[]) apply("window=11", PixelType.GREY8, W, grey, null, W * 5, listening));
        assertTrue(log.get(log.size() - 1).endsWith("the CPU goes on, nothing is lost"), log.toString());
        assertThrows(EndoramaException.class,
                () -> apply("window=11 backend=CPU", PixelType.GREY8, W, grey, null, W * 5, listening));
    }

    @Test
    void otherOptionsAndImagesOnTheWay() {
        byte[] small = BruteEqualization.bytes(BruteEqualization.scene(20, 10, 255, 11));
        int[] large = BruteEqualization.colours(50, 40, 12);
        try (Equalizer equalizer = new Equalizer(parameters("window=9 threads=1"), 3)) {
            byte[] first = small.clone();
            assertTrue(equalizer.apply(PixelType.GREY8, 20, 10, first, null, first, Progress.NONE));
            assertArrayEquals((byte[]) apply("window=9", PixelType.GREY8, 20, small), first);
            equalizer.set(parameters("window=21 limit=4 threads=3"));
            int[] second = new int[large.length];
            assertTrue(equalizer.apply(PixelType.RGB32, 50, 40, large, null, second, Progress.NONE));
            assertArrayEquals((int[]) apply("window=21 limit=4", PixelType.RGB32, 50, large), second);
        }
    }

    @Test
    void wrongArraysAreNamed() {
        try (Equalizer equalizer = new Equalizer(parameters(""), 1)) {
            String type = assertThrows(EndoramaException.class, () -> equalizer.apply(PixelType.GREY8, 4, 4, new int[16],
                    null, new int[16], Progress.NONE)).getMessage();
            assertTrue(type.contains("byte[]"), type);
            String few = assertThrows(EndoramaException.class, () -> equalizer.apply(PixelType.GREY8, 4, 4, new byte[15],
                    null, new byte[15], Progress.NONE)).getMessage();
            assertTrue(few.contains("15") && few.contains("16"), few);
            String out = assertThrows(EndoramaException.class, () -> equalizer.apply(PixelType.GREY8, 4, 4, new byte[16],
                    null, new byte[3], Progress.NONE)).getMessage();
            assertTrue(out.contains("3 elements"), out);
            String region = assertThrows(EndoramaException.class, () -> equalizer.apply(PixelType.GREY8, 4, 4,
                    new byte[16], new Rect(2, 2, 5, 4), new byte[16], Progress.NONE)).getMessage();
            assertTrue(region.contains("3 x 2 at (2, 2)"), region);
        }
        Equalizer closed = new Equalizer(parameters(""), 1);
        closed.close();
        assertThrows(IllegalStateException.class,
                () -> closed.apply(PixelType.GREY8, 1, 1, new byte[1], null, new byte[1], Progress.NONE));
    }

    /** At any speed, calls take at least a row and at most the rows left, and all rows in the end. */
    @Test
    void bandsCoverTheImage() {
        BandPace pace = new BandPace();
        AheOptions options = new AheOptions();
        for (PixelType type : PixelType.values()) {
            pace.reset("cpu", type);
            for (long nanoseconds : new long[] {1, 80000000L, 5000000000L, 60000000000L}) {
                for (int window : new int[] {3, 63, 1023}) {
                    options.window = window;
                    pace.set(type, options);
                    int row = 0;
                    while (row < 5000) {
                        int rows = pace.rows(30000, 5000 - row);
                        assertTrue(rows >= 1 && rows <= 5000 - row, row + ": " + rows);
                        pace.took(30000L * rows, nanoseconds);
                        row += rows;
                    }
                    assertEquals(5000, row);
                }
            }
        }
    }

    /** A slow call makes the next ones shorter, for 16-bit pixels also when the window grows. */
    @Test
    void bandsKeepTheirTime() {
        BandPace pace = new BandPace();
        AheOptions options = new AheOptions();
        pace.reset("cpu", PixelType.GREY16);
        pace.set(PixelType.GREY16, options);
        int first = pace.rows(1000, 100000);
        pace.took(1000L * first, 800000000L);
        int second = pace.rows(1000, 100000);
        assertTrue(second >= 1 && second < first / 8, first + ", " + second);
        options.window = 631;
        pace.set(PixelType.GREY16, options);
        int third = pace.rows(1000, 100000);
        assertTrue(third >= 1 && third <= second / 8 + 1, second + ", " + third);
    }
}
