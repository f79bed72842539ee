package endorama.core.frames;

/** An image as a sequence of one frame. */
public final class OneFrame implements FrameSource {
    private final PixelType type;
    private final int width;
    private final int height;
    private final Object pixels;
    private final String label;

    /** @param pixels byte[], short[] or int[] by type, width*height; not copied */
    public OneFrame(String label, PixelType type, int width, int height, Object pixels) {
        this.label = label;
        this.type = type;
        this.width = width;
        this.height = height;
        this.pixels = pixels;
    }

    @Override
    public int count() {
        return 1;
    }

    @Override
    public int width() {
        return width;
    }

    @Override
    public int height() {
        return height;
    }

    @Override
    public PixelType type() {
        return type;
    }

    @Override
    public String label(int index) {
        return label;
    }

    @Override
    public Object pixels(int index) {
        return pixels;
    }
}
