package endorama.core.frames;

import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A sequence whose first frames are kept when they are read, if it {@link FrameSource#mayBeKept allows} that, so that they
 * need not be read again: as many as a quarter of Java's memory holds, and only while nothing else needs that memory.
 * Asked by one thread.
 */
public final class KeptFrames extends ForwardingFrames {
    private static final int MEMORY_SHARE = 4;

    private final List<SoftReference<Object>> kept = new ArrayList<SoftReference<Object>>();

    public KeptFrames(FrameSource source) {
        this(source, Runtime.getRuntime().maxMemory() / MEMORY_SHARE);
    }

    /** The same with so many bytes. */
    KeptFrames(FrameSource source, long bytes) {
        super(source);
        long frame = Math.max(1, (long) source.width() * source.height() * source.type().bytes());
        long most = source.mayBeKept() ? Math.min(source.count(), bytes / frame) : 0;
        for (int i = 0; i < most; i++) {
            kept.add(null);
        }
    }

    private Object there(int index) {
        SoftReference<Object> reference = index < kept.size() ? kept.get(index) : null;
        return reference == null ? null : reference.get();
    }

    @Override
    public Object pixels(int index) throws FrameReadException {
        Object there = there(index);
        if (there != null) {
            return there;
        }
        Object pixels = source.pixels(index);
        if (index < kept.size()) {
            kept.set(index, new SoftReference<Object>(pixels));
        }
        return pixels;
    }

    @Override
    public boolean isAtHand(int index) {
        return there(index) != null || source.isAtHand(index);
    }

    @Override
    public void giveBack(int index, Object pixels) {
        if (index >= kept.size()) {
            source.giveBack(index, pixels);
        }
    }

    @Override
    public void expect(int[] frames) {
        int[] missing = new int[frames.length];
        int n = 0;
        for (int frame : frames) {
            if (there(frame) == null) {
                missing[n++] = frame;
            }
        }
        if (n > 0) {
            source.expect(Arrays.copyOf(missing, n));
        }
    }

    @Override
    public FrameSource asShown() {
        return source.asShown() == source ? this : source.asShown();
    }

    @Override
    public FrameSource origin() {
        return source.origin();
    }
}
