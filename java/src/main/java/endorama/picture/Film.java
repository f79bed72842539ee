package endorama.picture;

import endorama.core.paint.Growth;
import endorama.core.paint.SmallPanorama;
import endorama.core.transforms.Transform;
import ij.ImagePlus;
import ij.VirtualStack;
import ij.plugin.filter.AVI_Writer;
import ij.process.ColorProcessor;
import ij.process.ImageProcessor;
import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A film of a growing panorama: the pixels of the finished picture that the frames so far show, the outline of the last frame,
 * and the path up to it. Each picture is made when it is written.
 */
final class Film extends VirtualStack {
    /** Longest side, px. */
    static final int SIDE = 800;
    /** Number of pictures in which it grows; then the whole stands still for a second. */
    static final int STEPS = 200;
    static final int FRAMES_A_SECOND = 20;
    private static final int QUALITY = 85;
    private static final int NOT_YET = 0x202020;

    private final Growth growth;
    private final List<Transform> poses;
    private final List<double[]> outline;
    /** Indices of the frames with a pose. */
    private final List<Integer> painted = new ArrayList<Integer>();
    private final int frameWidth;
    private final int frameHeight;
    private final int steps;

    /** poses: frame to panorama, null for a frame without one; at least one has one. */
    Film(SmallPanorama panorama, List<Transform> poses, byte[] field, int frameWidth, int frameHeight) {
        // Many players require even sides.
        super(even(panorama.width()), even(panorama.height()), Math.min(STEPS, poses.size()));
        setBitDepth(24);
        this.growth = Growth.of(panorama, poses, field, frameWidth, frameHeight);
        this.poses = poses;
        this.outline = FieldOutline.of(field, frameWidth, frameHeight);
        this.frameWidth = frameWidth;
        this.frameHeight = frameHeight;
        for (int i = 0; i < poses.size(); i++) {
            if (poses.get(i) != null) {
                painted.add(i);
            }
        }
        steps = Math.min(STEPS, painted.size());
    }

    private static int even(int side) {
        return (side + 1) / 2 * 2;
    }

    @Override
    public int getSize() {
        return steps + FRAMES_A_SECOND;
    }

    @Override
    public int size() {
        return getSize();
    }

    @Override
    public String getSliceLabel(int n) {
        return null;
    }

    /** Picture n, from 1. */
    @Override
    public ImageProcessor getProcessor(int n) {
        boolean whole = n > steps;
        int last = painted.get((int) ((long) Math.min(n, steps) * painted.size() / steps) - 1);
        SmallPanorama panorama = growth.panorama();
        int[] pixels = whole ? panorama.pixels() : growth.after(last, NOT_YET);
        BufferedImage picture = Drawing.picture(pixels, panorama.width(), panorama.height(), getWidth(), getHeight());
        if (!whole) {
            Drawing.draw(CameraPath.draw(Arrays.asList(poses.get(last)), i -> i, frameWidth, frameHeight, outline),
                    panorama.step(), picture);
            Drawing.draw(CameraPath.draw(poses.subList(0, last + 1), i -> i, frameWidth, frameHeight, null), panorama.step(),
                    picture);
        }
        return new ColorProcessor(picture);
    }

    /** Writes an AVI file of JPEG pictures. */
    void write(File file) throws IOException {
        ImagePlus film = new ImagePlus("film", this);
        film.getCalibration().fps = FRAMES_A_SECOND;
        new AVI_Writer().writeImage(film, file.getPath(), AVI_Writer.JPEG_COMPRESSION, QUALITY);
    }
}
