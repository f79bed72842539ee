package endorama.core.frames;

/** A sequence that forwards to another one; subclasses override what differs. */
public abstract class ForwardingFrames implements FrameSource {
    protected final FrameSource source;

    protected ForwardingFrames(FrameSource source) {
        this.source = source;
    }

    @Override
    public int count() {
        return source.count();
    }

    @Override
    public int width() {
        return source.width();
    }

    @Override
    public int height() {
        return source.height();
    }

    @Override
    public PixelType type() {
        return source.type();
    }

    @Override
    public String label(int index) {
        return source.label(index);
    }

    @Override
    public int number(int index) {
        return source.number(index);
    }

    @Override
    public int[] excluded() {
        return source.excluded();
    }
}
