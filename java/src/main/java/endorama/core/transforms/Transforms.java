package endorama.core.transforms;

import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;

/** The transforms of a sequence's frames, estimates or predictions, with metadata of their run. */
public final class Transforms {
    /** The solution of a mosaic for the pose of a frame. */
    public static final class Solution {
        /** Frame -&gt; first frame of its connected component, along the chain. */
        final Transform chained;
        /** Standard deviation of the pose, px; NaN where it is not known. */
        public final double deviation;
        final boolean keyFrame;
        /** No sure pairs tie the frame to most of the others. */
        public final boolean doubtful;

        public Solution(Transform chained, double deviation, boolean keyFrame, boolean doubtful) {
            this.chained = chained;
            this.deviation = deviation;
            this.keyFrame = keyFrame;
            this.doubtful = doubtful;
        }
    }

    private final TreeMap<Integer, Transform> matrices = new TreeMap<Integer, Transform>();
    private final TreeMap<Integer, Boolean> registered = new TreeMap<Integer, Boolean>();
    private final TreeMap<Integer, Integer> components = new TreeMap<Integer, Integer>();
    private final TreeMap<Integer, Solution> solutions = new TreeMap<Integer, Solution>();
    private final TreeMap<Integer, String> fileNames = new TreeMap<Integer, String>();
    private int width;
    private int height;
    private int ontoWidth;
    private int ontoHeight;
    private double lens;

    /**
     * Sets the transform of a frame.
     *
     * @param frame number, from 1
     * @param matrix frame -&gt; first registered frame
     * @param isRegistered false if the matrix is only predicted, so that the frame must not be painted
     */
    public void put(int frame, Transform matrix, boolean isRegistered) {
        matrices.put(frame, matrix);
        registered.put(frame, isRegistered);
    }

    /** Sets the transform of a frame with the number of its panorama, from 1; 0: none. */
    public void put(int frame, Transform matrix, boolean isRegistered, int component) {
        put(frame, matrix, isRegistered);
        components.put(frame, component);
    }

    public void put(int frame, Solution solution) {
        solutions.put(frame, solution);
    }

    /** Takes over metadata that other programs need: sizes, and file names of frames. Returns this. */
    public Transforms of(FrameSource source) {
        sized(source.width(), source.height());
        if (ontoWidth == 0) {
            onto(width, height);
        }
        return named(frame -> {
            int index = Frames.index(source, frame);
            return index < 0 ? null : source.label(index);
        });
    }

    /** Takes over the file names of frames, by number from 1; null and what is no file name stand for none. Returns this. */
    public Transforms named(IntFunction<String> names) {
        for (int frame : matrices.keySet()) {
            String label = names.apply(frame);
            if (label != null && label.matches("[^;/\\\\\\p{Cntrl}]+\\.[A-Za-z]{3,4}")) {
                fileNames.put(frame, label);
            }
        }
        return this;
    }

    /** Sets the size of the frames, px. */
    public void sized(int width, int height) {
        this.width = width;
        this.height = height;
    }

    /** Sets the size of the first or common reference, if that is another image. */
    public void onto(int width, int height) {
        ontoWidth = width;
        ontoHeight = height;
    }

    /** Sets the lens distortion that was corrected in the frames, percent; 0: none. */
    public void lens(double percent) {
        lens = percent;
    }

    public double lens() {
        return lens;
    }

    /** The name of the file that a frame (from 1) came from; null if unknown. */
    String fileName(int frame) {
        return fileNames.get(frame);
    }

    /** Width of the frames, px; 0: unknown. */
    int width() {
        return width;
    }

    int height() {
        return height;
    }

    /** Width of the reference image, px; 0: unknown. */
    int ontoWidth() {
        return ontoWidth;
    }

    int ontoHeight() {
        return ontoHeight;
    }

    /** The solution for a frame (from 1); null if there is none. */
    public Solution solution(int frame) {
        return solutions.get(frame);
    }

    /** The number of the panorama that a registered frame (from 1) is in, from 1; 0 if it is in none. */
    public int component(int frame) {
        Integer component = components.get(frame);
        return component != null ? component : isRegistered(frame) ? 1 : 0;
    }

    /** The matrix of a frame (from 1); null if there is none. */
    public Transform get(int frame) {
        return matrices.get(frame);
    }

    /** The affine map nearest to the matrix of a frame; where the size is unknown, its tangent at the first pixel. */
    Transform affine(int frame) {
        return affine(get(frame));
    }

    /** The affine map nearest to any transform of such a frame. */
    Transform affine(Transform matrix) {
        return matrix.nearestAffine(Math.max(1, width), Math.max(1, height));
    }

    /** There is a matrix for the frame (from 1), and it is an estimate. */
    public boolean isRegistered(int frame) {
        return Boolean.TRUE.equals(registered.get(frame));
    }

    /** The matrices by frame number, ascending. */
    public Map<Integer, Transform> matrices() {
        return Collections.unmodifiableMap(matrices);
    }

    /** A transform, or one along the chain, is a homography. */
    public boolean haveHomographies() {
        for (Transform matrix : matrices.values()) {
            if (matrix.isHomography()) {
                return true;
            }
        }
        for (Solution solution : solutions.values()) {
            if (solution.chained.isHomography()) {
                return true;
            }
        }
        return false;
    }

    /** Number of the last frame; 0 if there is none. */
    public int lastFrame() {
        return matrices.isEmpty() ? 0 : matrices.lastKey();
    }

    /** Number of matrices. */
    public int size() {
        return matrices.size();
    }
}
