package endorama.core.engine;

import endorama.jni.NativeFrames;
import java.util.ArrayList;
import java.util.List;

/** Frames that were read and wait to be copied into the native store, some at once. */
final class FramePuts {
    /** Pixels that wait, at most, but for those of the last frame. */
    private static final long MOST_PIXELS = 4000000;

    private final NativeFrames store;
    private final int most;
    private final List<Integer> frames = new ArrayList<Integer>();
    private final List<Integer> slots = new ArrayList<Integer>();
    private final List<Object> images = new ArrayList<Object>();

    /** For frames of so many pixels. */
    FramePuts(NativeFrames store, long area) {
        this.store = store;
        most = (int) Math.max(1, Math.min(NativeFrames.MOST_PUT, MOST_PIXELS / Math.max(1, area)));
    }

    void add(int frame, int slot, Object pixels) {
        frames.add(frame);
        slots.add(slot);
        images.add(pixels);
    }

    /** They should be copied before there are more. */
    boolean isFull() {
        return frames.size() >= most;
    }

    boolean isEmpty() {
        return frames.isEmpty();
    }

    /** Copies them; they still stand here, until {@link #clear}. */
    void put() {
        store.put(slots.stream().mapToInt(Integer::intValue).toArray(), images.toArray());
    }

    int size() {
        return frames.size();
    }

    int frame(int i) {
        return frames.get(i);
    }

    Object pixels(int i) {
        return images.get(i);
    }

    void clear() {
        frames.clear();
        slots.clear();
        images.clear();
    }
}
