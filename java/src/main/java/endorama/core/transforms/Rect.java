package endorama.core.transforms;

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

    /** The bounding rectangle of this one under the matrix; null if it is too far away. */
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

    /** No pixel of the rectangle is taken to the horizon or behind it. */
    boolean isBeforeHorizon(Transform matrix) {
        return matrix.divisor(left, top) > 0 && matrix.divisor(right - 1, top) > 0
                && matrix.divisor(left, bottom - 1) > 0 && matrix.divisor(right - 1, bottom - 1) > 0;
    }
}
