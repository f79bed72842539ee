package endorama.core.live;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;

/** A sequence in files as a stream. */
public final class FileFrames implements FrameStream {
    private final FrameSource source;
    private int next;

    public FileFrames(FrameSource source) {
        this.source = source;
    }

    @Override
    public LiveFrame next() throws FrameReadException {
        if (next == source.count()) {
            return null;
        }
        int index = next++;
        Object pixels = Frames.pixels(source, index);
        return new LiveFrame(source.width(), source.height(), source.type(), source.label(index), System.nanoTime()) {
            @Override
            public Object pixels() {
                return pixels;
            }

            @Override
            public void release() {
                source.giveBack(index, pixels);
            }
        };
    }

    @Override
    public void close() {
    }
}
