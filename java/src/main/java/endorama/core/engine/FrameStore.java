package endorama.core.engine;

import endorama.core.common.RunTimes;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.jni.FramesOptions;
import endorama.jni.NativeContext;
import endorama.jni.NativeFrames;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The native store of a stretch of the sequence: which frame is in which slot. Frames that nobody uses any more may stay,
 * the first ones of the sequence, so that they need not be read again.
 */
public final class FrameStore implements AutoCloseable {
    private final FrameSource source;
    private final NativeFrames frames;
    private final FramePuts puts;
    /** The first is taken next: what was freed last, whose memory is at hand. */
    private final Deque<Integer> free = new ArrayDeque<Integer>();
    private final Map<Integer, Integer> slots = new LinkedHashMap<Integer, Integer>();
    /** In no use, and still there. */
    private final TreeMap<Integer, Integer> idle = new TreeMap<Integer, Integer>();
    private final int capacity;
    private final boolean keeps;
    private final RunTimes times;
    private final Onlookers onlookers;
    /** What the frame of each slot was put for, and those that are put now. */
    private final int[] uses;
    private int use = NativeFrames.ANY_USE;
    /** Null until some are expected. */
    private ComingFrames coming;

    public FrameStore(NativeContext context, FrameSource source, FramesOptions options) {
        this(context, source, options, options.capacity, false, new RunTimes(), null);
    }

    /**
     * One in which frames of no use stay as long as there are slots, adding to times what reading and putting take, and
     * showing to onlookers (which may be null) what is read.
     *
     * @param used frames in use at once at most, up to the options' capacity
     */
    public FrameStore(NativeContext context, FrameSource source, FramesOptions options, int used, RunTimes times,
            Onlookers onlookers) {
        this(context, source, options, used, true, times, onlookers);
    }

