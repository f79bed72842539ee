package endorama.core;

import endorama.jni.FramesOptions;
import endorama.jni.NativeContext;
import endorama.jni.NativeFrames;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** The native store of a stretch of the sequence: which frame is in which slot. */
final class FrameStore implements AutoCloseable {
    private final FrameSource source;
    private final NativeFrames frames;
    private final Deque<Integer> free = new ArrayDeque<Integer>();
    private final Map<Integer, Integer> slots = new LinkedHashMap<Integer, Integer>();
    private final int capacity;
    private final RunTimes times;
    private final Light light;
    private final Sharpness sharpness;

    FrameStore(NativeContext context, FrameSource source, FramesOptions options) {
        this(context, source, options, new RunTimes(), null, null);
    }

    /** The same, adding to times what reading and putting take, and showing to both (which may be null) what is read. */
    FrameStore(NativeContext context, FrameSource source, FramesOptions options, RunTimes times, Light light,
            Sharpness sharpness) {
        this.source = source;
        this.light = light;
        this.sharpness = sharpness;
        this.capacity = options.capacity;
        this.times = times;
        this.frames = NativeFrames.create(context, options);
        for (int slot = 0; slot < options.capacity; slot++) {
            free.add(slot);
        }
    }

    NativeFrames frames() {
        return frames;
    }

    /** Number of slots. */
    int capacity() {
        return capacity;
    }

    boolean holds(int frame) {
        return slots.containsKey(frame);
    }

    /** The slot of a frame that is there. */
    int slot(int frame) {
        return slots.get(frame);
    }

    /** These two are there, or there is room for them. */
    boolean canHold(int one, int other) {
        return free.size() >= (holds(one) ? 0 : 1) + (holds(other) ? 0 : 1);
    }

    /** There is a free slot. */
    boolean hasRoom() {
        return !free.isEmpty();
    }

    /** Reads a frame into a free slot; its slot if it is there already. */
    int read(int frame) throws FrameReadException {
        Integer there = slots.get(frame);
        if (there != null) {
            return there;
        }
        long start = System.nanoTime();
        Object pixels = Frames.pixels(source, frame);
        times.read += RunTimes.since(start);
        if (light != null) {
            light.see(frame, pixels);
        }
        if (sharpness != null) {
            sharpness.see(frame, pixels);
        }
        start = System.nanoTime();
        int slot = free.remove();
        try {
            frames.put(slot, pixels);
        } catch (RuntimeException e) {
            free.add(slot);
            throw e;
        }
        times.put += RunTimes.since(start);
        slots.put(frame, slot);
        return slot;
    }

    /** Forgets a frame, if it is there. */
    void forget(int frame) {
        Integer slot = slots.remove(frame);
        if (slot != null) {
            free.add(slot);
        }
    }

    /** Forgets every frame but those from one on. */
    void keepFrom(int first) {
        for (Iterator<Map.Entry<Integer, Integer>> i = slots.entrySet().iterator(); i.hasNext();) {
            Map.Entry<Integer, Integer> entry = i.next();
            if (entry.getKey() < first) {
                free.add(entry.getValue());
                i.remove();
            }
        }
    }

    /** Forgets every frame but these; -1 stands for none. */
    void keepOnly(int... frames) {
        Map<Integer, Integer> kept = new LinkedHashMap<Integer, Integer>();
        for (int frame : frames) {
            Integer slot = slots.remove(frame);
            if (slot != null) {
                kept.put(frame, slot);
            }
        }
        keepFrom(Integer.MAX_VALUE);
        slots.putAll(kept);
    }

    @Override
    public void close() {
        frames.close();
    }
}
