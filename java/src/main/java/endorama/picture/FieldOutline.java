package endorama.picture;

import java.util.ArrayList;
import java.util.List;

/** The outline of what a frame shows of the scene: the convex polygon around the field of view, or around the whole frame. */
final class FieldOutline {
    /** Directions in which the farthest point is a corner: a circle of radius 500 px is met to half a pixel. */
    private static final int DIRECTIONS = 72;

    private FieldOutline() {
    }

    /**
     * The corners in order, px of a frame whose first pixel is centred at 0, 0; whole pixels lie inside.
     *
     * @param field width*height bytes, 0 outside; null: all of the frame
     */
    static List<double[]> of(byte[] field, int width, int height) {
        List<int[]> ends = ends(field, width, height);
        List<double[]> corners = new ArrayList<double[]>();
        for (int i = 0; i < DIRECTIONS && !ends.isEmpty(); i++) {
            // Half a step aside, so that no direction is square to an edge of a frame, where two corners would be as far.
            double angle = (i + 0.5) * 2 * Math.PI / DIRECTIONS;
            double[] corner = farthest(ends, Math.cos(angle), Math.sin(angle));
            double[] before = corners.isEmpty() ? null : corners.get(corners.size() - 1);
            if (before == null || before[0] != corner[0] || before[1] != corner[1]) {
                corners.add(corner);
            }
        }
        int last = corners.size() - 1;
        if (last > 0 && corners.get(0)[0] == corners.get(last)[0] && corners.get(0)[1] == corners.get(last)[1]) {
            corners.remove(last);
        }
        return corners;
    }

    /** The first and the last pixel of every row of the field. */
    private static List<int[]> ends(byte[] field, int width, int height) {
        List<int[]> ends = new ArrayList<int[]>();
        for (int y = 0; y < height; y++) {
            int left = 0;
            int right = width - 1;
            while (field != null && left < width && field[y * width + left] == 0) {
                left++;
            }
            while (field != null && right > left && field[y * width + right] == 0) {
                right--;
            }
            if (left < width) {
                ends.add(new int[] {left, y});
                ends.add(new int[] {right, y});
            }
        }
        return ends;
    }

    /** The corner of a pixel that lies farthest in a direction. */
    private static double[] farthest(List<int[]> pixels, double x, double y) {
        int[] most = pixels.get(0);
        for (int[] pixel : pixels) {
            most = pixel[0] * x + pixel[1] * y > most[0] * x + most[1] * y ? pixel : most;
        }
        return new double[] {most[0] + 0.5 * Math.signum(x), most[1] + 0.5 * Math.signum(y)};
    }
}
