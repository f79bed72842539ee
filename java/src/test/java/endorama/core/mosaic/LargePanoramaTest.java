package endorama.core.mosaic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelType;
import endorama.core.frames.TestFrames;
import endorama.core.options.MosaicParameters;
import endorama.core.paint.Panorama;
import endorama.core.paint.PyramidTiff;
import endorama.core.paint.SmallPanorama;
import java.io.File;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Panoramas larger than the memory of the back end and of Java: band by band, and on the disk. */
class LargePanoramaTest {
    private static final int W = 240;
    private static final int H = 200;
    private static final MosaicParameters BLEND = MosaicParameters.defaults().with("extra", "Both").with("backend", "CPU");

    private static TestFrames colour;
    @TempDir
    Path folder;

    @BeforeAll
    static void make() {
        colour = TestFrames.demo(W, H, 16, 5);
    }

    private static TestFrames frames(PixelType type) {
        return type == PixelType.RGB32 ? colour : type == PixelType.GREY16 ? colour.grey16() : grey8();
    }

    private static TestFrames grey8() {
        TestFrames grey = new TestFrames(W, H, PixelType.GREY8);
        for (int i = 0; i < colour.count(); i++) {
            byte[] pixels = new byte[W * H];
            for (int k = 0; k < pixels.length; k++) {
                pixels[k] = (byte) (((int[]) colour.get(i))[k] >> 8);
            }
            grey.add(pixels);
        }
        return grey;
    }

    private static void assertSame(Panorama wanted, Panorama panorama) {
        assertEquals(wanted.width(), panorama.width());
        assertEquals(wanted.transform(), panorama.transform());
        switch (wanted.type()) {
            case GREY8: assertArrayEquals((byte[]) wanted.pixels(), (byte[]) panorama.pixels()); break;
            case GREY16: assertArrayEquals((short[]) wanted.pixels(), (short[]) panorama.pixels()); break;
            default: assertArrayEquals((int[]) wanted.pixels(), (int[]) panorama.pixels());
        }
        assertArrayEquals(wanted.painted(), panorama.painted());
        assertArrayEquals(wanted.coverage(), panorama.coverage());
        assertArrayEquals(wanted.uncertainty(), panorama.uncertainty());
    }

    /** Runs with so little memory that every panorama goes to the disk. */
    private static MosaicResult onDisk(MosaicSession session) throws FrameReadException {
        System.setProperty(Engine.MEMORY, "1");
        try {
            return session.run();
        } finally {
            System.clearProperty(Engine.MEMORY);
        }
    }

    private int files() {
        return folder.toFile().list().length;
    }

    /** All pixel types, with light and scale. */
    @ParameterizedTest
    @EnumSource(PixelType.class)
    void panoramasOnTheDiskHaveTheSameBytes(PixelType type) throws Exception {
        MosaicParameters parameters = BLEND.with("scale", 2.5);
        Panorama whole = new MosaicSession(frames(type), parameters, Progress.NONE).run().panorama();
        assertTrue(whole.height() > 5 * 48, "rows " + whole.height());
        MosaicSession session = new MosaicSession(frames(type), parameters.withScratch(folder.toFile()), Progress.NONE);
        try (MosaicResult result = onDisk(session)) {
            assertNull(result.failure());
            assertSame(whole, result.panorama());
            File one = folder.resolve("one.ome.tif").toFile();
            PyramidTiff.write(one, whole, () -> false);
            File other = folder.resolve("two.ome.tif").toFile();
            PyramidTiff.write(other, result.panorama(), () -> false);
            String text = new String(Files.readAllBytes(one.toPath()), "ISO-8859-1");
            assertEquals(text.replace("one.ome", "two.ome"),
                    new String(Files.readAllBytes(other.toPath()), "ISO-8859-1"));
            assertArrayEquals(SmallPanorama.of(whole, 100).pixels(), SmallPanorama.of(result.panorama(), 100).pixels());
        }
        assertEquals(2, files());
    }

