package endorama.picture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;

/** The outline of what a frame shows. */
class FieldOutlineTest {
    private static final int W = 120;
    private static final int H = 100;

    private static byte[] field(BiPredicate<Integer, Integer> isIn) {
        byte[] field = new byte[W * H];
        for (int i = 0; i < field.length; i++) {
            field[i] = (byte) (isIn.test(i % W, i / W) ? -1 : 0);
        }
        return field;
    }

    private static String corners(byte[] field) {
        List<String> corners = new ArrayList<String>();
        for (double[] corner : FieldOutline.of(field, W, H)) {
            corners.add(Arrays.toString(corner));
        }
        return String.join(" ", corners);
    }

    @Test
    void rectanglesHaveFourCorners() {
        assertEquals("[119.5, 99.5] [-0.5, 99.5] [-0.5, -0.5] [119.5, -0.5]", corners(null));
        assertEquals("[79.5, 59.5] [9.5, 59.5] [9.5, 19.5] [79.5, 19.5]",
                corners(field((x, y) -> x >= 10 && x < 80 && y >= 20 && y < 60)));
        assertEquals("", corners(new byte[W * H]));
    }

    @Test
    void circleIsMetToAFractionOfAPixel() {
        List<double[]> corners = FieldOutline.of(field((x, y) -> Math.hypot(x - 60, y - 50) <= 40), W, H);
        assertTrue(corners.size() > 30, corners.size() + " corners");
        for (double[] corner : corners) {
            assertEquals(40.3, Math.hypot(corner[0] - 60, corner[1] - 50), 0.8);
        }
    }

    /** A frame cut at its corners; what is dark inside of the field is no corner. */
    @Test
    void octagonHasEightSides() {
        List<double[]> corners = FieldOutline.of(field((x, y) -> Math.abs(x - 59.5) + Math.abs(y - 49.5) < 80
                && !(x > 100 && y > 40 && y < 50)), W, H);
        double area = 0;
        for (int i = 0; i < corners.size(); i++) {
            double[] a = corners.get(i);
            double[] b = corners.get((i + 1) % corners.size());
            area += (a[0] * b[1] - b[0] * a[1]) / 2;
        }
        assertEquals(W * H - 4 * 30 * 30 / 2.0, area, 150);
    }
}
