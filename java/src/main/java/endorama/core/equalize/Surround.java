package endorama.core.equalize;

import endorama.core.frames.GreyRange;
import endorama.core.frames.PixelType;
import endorama.jni.NativeContext;
import endorama.jni.NativeField;

/**
 * What lies around the picture of an endoscope: it is nothing to look at, and must not count in the windows of pixels near
 * the rim. There the picture goes on as in a mirror.
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

    /** What lies around the circle that an image shows; null if it shows none. */
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

    /** A copy of an image in which the picture is mirrored at its rim: along rows, and rows that have none of it as a whole. */
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

    /** False if the row has nothing of the picture. */
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

    /** Of first..end-1 the one that a place outside is mirrored to; the outermost is not repeated. */
    private static int reflected(int place, int first, int end) {
        int period = Math.max(1, 2 * (end - first - 1));
        int step = Math.floorMod(place - first, period);
        return first + Math.min(step, period - step);
    }

    /** Puts back what lay around the picture. */
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