    /** Frames painted over one another are kept on the disk, too. */
    @Test
    void unionIsKeptOnTheDisk() throws Exception {
        MosaicParameters union = BLEND.with("painting", "Union");
        TestFrames large = TestFrames.demo(600, 500, 5, 5);
        Panorama whole = new MosaicSession(large, union, Progress.NONE).run().panorama();
        assertNull(whole.coverage());
        try (MosaicResult result = onDisk(new MosaicSession(large, union.withScratch(folder.toFile()), Progress.NONE))) {
            assertSame(whole, result.panorama());
        }
        assertEquals(0, files());
    }

    /** On a full disk the transforms are not lost, and the folder is named. */
    @Test
    void fullDiskIsReported() throws Exception {
        File gone = folder.resolve("gone").toFile();
        TestFrames large = TestFrames.demo(600, 500, 5, 5);
        MosaicParameters union = BLEND.with("painting", "Union");
        try (MosaicResult result = onDisk(new MosaicSession(large, union.withScratch(gone), Progress.NONE))) {
            assertInstanceOf(UncheckedIOException.class, result.failure());
            assertTrue(result.failure().getMessage().contains("scratch folder " + gone),
                    result.failure().getMessage());
            assertNull(result.panorama());
            assertEquals(large.count(), result.registered());
            assertEquals(new MosaicSession(large, union, Progress.NONE).run().transforms(), result.transforms());
        }
    }

    /** Escape between bands keeps what was painted live, on the disk, and nothing else. */
    @Test
    void escapeKeepsWhatWasPainted() throws Exception {
        int[] asked = new int[1];
        Progress impatient = new Progress() {
            private int done;

            @Override
            public void progress(int now, int total) {
                done = 100 * now / total;
            }

            @Override
            public boolean cancelled() {
                asked[0] += done > 80 ? 1 : 0;
                return asked[0] > 0;
            }

            @Override
            public void log(String line) {
            }
        };
        MosaicSession session = new MosaicSession(colour, BLEND.with("scale", 2.5).withScratch(folder.toFile()), impatient);
        try (MosaicResult result = onDisk(session)) {
            assertTrue(result.cancelled() && asked[0] > 0);
            assertNotNull(result.panorama());
            assertNull(result.panorama().coverage());
        }
        assertEquals(0, files());
    }

    /** Extra pictures are above 0 exactly where painted; the uncertainty is that of the most certain frame. */
    @Test
    void extrasSayWhatTheyMean() throws Exception {
        MosaicResult result = new MosaicSession(colour, BLEND, Progress.NONE).run();
        Panorama panorama = result.panorama();
        short[] coverage = panorama.coverage();
        short[] uncertainty = panorama.uncertainty();
        int most = 0;
        for (int i = 0; i < coverage.length; i++) {
            assertEquals(panorama.painted()[i] == 0, coverage[i] == 0);
            assertEquals(panorama.painted()[i] == 0, uncertainty[i] == 0);
            most = Math.max(most, coverage[i]);
        }
        assertTrue(most > 8 && most <= colour.count(), "frames " + most);
        // Uncertainty is least at the first frame, whose pose is exact; elsewhere it follows the deviations.
        double largest = 0;
        for (FrameRow row : result.rows()) {
            largest = Math.max(largest, row.deviation);
        }
        int x = panorama.originX() + W / 2;
        int y = panorama.originY() + H / 2;
        assertEquals(1, uncertainty[y * panorama.width() + x]);
        int worst = 0;
        for (short value : uncertainty) {
            worst = Math.max(worst, value & 0xffff);
        }
        assertTrue(worst <= Math.round(100 * largest) && worst >= 1, worst + " of " + largest);
        assertFalse(new MosaicSession(colour, BLEND.with("extra", "Coverage"), Progress.NONE).run().panorama()
                .coverageRows() == null);
        assertNull(new MosaicSession(colour, BLEND.with("extra", "None"), Progress.NONE).run().panorama().coverage());
    }

    /** No picture is painted unless asked for, and the transforms stay. */
    @Test
    void transformsAloneNeedNoPicture() throws Exception {
        MosaicResult result = new MosaicSession(colour, BLEND, Progress.NONE).run();
        MosaicResult alone = new MosaicSession(colour, BLEND.withoutPicture(), Progress.NONE).run();
        assertNull(alone.panorama());
        assertNull(alone.light());
        assertEquals(0, alone.times().paint);
        assertTrue(alone.complete());
        assertEquals(result.transforms(), alone.transforms());
    }
}
