package endorama.core.frames;

/** An image as a sequence of one frame. */
public final class OneFrame extends SizedFrames {
    private final Object pixels;
    private final String label;

    /** @param pixels byte[], short[] or int[] by type, width*height; not copied */
    public OneFrame(String label, PixelType type, int width, int height, Object pixels) {
        super(1, width, height, type);
        this.label = label;
        this.pixels = pixels;
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
