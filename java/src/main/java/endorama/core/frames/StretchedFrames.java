package endorama.core.frames;

/**
 * 16-bit frames as 8-bit grey, each stretched by the range of its grey values: an exposure of an eighth of the light keeps its
 * 256 grey levels, of which a range common to all exposures would leave 32. Ranks of pixels, which the threshold bitmaps of
 * exposures use, do not change.
 */
public final class StretchedFrames extends ForwardingFrames {
    private StretchedFrames(FrameSource source) {
        super(source);
    }

    /** The stretched frames of a 16-bit source; any other source itself. */
    public static FrameSource of(FrameSource source) {
        return source.type() == PixelType.GREY16 ? new StretchedFrames(source) : source;
    }

    @Override
    public PixelType type() {
        return PixelType.GREY8;
    }

    @Override
    public Object pixels(int index) throws FrameReadException {
        short[] deep = (short[]) Frames.pixels(source, index);
        GreyRange range = new GreyRange();
        range.add(deep);
        byte[] map = map(range.ends());
        byte[] grey = new byte[deep.length];
        for (int i = 0; i < grey.length; i++) {
            grey[i] = map[deep[i] & 0xffff];
        }
        return grey;
    }

    /** The lookup table: 0 for values up to the low end of the range, 255 from its high end on. */
    private static byte[] map(int[] ends) {
        byte[] map = new byte[65536];
        int range = ends[1] - ends[0];
        for (int value = ends[0] + 1; value < 65536; value++) {
            map[value] = (byte) (Math.min(value - ends[0], range) * 255 / range);
        }
        return map;
    }
}
