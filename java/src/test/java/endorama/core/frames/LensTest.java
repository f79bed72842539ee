package endorama.core.frames;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.options.MosaicParameters;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The model of a lens, and the table of where it shows pixels. */
class LensTest {
    /** At half of the longer side a lens of -20 % shows 20 % nearer to the middle what lies at 1 / 0.8 of it. */
    @Test
    void percentIsTheDistortionAtHalfOfTheLongerSide() {
        double there = 400 / 0.8;
        assertEquals(0.8, new Lens(800, 600, -20).shown(there * there), 1e-12);
        assertEquals(0.8, new Lens(600, 800, -20).shown(there * there), 1e-12);
        there = 400 / 1.2;
        assertEquals(1.2, new Lens(800, 600, 20).shown(there * there), 1e-12);
        assertEquals(1, new Lens(800, 600, -20).shown(0));
        assertTrue(Double.isNaN(new Lens(800, 600, 25).shown(400.01 * 400.01)));
        assertEquals(2, new Lens(800, 600, 25).shown(400 * 400), 1e-12);
    }

    /** Each place bent back by the formula of the model is the pixel again, to the rounding of a 32nd of a pixel. */
    @ParameterizedTest
    @CsvSource({"-40, 90, 70", "-12.5, 711, 577", "0.5, 64, 301", "7, 1920, 40", "40, 300, 300"})
    void placesAreThoseOfTheModel(double percent, int width, int height) {
        LensTable table = new LensTable(new Lens(width, height, percent), width, height);
        int[] columns = new int[width];
        int[] rows = new int[width];
        double half = Math.max(width, height) / 2.0;
        int shown = 0;
        for (int y = 0; y < height; y++) {
            table.row(y, columns, rows);
            for (int x = 0; x < width; x++) {
                if (columns[x] == LensTable.NOWHERE) {
                    assertTrue(isOutside(percent, x, y, width, height), x + ", " + y + " is shown");
                    continue;
                }
                shown++;
                double dx = columns[x] / 32.0 - (width - 1) / 2.0;
                double dy = rows[x] / 32.0 - (height - 1) / 2.0;
                double factor = 1 / (1 + percent / 100 * (dx * dx + dy * dy) / (half * half));
                double slack = 0.5 / 32 * 1.01 * Math.max(1, stretch(percent / 100, dx, dy, half)) * Math.sqrt(2);
                assertEquals(x - (width - 1) / 2.0, dx * factor, slack);
                assertEquals(y - (height - 1) / 2.0, dy * factor, slack);
                assertTrue(columns[x] >= -16 && columns[x] < 32 * width - 16);
                assertTrue(rows[x] >= -16 && rows[x] < 32 * height - 16);
            }
        }
        assertTrue(percent < 0 ? shown == width * height : shown < width * height, shown + " shown");
    }

    /** By more than a 16th of a pixel inside: no. */
    private static boolean isOutside(double percent, int x, int y, int width, int height) {
        double dx = x - (width - 1) / 2.0;
        double dy = y - (height - 1) / 2.0;
        double factor = new Lens(width, height, percent).shown(dx * dx + dy * dy);
        double left = width / 2.0 - Math.abs(dx * factor);
        double above = height / 2.0 - Math.abs(dy * factor);
        return Double.isNaN(factor) || left < 1.0 / 16 || above < 1.0 / 16;
    }

    /** By how much the model stretches an error at a place at most. */
    private static double stretch(double lambda, double dx, double dy, double half) {
        double r2 = (dx * dx + dy * dy) / (half * half);
        double along = (1 - lambda * r2) / ((1 + lambda * r2) * (1 + lambda * r2));
        return Math.max(along, 1 / (1 + lambda * r2));
    }

    /** Of a cushion the middle of the left side lies at 1 / 1.25 of half of the width: 320 / 1.25 = 256 px from the middle. */
    @Test
    void whatACushionLeavesOverIsNotShown() {
        LensTable table = new LensTable(new Lens(640, 480, 25), 640, 480);
        byte[] mask = table.mask(null);
        byte[] row = Arrays.copyOfRange(mask, 240 * 640, 241 * 640);
        int first = 0;
        while (row[first] == 0) {
            first++;
        }
        assertEquals(320 - 256, first, 1);
        assertEquals(0, mask[0]);
        assertEquals(-1, mask[240 * 640 + 320]);
    }

    @Test
    void masksAreBentBackToo() {
        byte[] bent = new byte[640 * 480];
        for (int i = 0; i < bent.length; i++) {
            bent[i] = (byte) (Math.hypot(i % 640 - 319.5, i / 640 - 239.5) < 160 ? -1 : 0);
        }
        byte[] mask = new LensTable(new Lens(640, 480, -20), 640, 480).mask(bent);
        double radius = 160 / (1 - 0.2 * 0.25);
        for (int i = 0; i < mask.length; i++) {
            double r = Math.hypot(i % 640 - 319.5, i / 640 - 239.5);
            if (Math.abs(r - radius) > 1) {
                assertEquals(r < radius ? -1 : 0, mask[i]);
            }
        }
    }

    @Test
    void withoutALensThereIsNoTable() {
        assertNull(LensTable.of(MosaicParameters.defaults().lens(), 640, 480));
        FrameSource frames = new TestFrames(64, 48, PixelType.RGB32);
        assertEquals(frames, StraightFrames.of(frames, MosaicParameters.defaults()));
    }
}
