package endorama.core.paint;

import endorama.core.transforms.Rect;
import endorama.core.transforms.Transform;
import java.util.Arrays;
import java.util.List;

/** The growth of a panorama: the first frame to show each pixel, at reduced size. */
public final class Growth {
    /** Index for pixels that no frame shows. */
    public static final int NEVER = Integer.MAX_VALUE;

    private final SmallPanorama panorama;
    private final int[] first;

    private Growth(SmallPanorama panorama) {
        this.panorama = panorama;
        this.first = new int[panorama.pixels().length];
        Arrays.fill(first, NEVER);
    }

    /**
     * The growth of a panorama.
     *
     * @param poses frame to panorama pixels (not made small); null for a frame not painted
     * @param field of the frames: width*height bytes, 0 outside, or null for all of it
     */
    public static Growth of(SmallPanorama panorama, List<Transform> poses, byte[] field, int width, int height) {
        Growth growth = new Growth(panorama);
        for (int frame = 0; frame < poses.size(); frame++) {
            if (poses.get(frame) != null && poses.get(frame).isInvertible()) {
                growth.show(frame, poses.get(frame), field, width, height);
            }
        }
        return growth;
    }

    private void show(int frame, Transform pose, byte[] field, int width, int height) {
        int step = panorama.step();
        Rect reach = new Rect(0, 0, width, height).transformed(pose);
        if (reach == null) {
            return;
        }
        Transform back = pose.inverse();
        for (int y = Math.max(0, reach.top / step); y < Math.min(panorama.height(), reach.bottom / step + 1); y++) {
            for (int x = Math.max(0, reach.left / step); x < Math.min(panorama.width(), reach.right / step + 1); x++) {
                int at = y * panorama.width() + x;
                if (first[at] == NEVER && panorama.pixels()[at] != 0
                        && isIn(field, width, height, back, x * step + (step - 1) / 2.0, y * step + (step - 1) / 2.0)) {
                    first[at] = frame;
                }
            }
        }
    }

    private static boolean isIn(byte[] field, int width, int height, Transform back, double x, double y) {
        long column = Math.round(back.applyX(x, y));
        long row = Math.round(back.applyY(x, y));
        return column >= 0 && column < width && row >= 0 && row < height
                && (field == null || field[(int) (row * width + column)] != 0);
    }

    public SmallPanorama panorama() {
        return panorama;
    }

    /** The picture after a frame, from 0, RGB; pixels shown only later have the colour rest. */
    public int[] after(int frame, int rest) {
        int[] pixels = new int[first.length];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = first[i] <= frame ? panorama.pixels()[i] : rest;
        }
        return pixels;
    }
}
