package endorama.core.transforms;

/** The region of an image that is used. */
public final class Selection {
    public final Rect bounds;
    public final byte[] mask;

    /**
     * @param bounds within the image
     * @param mask a byte for each pixel of the bounds, 0: outside; null: all of them are inside. Not copied
     */
    public Selection(Rect bounds, byte[] mask) {
        this.bounds = bounds;
        this.mask = mask;
    }
}
