package endorama.picture;

import endorama.core.transforms.Transform;
import java.awt.image.BufferedImage;
import java.awt.image.DataBufferInt;
import java.util.stream.IntStream;

/** How a frame b lies over a frame a, as a picture. */
public final class PairPicture {
    /** Ways to show it. */
    public enum Look {
        /** What both show alike is grey; what only a shows there green, only b magenta. */
        OVERLAY,
        /** The mean of both. */
        AVERAGE,
        /** Frame a over b. */
        FIRST,
        /** Frame b over a. */
        SECOND
    }

    private static final int BACKGROUND = 0xff303030;

    private PairPicture() {
    }

    /** Frame a -&gt; picture of a size, px, so that both frames are seen whole, with a margin. transform: frame b -&gt; a. */
    public static Transform fit(FramePicture a, FramePicture b, Transform transform, int width, int height, int margin) {
        double[] one = Transform.IDENTITY.corners(a.width, a.height);
        double[] other = transform.corners(b.width, b.height);
        double[] ends = {0, 0, a.width, a.height};
        for (int i = 0; i < 8; i += 2) {
            ends[0] = Math.min(ends[0], Math.min(one[i], other[i]));
            ends[1] = Math.min(ends[1], Math.min(one[i + 1], other[i + 1]));
            ends[2] = Math.max(ends[2], Math.max(one[i], other[i]));
            ends[3] = Math.max(ends[3], Math.max(one[i + 1], other[i + 1]));
        }
        double scale = Math.min((width - 2 * margin) / (ends[2] - ends[0]), (height - 2 * margin) / (ends[3] - ends[1]));
        scale = Math.max(1e-3, scale);
        return Transform.of(new double[] {scale, 0, (width - scale * (ends[0] + ends[2])) / 2, 0, scale,
            (height - scale * (ends[1] + ends[3])) / 2});
    }

    /**
     * Draws the pair.
     *
     * @param transform frame b -&gt; frame a
     * @param view frame a -&gt; picture
     */
    public static BufferedImage draw(FramePicture a, FramePicture b, Transform transform, Look look, Transform view, int width,
            int height) {
        BufferedImage picture = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        int[] pixels = ((DataBufferInt) picture.getRaster().getDataBuffer()).getData();
        Transform toA = view.inverse();
        Transform toB = transform.inverse();
        IntStream.range(0, height).parallel().forEach(y -> {
            for (int x = 0; x < width; x++) {
                double u = toA.applyX(x, y);
                double v = toA.applyY(x, y);
                pixels[y * width + x] = mixed(a.at(u, v), b.at(toB.applyX(u, v), toB.applyY(u, v)), look);
            }
        });
        return picture;
    }

    private static int mixed(int a, int b, Look look) {
        if (look == Look.OVERLAY && (a != 0 || b != 0)) {
            return 0xff000000 | grey(b) * 0x010001 | grey(a) * 0x000100;
        }
        if (a == 0 || b == 0) {
            return a != 0 ? a : b != 0 ? b : BACKGROUND;
        }
        return look == Look.FIRST ? a : look == Look.SECOND ? b : ((a & 0xfefefe) >>> 1) + ((b & 0xfefefe) >>> 1);
    }

    /** ITU-R BT.601, in 256ths. */
    private static int grey(int rgb) {
        return (77 * (rgb >> 16 & 255) + 150 * (rgb >> 8 & 255) + 29 * (rgb & 255)) >> 8;
    }

    /** Draws one frame as large as it fits. */
    public static BufferedImage draw(FramePicture frame, int width, int height) {
        return draw(frame, frame, Transform.IDENTITY, Look.FIRST, fit(frame, frame, Transform.IDENTITY, width, height, 0),
                width, height);
    }
}
