package endorama.core.transforms;

import endorama.core.frames.FrameSource;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** A transform for each frame of a sequence, whether it is an estimate or a prediction, and what else a run knows of it. */
public final class Transforms {
    /** What a mosaic knows of the place of a frame. */
    public static final class Solution {
        /** Frame -&gt; first frame of its part, along the chain. */
        final Transform chained;
        /** Standard deviation of the place, px; NaN where it is not known. */
        public final double deviation;
        final boolean keyFrame;
        /** No pair says well where it lies. */
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
    private final TreeMap<Integer, Integer> parts = new TreeMap<Integer, Integer>();
    private final TreeMap<Integer, Solution> solutions = new TreeMap<Integer, Solution>();
    private final TreeMap<Integer, String> fileNames = new TreeMap<Integer, String>();
    private int width;
    private int height;
    private int ontoWidth;
    private int ontoHeight;
    private double lens;

    /**
     * Sets one.
     *
     * @param frame number, from 1
     * @param matrix frame -&gt; first registered frame
     * @param isRegistered false if the matrix is only predicted, so that the frame must not be painted
     */
    public void put(int frame, Transform matrix, boolean isRegistered) {
        matrices.put(frame, matrix);
        registered.put(frame, isRegistered);
    }

    /** The same with the number of the panorama, from 1, that the frame is in; 0: none. */
    public void put(int frame, Transform matrix, boolean isRegistered, int part) {
        put(frame, matrix, isRegistered);
        parts.put(frame, part);
    }

    public void put(int frame, Solution solution) {
        solutions.put(frame, solution);
    }

    /** Takes note of what other programs ask for: sizes, and the files that frames came from. Returns this. */
    public Transforms of(FrameSource source) {
        sized(source.width(), source.height());
        if (ontoWidth == 0) {
            onto(width, height);
        }
        for (int frame : matrices.keySet()) {
            String label = frame <= source.count() ? source.label(frame - 1) : null;
            if (label != null && label.matches("[^;/\\\\\\p{Cntrl}]+\\.[A-Za-z]{3,4}")) {
                fileNames.put(frame, label);
            }
        }
        return this;
    }

    /** Takes note of the size of the frames, px. */
    public void sized(int width, int height) {
        this.width = width;
        this.height = height;
    }

    /** The size of what the first frame, or all, are registered onto, if that is another image. */
    public void onto(int width, int height) {
        ontoWidth = width;
        ontoHeight = height;
    }

    /** Takes note of the lens whose distortion was taken out of the frames, percent; 0: none. */
    public void lens(double percent) {
        lens = percent;
    }

    public double lens() {
        return lens;
    }

    /** The name of the file that a frame (from 1) came from; null if that is not known. */
    String fileName(int frame) {
        return fileNames.get(frame);
    }

    /** Pixels of a frame; 0: not known. */
    int width() {
        return width;
    }

    int height() {
        return height;
    }

    /** Pixels of what frames are registered onto; 0: not known. */
    int ontoWidth() {
        return ontoWidth;
    }

    int ontoHeight() {
        return ontoHeight;
    }

    /** Null if there is none. */
    public Solution solution(int frame) {
        return solutions.get(frame);
    }

    /** The number of the panorama that a registered frame (from 1) is in, from 1; 0 if it is in none. */
    public int part(int frame) {
        Integer part = parts.get(frame);
        return part != null ? part : isRegistered(frame) ? 1 : 0;
    }

    /** The matrix of a frame (from 1); null if there is none. */
    public Transform get(int frame) {
        return matrices.get(frame);
    }

    /** The same, or the affine map that is nearest to it over the frame; at its first pixel, where its size is not known. */
    Transform affine(int frame) {
        return affine(get(frame));
    }

    /** The same of any transform of such a frame. */
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

    /** One of them, or along a chain, is a homography. */
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
