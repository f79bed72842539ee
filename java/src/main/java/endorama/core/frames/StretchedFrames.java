package endorama.core.frames;

/**
 * Frames of 16 bit as 8-bit grey, each spread over the grey values by itself: an exposure of an eighth of the light
 * keeps its 256 grey levels, which a range common to all exposures would leave 32 of. What ranks pixels, as the
 * bitmaps of exposures do, is not changed by it.
 */
public final class StretchedFrames extends ForwardingFrames {
    private StretchedFrames(FrameSource source) {
        super(source);
    }

    /** The source itself unless it has 16 bit. */
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

    /** 0 for values up to the low end of the range, 255 from its high end on. */
    private static byte[] map(int[] ends) {
        byte[] map = new byte[65536];
        int range = ends[1] - ends[0];
        for (int value = ends[0] + 1; value < 65536; value++) {
            map[value] = (byte) (Math.min(value - ends[0], range) * 255 / range);
        }
        return map;
    }
}
