package endorama.core.transforms;

import java.util.Arrays;

/** A rectangle of whole pixels; right and bottom exclusive. */
public final class Rect {
    public final int left;
    public final int top;
    public final int right;
    public final int bottom;

    /** From left and top up to right and bottom. */
    public Rect(int left, int top, int right, int bottom) {
        this.left = left;
        this.top = top;
        this.right = right;
        this.bottom = bottom;
    }

    public int width() {
        return right - left;
    }

    public int height() {
        return bottom - top;
    }

    public long area() {
        return (long) width() * height();
    }

    public boolean contains(Rect r) {
        return left <= r.left && top <= r.top && right >= r.right && bottom >= r.bottom;
    }

    public Rect union(Rect r) {
        return new Rect(Math.min(left, r.left), Math.min(top, r.top), Math.max(right, r.right),
                Math.max(bottom, r.bottom));
    }

    /** The smallest rectangle that holds what the matrix makes of this one; null if it is beyond reach. */
    public Rect transformed(Transform matrix) {
        double x0 = Double.POSITIVE_INFINITY;
        double y0 = x0;
        double x1 = -x0;
        double y1 = -x0;
        double[] corners = {left, top, right - 1, top, left, bottom - 1, right - 1, bottom - 1};
        if (!isBeforeHorizon(matrix)) {
            return null;
        }
        for (int i = 0; i < 8; i += 2) {
            double x = matrix.applyX(corners[i], corners[i + 1]);
            double y = matrix.applyY(corners[i], corners[i + 1]);
            x0 = Math.min(x0, x);
            x1 = Math.max(x1, x);
            y0 = Math.min(y0, y);
            y1 = Math.max(y1, y);
        }
        double limit = 1 << 29;
        if (!(x0 > -limit && y0 > -limit && x1 < limit && y1 < limit)) {
            return null;
        }
        return new Rect((int) Math.floor(x0), (int) Math.floor(y0), (int) Math.ceil(x1) + 1,
                (int) Math.ceil(y1) + 1);
    }

    /** No pixel of it goes to infinity, or behind that. */
    private boolean isBeforeHorizon(Transform matrix) {
        return matrix.divisor(left, top) > 0 && matrix.divisor(right - 1, top) > 0
                && matrix.divisor(left, bottom - 1) > 0 && matrix.divisor(right - 1, bottom - 1) > 0;
    }

    /** Share of this rectangle that lies in what the matrix makes of it, 0..1; 0 where that is endless. */
    public double coveredBy(Transform matrix) {
        if (!isBeforeHorizon(matrix)) {
            return 0;
        }
        double[] x = {left, right - 1, right - 1, left};
        double[] y = {top, top, bottom - 1, bottom - 1};
        for (int i = 0; i < 4; i++) {
            double there = matrix.applyX(x[i], y[i]);
            y[i] = matrix.applyY(x[i], y[i]);
            x[i] = there;
        }
        double[][] polygon = {x, y};
        for (int side = 0; side < 4 && polygon[0].length > 0; side++) {
            double limit = side == 0 ? left : side == 1 ? right - 1 : side == 2 ? top : bottom - 1;
            polygon = cut(polygon, side / 2, side % 2 == 0 ? 1 : -1, limit);
        }
        return Math.abs(area(polygon)) / Math.max(1, (width() - 1.0) * (height() - 1.0));
    }

    /** The part of a convex polygon whose coordinate on the axis, times sign, is at least that of the limit. */
    private static double[][] cut(double[][] polygon, int axis, int sign, double limit) {
        int n = polygon[0].length;
        double[][] kept = new double[2][2 * n];
        int count = 0;
        for (int i = 0; i < n; i++) {
            int next = (i + 1) % n;
            double inside = sign * (polygon[axis][i] - limit);
            double after = sign * (polygon[axis][next] - limit);
            if (inside >= 0) {
                kept[0][count] = polygon[0][i];
                kept[1][count++] = polygon[1][i];
            }
            if (inside >= 0 != after >= 0) {
                double t = inside / (inside - after);
                kept[0][count] = polygon[0][i] + t * (polygon[0][next] - polygon[0][i]);
                kept[1][count++] = polygon[1][i] + t * (polygon[1][next] - polygon[1][i]);
            }
        }
        return new double[][] {Arrays.copyOf(kept[0], count), Arrays.copyOf(kept[1], count)};
    }

    private static double area(double[][] polygon) {
        double sum = 0;
        int n = polygon[0].length;
        for (int i = 0; i < n; i++) {
            int next = (i + 1) % n;
            sum += polygon[0][i] * polygon[1][next] - polygon[0][next] * polygon[1][i];
        }
        return sum / 2;
    }
}
