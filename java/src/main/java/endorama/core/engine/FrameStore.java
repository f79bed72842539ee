package endorama.core.engine;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.jni.FramesOptions;
import endorama.jni.NativeContext;
import endorama.jni.NativeFrames;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** The native store of a stretch of the sequence: which frame is in which slot. */
public final class FrameStore implements AutoCloseable {
    private final FrameSource source;
    private final NativeFrames frames;
    private final FramePuts puts;
    /** The first is taken next: what was freed last, whose memory is at hand. */
    private final Deque<Integer> free = new ArrayDeque<Integer>();
    private final Map<Integer, Integer> slots = new LinkedHashMap<Integer, Integer>();
    private final int capacity;

    public FrameStore(NativeContext context, FrameSource source, FramesOptions options) {
        this.source = source;
        this.capacity = options.capacity;
        this.frames = NativeFrames.create(context, options);
        puts = new FramePuts(frames, (long) options.width * options.height);
        for (int slot = 0; slot < capacity; slot++) {
            free.add(slot);
        }
    }

    /** With all that was read. */
    public NativeFrames frames() {
        flush();
        return frames;
    }

    /** Frames that may be in use at once. */
    public int capacity() {
        return capacity;
    }

    /** The slot of a frame that is in use. */
    public int slot(int frame) {
        return slots.get(frame);
    }

    /** Takes a frame into use, and reads it if it is not there: its slot. */
    public int read(int frame) throws FrameReadException {
        int slot = ask(frame);
        flush();
        return slot;
    }

    /** The same for one of several: it is in its slot when {@link #frames} or {@link #read} is called after the last. */
    public int ask(int frame) throws FrameReadException {
        Integer slot = slots.get(frame);
        if (slot != null) {
            return slot;
        }
        Object pixels = Frames.pixels(source, frame);
        slot = free.remove();
        puts.add(frame, slot, pixels);
        slots.put(frame, slot);
        if (puts.isFull()) {
            flush();
        }
        return slot;
    }

    /** What was read is in its slots when this returns; after a failure it is in none, and its slots are free. */
    private void flush() {
        if (puts.isEmpty()) {
            return;
        }
        boolean there = false;
        try {
            puts.put();
            there = true;
        } finally {
            for (int i = 0; i < puts.size(); i++) {
                Integer slot = there ? null : slots.remove(puts.frame(i));
                if (slot != null) {
                    free.addFirst(slot);
                }
                source.giveBack(puts.frame(i), puts.pixels(i));
            }
            puts.clear();
        }
    }

    /** No frame is of use any more but those from one on. */
    public void keepFrom(int first) {
        flush();
        for (Iterator<Map.Entry<Integer, Integer>> i = slots.entrySet().iterator(); i.hasNext();) {
            Map.Entry<Integer, Integer> entry = i.next();
            if (entry.getKey() < first) {
                free.addFirst(entry.getValue());
                i.remove();
            }
        }
    }

    /** No frame is of use any more but these; -1 stands for none. */
    public void keepOnly(int... frames) {
        flush();
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
