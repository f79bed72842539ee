package endorama.core.live;

import endorama.core.frames.PixelType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Frames one after the other without anything between them. */
final class RawFormat extends FrameFormat {
    /** The formats, as ffmpeg names them; gray16 is little-endian. */
    enum Pixels {
        GRAY8(PixelType.GREY8, 1), GRAY16(PixelType.GREY16, 2), RGB24(PixelType.RGB32, 3), BGR24(PixelType.RGB32, 3);

        final PixelType type;
        final int bytes;

        Pixels(PixelType type, int bytes) {
            this.type = type;
            this.bytes = bytes;
        }
    }

    private static final Pattern SIZE = Pattern.compile("(\\d{1,6})x(\\d{1,6})");

    private final Pixels pixels;

    private RawFormat(Pixels pixels, int width, int height) throws StreamException {
        super(width, height, pixels.type, (double) width * height * pixels.bytes);
        this.pixels = pixels;
    }

    /**
     * The format of a name and a size such as 1920x1080.
     *
     * @throws IllegalArgumentException that says what is allowed
     */
    static RawFormat of(String name, String size) throws StreamException {
        Matcher sides = SIZE.matcher(size);
        if (!sides.matches()) {
            throw new IllegalArgumentException("size " + size + ": must be WIDTHxHEIGHT, such as 1920x1080");
        }
        for (Pixels one : Pixels.values()) {
            if (one.name().equalsIgnoreCase(name)) {
                return new RawFormat(one, Integer.parseInt(sides.group(1)), Integer.parseInt(sides.group(2)));
            }
        }
        throw new IllegalArgumentException("format " + name + ": must be gray8, gray16, rgb24 or bgr24");
    }

    @Override
    int bytes() {
        return width * height * pixels.bytes;
    }

    @Override
    void decode(byte[] bytes, Object into) {
        switch (pixels) {
            case GRAY8:
                System.arraycopy(bytes, 0, into, 0, width * height);
                break;
            case GRAY16:
                ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asShortBuffer().get((short[]) into, 0, width * height);
                break;
            case RGB24:
                colours(bytes, 0, 2, (int[]) into);
                break;
            default:
                colours(bytes, 2, 0, (int[]) into);
        }
    }

    private void colours(byte[] bytes, int red, int blue, int[] into) {
        for (int i = 0, j = 0; i < width * height; i++, j += 3) {
            into[i] = 0xff000000 | (bytes[j + red] & 0xff) << 16 | (bytes[j + 1] & 0xff) << 8 | bytes[j + blue] & 0xff;
        }
    }
}
