package endorama.core;

/** An image as a sequence of one frame. */
final class OneFrame implements FrameSource {
    private final PixelType type;
    private final int width;
    private final int height;
    private final Object pixels;

    OneFrame(PixelType type, int width, int height, Object pixels) {
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
        return "";
    }

    @Override
    public Object pixels(int index) {
        return pixels;
    }
}