    private FrameStore(NativeContext context, FrameSource source, FramesOptions options, int used, boolean keeps,
            RunTimes times, Onlookers onlookers) {
        this.source = source;
        this.onlookers = onlookers;
        this.capacity = used;
        this.keeps = keeps;
        this.times = times;
        this.frames = NativeFrames.create(context, options);
        puts = new FramePuts(frames, (long) options.width * options.height);
        uses = new int[options.capacity];
        for (int slot = 0; slot < options.capacity; slot++) {
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

    /** Frames that can still be read before one that is there has to go. */
    int unused() {
        return free.size();
    }

    /** A frame is in use. */
    public boolean holds(int frame) {
        return slots.containsKey(frame);
    }

    /** The slot of a frame that is in use. */
    public int slot(int frame) {
        return slots.get(frame);
    }

    /** These two are in use, or there is room for them. */
    public boolean canHold(int one, int other) {
        return capacity - slots.size() >= (holds(one) ? 0 : 1) + (holds(other) ? 0 : 1);
    }

    /** One more frame may be in use. */
    public boolean hasRoom() {
        return slots.size() < capacity;
    }

    /** What frames are asked for from now on, as {@link NativeFrames#putFor} says it: those that lack it are read again. */
    public void askFor(int wanted) {
        if (wanted != use) {
            settle();
            flush();
            frames.putFor(wanted);
            use = wanted;
            giveUpUseless();
        }
    }

    /** Frames of no use that would have to be read again make room. */
    private void giveUpUseless() {
        for (Iterator<Integer> i = idle.values().iterator(); i.hasNext();) {
            int slot = i.next();
            if (!serves(slot)) {
                free.addFirst(slot);
                i.remove();
            }
        }
    }

    private boolean serves(int slot) {
        return (uses[slot] & use) == use;
    }

    /** Takes a frame into use, and reads it if it is not there: its slot. */
    public int read(int frame) throws FrameReadException {
        int slot = ask(frame);
        flush();
        return slot;
    }

    /** The same for one of several: it is in its slot when {@link #frames} or {@link #flush} is called after the last. */
    public int ask(int frame) throws FrameReadException {
        Integer slot = slots.get(frame);
        if (slot == null) {
            slot = idle.get(frame);
        }
        if (slot == null) {
            slot = await(frame);
        }
        boolean isNew = slot == null || !serves(slot);
        if (slot == null) {
            slot = load(frame);
        } else if (isNew) {
            put(frame, slot, pixels(frame));
        }
        idle.remove(frame);
        slots.put(frame, slot);
        if (isNew && puts.isFull()) {
            flush();
        }
        return slot;
    }

    // -------------------------------------------------------- frames to come

    /**
     * Frames from first to before end will be wanted: they come on another thread, as many as there are slots for that
     * hold nothing in use, while calls on this store work with others.
     */
    public void expect(int first, int end) {
        settle();
        flush();
        if (coming == null) {
            coming = new ComingFrames(this::bring);
        }
        List<Integer> some = new ArrayList<Integer>();
        List<Integer> places = new ArrayList<Integer>();
        for (int frame = first; frame < end && (!free.isEmpty() || !idle.isEmpty()); frame++) {
            if (!slots.containsKey(frame) && !idle.containsKey(frame)) {
                some.add(frame);
                places.add(emptySlot());
                uses[places.get(places.size() - 1)] = use;
            }
            if (some.size() == puts.most()) {
                begin(some, places);
            }
        }
        begin(some, places);
    }

    private void begin(List<Integer> some, List<Integer> places) {
        if (!some.isEmpty()) {
            coming.begin(some.stream().mapToInt(Integer::intValue).toArray(),
                    places.stream().mapToInt(Integer::intValue).toArray());
        }
        some.clear();
        places.clear();
    }

    /** What comes has come when this returns, or does not any more: nobody else reads the sequence then. */
    public void settle() {
        if (coming != null) {
            List<Integer> unfilled = new ArrayList<Integer>();
            coming.settle(idle, unfilled);
            free.addAll(unfilled);
        }
    }

    /** The slot of a frame that was expected; null if it has to be loaded. */
    private Integer await(int frame) {
        if (coming == null || !coming.isComing(frame)) {
            return null;
        }
        long start = System.nanoTime();
        List<Integer> unfilled = new ArrayList<Integer>();
        int slot = coming.take(frame, unfilled);
        free.addAll(unfilled);
        times.put += RunTimes.since(start);
        return slot < 0 ? null : slot;
    }

    private void bring(int[] some, int[] places) throws FrameReadException {
        Object[] pixels = new Object[some.length];
        int read = 0;
        try {
            for (; read < some.length; read++) {
                pixels[read] = Frames.pixels(source, some[read]);
            }
            frames.put(places, pixels);
        } finally {
            for (int i = 0; i < read; i++) {
                show(some[i], pixels[i]);
            }
        }
    }

    /** There is one. */
    private int emptySlot() {
        return free.isEmpty() && !idle.isEmpty() ? idle.pollLastEntry().getValue() : free.remove();
    }

    private Object pixels(int frame) throws FrameReadException {
        settle();
        long start = System.nanoTime();
        Object pixels = Frames.pixels(source, frame);
        times.read += RunTimes.since(start);
        return pixels;
    }

    private void put(int frame, int slot, Object pixels) {
        uses[slot] = use;
        puts.add(frame, slot, pixels);
    }

    private int load(int frame) throws FrameReadException {
        Object pixels = pixels(frame);
        boolean evicts = free.isEmpty() && !idle.isEmpty();
        int slot = evicts ? idle.lastEntry().getValue() : free.element();
        if (puts.fills(slot)) {
            flush();
        }
        if (evicts) {
            idle.pollLastEntry();
        } else {
            free.remove();
        }
        put(frame, slot, pixels);
        return slot;
    }

    /** What was read is in its slots when this returns; after a failure it is in none, and its slots are free. */
    public void flush() {
        if (puts.isEmpty()) {
            return;
        }
        long start = System.nanoTime();
        boolean there = false;
        try {
            puts.put();
            there = true;
        } finally {
            times.put += RunTimes.since(start);
            for (int i = 0; i < puts.size(); i++) {
                settle(puts.frame(i), puts.pixels(i), there);
            }
            puts.clear();
        }
    }

    private void settle(int frame, Object pixels, boolean there) {
        Integer slot = there ? null : slots.containsKey(frame) ? slots.remove(frame) : idle.remove(frame);
        if (slot != null) {
            free.addFirst(slot);
        }
        show(frame, pixels);
    }

    private void show(int frame, Object pixels) {
        if (onlookers != null) {
            onlookers.see(frame, pixels);
        } else {
            source.giveBack(frame, pixels);
        }
    }

    /** Those that are blended come once in each pass. */
    private void release(int frame, int slot) {
        if (keeps && (uses[slot] & NativeFrames.MATCHING) != 0) {
            idle.put(frame, slot);
        } else {
            free.addFirst(slot);
        }
    }

    /** A frame is of no use any more. */
    void forget(int frame) {
        Integer slot = slots.remove(frame);
        if (slot != null) {
            release(frame, slot);
        }
    }

    /** No frame is of use any more but those from one on. */
    public void keepFrom(int first) {
        for (Iterator<Map.Entry<Integer, Integer>> i = slots.entrySet().iterator(); i.hasNext();) {
            Map.Entry<Integer, Integer> entry = i.next();
            if (entry.getKey() < first) {
                release(entry.getKey(), entry.getValue());
                i.remove();
            }
        }
    }

    /** No frame is of use any more but these; -1 stands for none. */
    public void keepOnly(int... frames) {
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
        if (coming != null) {
            coming.close();
        }
        frames.close();
    }
}
