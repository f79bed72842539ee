package endorama.cli;

import endorama.core.frames.PixelType;
import java.lang.ref.SoftReference;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Arrays of pixels that nobody uses any more, for the next frames: fresh ones would be filled with zeros first, by Java and
 * by the system. They go when memory is needed. For several threads at once.
 */
final class SpareArrays {
    private final Queue<SoftReference<Object>> arrays = new ConcurrentLinkedQueue<SoftReference<Object>>();

    /** byte[], short[] or int[]. */
    void add(Object array) {
        arrays.add(new SoftReference<Object>(array));
    }

    /** One of this type and length, with whatever was in it; a new one where there is none. */
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
