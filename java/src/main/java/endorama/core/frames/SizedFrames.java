package endorama.core.frames;

/** A sequence whose frames have a size and type that are known from the start; its length too, unless a subclass counts. */
public abstract class SizedFrames implements FrameSource {
    private final int count;
    private final int width;
    private final int height;
    private final PixelType type;

    protected SizedFrames(int count, int width, int height, PixelType type) {
        this.count = count;
        this.width = width;
        this.height = height;
        this.type = type;
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public final int width() {
        return width;
    }

    @Override
    public final int height() {
        return height;
    }

    @Override
    public final PixelType type() {
        return type;
    }
}
