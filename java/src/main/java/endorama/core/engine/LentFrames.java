package endorama.core.engine;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.jni.EndoramaException;
import endorama.jni.NativeMosaic;

/**
 * Lends the frames of a Java sequence to a run of the library, and forwards the run's events to a progress. Makes no decisions.
 */
public abstract class LentFrames implements NativeMosaic.Caller {
    protected final FrameSource source;
    private final FrameSource onto;
    private final Progress progress;
    private final int steps;
    private int readable;
    private FrameReadException unreadable;

    /**
     * Frames of a source (null: no frames are read).
     *
     * @param onto the first frame of this is another image; null: there is none
     * @param steps of the progress
     */
    protected LentFrames(FrameSource source, FrameSource onto, Progress progress, int steps) {
        this.source = source;
        this.onto = onto;
        this.progress = progress;
        this.steps = steps;
    }

    /** Logs the warning of the sequence as a whole. */
    protected final void warn() {
        if (source != null && source.origin().warning() != null) {
            progress.log(source.origin().warning());
        }
    }

    /** The description of a sequence that the library asks for. */
    public static NativeMosaic.Sequence sequence(FrameSource source) {
        return new NativeMosaic.Sequence(source.count(), source.width(), source.height(), source.type().code(),
                source.isAtHand(0));
    }

    /** No frame could be read. */
    protected final boolean isUnreadable() {
        return readable == 0 && unreadable != null;
    }

    /** The library's error about the last unreadable frame; null: there is none. */
    protected final FrameReadException unreadable(EndoramaException said) {
        return unreadable == null ? null : new FrameReadException(said.getMessage(), unreadable);
    }

    @Override
    public final Object pixels(int frame) throws FrameReadException {
        FrameSource from = frame == ONTO ? onto : source;
        int number = frame == ONTO ? 0 : frame;
        try {
            Object pixels = Frames.pixels(from, number);
            readable++;
            return pixels;
        } catch (FrameReadException e) {
            unreadable = e;
            String why = without(Frames.name(from, number), e.getMessage());
            throw new FrameReadException(without(Frames.range(from.number(number), from.number(number)), why), e);
        }
    }

    /** The message without the name of the frame, which the library adds. */
    private static String without(String name, String message) {
        if (!message.startsWith(name)) {
            return message;
        }
        return message.substring(name.length()).replaceFirst("^[: ]+", "");
    }

    @Override
    public final void giveBack(int frame, Object pixels) {
        if (frame == ONTO) {
            onto.giveBack(0, pixels);
        } else {
            source.giveBack(frame, pixels);
        }
    }

    @Override
    public final String name(int frame) {
        return frame == ONTO ? onto.label(0) : source.label(frame);
    }

    @Override
    public final int number(int frame) {
        return source.number(frame);
    }

    @Override
    public void event(NativeMosaic.Event event) {
        switch (event.level) {
            case NativeMosaic.NOTE: progress.note(event.text); break;
            case NativeMosaic.LOST: progress.lost(event.text); break;
            default: progress.log(event.text);
        }
    }

    @Override
    public final void progress(double share) {
        progress.progress((int) Math.round(share * steps), steps);
    }

    @Override
    public final boolean cancelled() {
        return progress.cancelled();
    }

    @Override
    public void painted(int canvas) {
    }
}
