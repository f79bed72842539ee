package endorama.core;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** A transform for each frame of a sequence, and whether it is an estimate or a prediction. */
public final class Transforms {
    private final TreeMap<Integer, Transform> matrices = new TreeMap<Integer, Transform>();
    private final TreeMap<Integer, Boolean> registered = new TreeMap<Integer, Boolean>();

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

    /** The matrix of a frame (from 1); null if there is none. */
    public Transform get(int frame) {
        return matrices.get(frame);
    }

    /** There is a matrix for the frame (from 1), and it is an estimate. */
    public boolean isRegistered(int frame) {
        return Boolean.TRUE.equals(registered.get(frame));
    }

    /** The matrices by frame number, ascending. */
    public Map<Integer, Transform> matrices() {
        return Collections.unmodifiableMap(matrices);
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
