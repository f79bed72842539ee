package endorama.picture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.Progress;
import endorama.core.frames.TestFrames;
import endorama.core.mosaic.MosaicResult;
import endorama.core.mosaic.MosaicSession;
import endorama.core.options.MosaicParameters;
import endorama.plugin.DemoCommand;
import endorama.plugin.MosaicCommand;
import ij.IJ;
import ij.ImagePlus;
import ij.ImageStack;
import ij.gui.Overlay;
import ij.gui.PolygonRoi;
import ij.gui.Roi;
import ij.io.RoiDecoder;
import ij.plugin.AVI_Reader;
import ij.process.ImageProcessor;
import java.awt.Color;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of the path of the frames. */
class PathFilesTest {
    private static final int FRAMES = 20;
    private static ImagePlus demo;

    @TempDir
    Path folder;

    @BeforeAll
    static void sequence() throws IOException {
        System.setProperty("java.awt.headless", "true");
        demo = DemoCommand.exec("width=240 height=200 frames=" + FRAMES + " step=10 path=Sweep seed=3");
    }

    private ImagePlus mosaic(String key, String name) throws IOException {
        return MosaicCommand.exec(demo.duplicate(), key + "=[" + folder.resolve(name) + "]").panorama();
    }

    @Test
    void roisArePathAndOutlines() throws IOException {
        ImagePlus panorama = mosaic("rois", "path.zip");
        Map<String, Roi> rois = new TreeMap<String, Roi>();
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(folder.resolve("path.zip")))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                assertEquals(new GregorianCalendar(1980, Calendar.FEBRUARY, 1).getTimeInMillis(), entry.getTime());
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                for (int b = zip.read(); b >= 0; b = zip.read()) {
                    bytes.write(b);
                }
                rois.put(entry.getName(), RoiDecoder.openFromByteArray(bytes.toByteArray()));
            }
        }
        assertEquals(FRAMES + 3, rois.size(), rois.keySet().toString());
        PolygonRoi path = (PolygonRoi) rois.get("camera path.roi");
        assertEquals(FRAMES, path.getNCoordinates());
        assertEquals(panorama.getOverlay().get("camera path").getFloatBounds(), path.getFloatBounds());
        assertEquals(Roi.POLYGON, rois.get("frame 1.roi").getType());
        // The demo scope shows a circle as high as the frame.
        assertEquals(200, rois.get("frame 1.roi").getFloatBounds().getWidth(), 25);
        assertTrue(((PolygonRoi) rois.get("frame 1.roi")).getNCoordinates() > 30);
    }

    @Test
    void uncertainFramesAreOrange() throws IOException {
        TestFrames frames = TestFrames.demo(200, 160, 8, 5);
        try (MosaicResult result = new MosaicSession(frames, MosaicParameters.defaults(), Progress.NONE).run()) {
            for (int i : new int[] {2, 3, 6}) {
                result.rows().get(i).doubtful = true;
            }
            Overlay overlay = CameraPath.of(result, 1, 200, 160, true);
            Color orange = overlay.get("uncertain frames 3-4").getStrokeColor();
            assertEquals(2, ((PolygonRoi) overlay.get("uncertain frames 3-4")).getNCoordinates());
            assertEquals(orange, overlay.get("uncertain frame 7").getFillColor());
            assertEquals(orange, overlay.get("frame 3").getStrokeColor());
            assertNotEquals(orange, overlay.get("frame 5").getStrokeColor());
            assertEquals(8 + 3 + 2, overlay.size());
        }
    }

    @Test
    void pictureHasThePathDrawn() throws IOException {
        ImagePlus panorama = mosaic("overlay", "path.png");
        ImageProcessor drawn = IJ.openImage(folder.resolve("path.png").toString()).getProcessor();
        assertEquals(panorama.getWidth(), drawn.getWidth());
        assertEquals(panorama.getHeight(), drawn.getHeight());
        PolygonRoi path = (PolygonRoi) panorama.getOverlay().get("camera path");
        int x = (int) (path.getFloatPolygon().xpoints[FRAMES / 2]);
        int y = (int) (path.getFloatPolygon().ypoints[FRAMES / 2]);
        int rgb = drawn.getPixel(x, y);
        assertTrue((rgb >> 16 & 255) > 180 && (rgb >> 8 & 255) > 150 && (rgb & 255) < 120, Integer.toHexString(rgb));
        int same = 0;
        for (int i = 0; i < drawn.getPixelCount(); i++) {
            same += (drawn.get(i) & 0xffffff) == (panorama.getProcessor().get(i) & 0xffffff) ? 1 : 0;
        }
        assertTrue(same > 0.5 * drawn.getPixelCount() && same < drawn.getPixelCount() - 500, same + " pixels as they were");
    }

    private static int green(ImageProcessor picture, int x, int y) {
        return picture.get(x, y) >> 8 & 255;
    }

    /** Number of pixels that differ from the colour of what is not shown yet. */
    private static int shown(ImageProcessor picture) {
        int n = 0;
        for (int y = 0; y < picture.getHeight(); y++) {
            for (int x = 0; x < picture.getWidth(); x++) {
                int rgb = picture.get(x, y);
                boolean grey = Math.abs((rgb >> 16 & 255) - 32) < 6 && Math.abs((rgb >> 8 & 255) - 32) < 6
                        && Math.abs((rgb & 255) - 32) < 6;
                n += grey ? 0 : 1;
            }
        }
        return n;
    }

    @Test
    void filmShowsThePanoramaGrow() throws IOException {
        ImagePlus panorama = mosaic("film", "growing.avi");
        ImageStack film = new AVI_Reader().makeStack(folder.resolve("growing.avi").toString(), 1, 0, false, false, false);
        assertEquals(FRAMES + Film.FRAMES_A_SECOND, film.getSize());
        assertEquals((panorama.getWidth() + 1) / 2 * 2, film.getWidth());
        assertEquals((panorama.getHeight() + 1) / 2 * 2, film.getHeight());
        int first = shown(film.getProcessor(1));
        int all = shown(film.getProcessor(FRAMES));
        assertTrue(first < 0.9 * all, first + " of " + all + " pixels");
        ImageProcessor last = film.getProcessor(film.getSize());
        long difference = 0;
        for (int y = 0; y < panorama.getHeight(); y++) {
            for (int x = 0; x < panorama.getWidth(); x++) {
                difference += Math.abs(green(last, x, y) - green(panorama.getProcessor(), x, y));
            }
        }
        assertTrue(difference < 6L * last.getPixelCount(), difference + " grey levels in all");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rois=path.roi", "overlay=path.jpg", "film=growing.mp4"})
    void otherEndingsAreRefusedBeforeAnythingIsComputed(String option) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
                () -> MosaicCommand.exec(demo.duplicate(), option.replace("=", "=" + folder + "/")));
        assertTrue(e.getMessage().contains("must end in ."), e.getMessage());
    }
}
