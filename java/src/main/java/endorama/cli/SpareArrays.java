package endorama.cli;

import endorama.core.frames.PixelType;
import java.lang.ref.SoftReference;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A pool of pixel arrays for the next frames, which saves the zeroing of fresh ones by Java and by the system. Softly
 * referenced, thread-safe.
 */
final class SpareArrays {
    private final Queue<SoftReference<Object>> arrays = new ConcurrentLinkedQueue<SoftReference<Object>>();

    /** byte[], short[] or int[]. */
    void add(Object array) {
        arrays.add(new SoftReference<Object>(array));
    }

    /** An array of this type and length with undefined content; a new one if the pool has none. */
    Object take(PixelType type, int length) {
        for (int tries = arrays.size(); tries > 0; tries--) {
            SoftReference<Object> first = arrays.poll();
            Object array = first == null ? null : first.get();
            if (array != null && type.length(array) == length) {
                return array;
            }
            if (array != null) {
                arrays.add(first);
            }
        }
        return type.array(length);
    }
}
