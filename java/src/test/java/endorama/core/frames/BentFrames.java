package endorama.core.frames;

/** Frames with the distortion of a lens, for tests: of colour or grey, resampled in floating point. */
public final class BentFrames extends ForwardingFrames {
    private final double lambda;
    private final double shiftX;
    private final double shiftY;

    /** lambda: of the division model, r over half of the longer side. */
    public BentFrames(FrameSource straight, double lambda) {
        this(straight, lambda, 0, 0);
    }

    /** Frames whose pixels are also shifted to the right and down. */
    BentFrames(FrameSource straight, double lambda, double shiftX, double shiftY) {
        super(straight);
        this.lambda = lambda;
        this.shiftX = shiftX;
        this.shiftY = shiftY;
    }

    @Override
    public Object pixels(int index) throws FrameReadException {
        int[] of = (int[]) source.pixels(index);
        int[] distorted = new int[of.length];
        double cx = (width() - 1) / 2.0;
        double cy = (height() - 1) / 2.0;
        double half = Math.max(width(), height()) / 2.0;
        for (int i = 0; i < distorted.length; i++) {
            double x = i % width() - cx;
            double y = i / width() - cy;
            double factor = 1 / (1 + lambda * (x * x + y * y) / (half * half));
            distorted[i] = colour(of, cx + x * factor - shiftX, cy + y * factor - shiftY);
        }
        return distorted;
    }

    /** Linear interpolation; black outside. */
    private int colour(int[] of, double x, double y) {
        int left = (int) Math.floor(x);
        int top = (int) Math.floor(y);
        if (left < 0 || top < 0 || left + 1 >= width() || top + 1 >= height()) {
            return 0xff000000;
        }
        int colour = 0xff000000;
        for (int bits = 0; bits < 24; bits += 8) {
            double value = 0;
            for (int k = 0; k < 4; k++) {
                double weight = (k % 2 == 0 ? left + 1 - x : x - left) * (k < 2 ? top + 1 - y : y - top);
                value += weight * (of[(top + k / 2) * width() + left + k % 2] >> bits & 0xff);
            }
            colour |= (int) Math.round(value) << bits;
        }
        return colour;
    }
}
