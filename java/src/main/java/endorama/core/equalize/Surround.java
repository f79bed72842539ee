package endorama.core.equalize;

import endorama.core.frames.GreyRange;
import endorama.core.frames.PixelType;
import endorama.jni.NativeContext;
import endorama.jni.NativeField;

/**
 * The surround of an endoscope's picture, which must not count in the windows of pixels near the rim: the picture is mirrored
 * into it.
 */
final class Surround {
    private final byte[] inside;
    private final int width;
    private final int height;

    /** @param inside width*height bytes, 0 = outside */
    Surround(byte[] inside, int width, int height) {
        this.inside = inside;
        this.width = width;
        this.height = height;
    }

    /** The surround of the circle in an image; null if there is no circle. */
    static Surround of(NativeContext context, PixelType type, int width, int height, Object pixels) {
        int[] ends = {0, 65535};
        if (type == PixelType.GREY16) {
            GreyRange range = new GreyRange();
            range.add((short[]) pixels);
            ends = range.ends();
        }
        byte[] inside = NativeField.circle(context, type.code(), width, height, pixels, ends[0], ends[1]);
        return inside == null ? null : new Surround(inside, width, height);
    }

    boolean isOf(int otherWidth, int otherHeight) {
        return width == otherWidth && height == otherHeight;
    }

    /** A copy of an image with the picture mirrored at its rim: along rows first, then whole rows. */
    Object mirrored(PixelType type, Object pixels) {
        Object filled = type.array(width * height);
        System.arraycopy(pixels, 0, filled, 0, width * height);
        int top = height;
        int bottom = 0;
        for (int y = 0; y < height; y++) {
            if (mirrorRow(filled, y)) {
                top = Math.min(top, y);
                bottom = y + 1;
            }
        }
        for (int y = 0; y < height && top < bottom; y++) {
            if (y < top || y >= bottom) {
                int from = reflected(y, top, bottom);
                System.arraycopy(filled, from * width, filled, y * width, width);
            }
        }
        return filled;
    }

    /** Mirrors one row; false if it shows nothing of the picture. */
    private boolean mirrorRow(Object pixels, int y) {
        int row = y * width;
        int left = 0;
        int right = width;
        while (left < right && inside[row + left] == 0) {
            left++;
        }
        while (right > left && inside[row + right - 1] == 0) {
            right--;
        }
        for (int x = 0; x < width && left < right; x++) {
            if (x < left || x >= right) {
                System.arraycopy(pixels, row + reflected(x, left, right), pixels, row + x, 1);
            }
        }
        return left < right;
    }

    /** The index in first..end-1 that an index outside is mirrored to; the border is not repeated. */
    private static int reflected(int index, int first, int end) {
        int period = Math.max(1, 2 * (end - first - 1));
        int step = Math.floorMod(index - first, period);
        return first + Math.min(step, period - step);
    }

    /** Restores the surround from the original. */
    void restore(Object original, Object out) {
        int n = width * height;
        for (int i = 0; i < n;) {
            int end = i;
            while (end < n && inside[end] == 0) {
                end++;
            }
            System.arraycopy(original, i, out, i, end - i);
            i = end;
            while (i < n && inside[i] != 0) {
                i++;
            }
        }
    }
}
