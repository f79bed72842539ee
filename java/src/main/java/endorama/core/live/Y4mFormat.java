package endorama.core.live;

import endorama.core.frames.PixelType;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Frames of YUV4MPEG2 with 8 bits: 4:2:0 (of any siting), 4:2:2, 4:4:4, or grey. Colours become RGB by BT.709 where a frame has
 * 720 rows or more, else by BT.601, from limited range unless the header says {@code XCOLORRANGE=FULL}; each colour stands for
 * all the pixels that share it. Grey stays as it is.
 */
final class Y4mFormat extends FrameFormat {
    private static final String MAGIC = "YUV4MPEG2";
    private static final List<String> FORMATS = Arrays.asList("420", "420jpeg", "420mpeg2", "420paldv", "422", "444", "mono");
    private static final int BT709_ROWS = 720;
    /** Fixed point of the tables: steps of a level. */
    private static final int BITS = 16;

    /** Interlaced, as the header says. */
    final boolean interlaced;
    /** Pixels along a row, and rows, that share a colour, as a shift; the colours of a row, and rows of them. */
    private final int shiftX;
    private final int shiftY;
    private final int colours;
    private final int colourRows;
    /** Parts of red, green and blue by a sample, with {@link #BITS} of fraction. */
    private final int[] light = new int[256];
    private final int[] redOfV = new int[256];
    private final int[] greenOfU = new int[256];
    private final int[] greenOfV = new int[256];
    private final int[] blueOfU = new int[256];

    private Y4mFormat(int width, int height, String format, boolean full, boolean interlaced) throws StreamException {
        super(width, height, format.equals("mono") ? PixelType.GREY8 : PixelType.RGB32, 3.0 * width * height);
        this.interlaced = interlaced;
        shiftX = format.equals("444") ? 0 : 1;
        shiftY = format.startsWith("420") ? 1 : 0;
        colours = width + shiftX >> shiftX;
        colourRows = height + shiftY >> shiftY;
        boolean hd = height >= BT709_ROWS;
        tables(hd ? 0.2126 : 0.299, hd ? 0.0722 : 0.114, full);
    }

    /** The tables by the weights of red and blue in the luma. */
    private void tables(double red, double blue, boolean full) {
        double one = 1 << BITS;
        double luma = full ? 1 : 255 / 219.0;
        double chroma = full ? 1 : 255 / 224.0;
        double green = 1 - red - blue;
        for (int i = 0; i < 256; i++) {
            double c = (i - 128) * chroma * one;
            light[i] = (int) Math.round((i - (full ? 0 : 16)) * luma * one + one / 2);
            redOfV[i] = (int) Math.round(2 * (1 - red) * c);
            blueOfU[i] = (int) Math.round(2 * (1 - blue) * c);
            greenOfV[i] = (int) Math.round(-2 * (1 - red) * red / green * c);
            greenOfU[i] = (int) Math.round(-2 * (1 - blue) * blue / green * c);
        }
    }

    /** A stream begins with this text. */
    static boolean isMagic(String text) {
        return text.startsWith(MAGIC);
    }

    /** @param header the first line of the stream, without its end */
    static Y4mFormat of(String header) throws StreamException {
        String[] words = header.split(" ");
        if (!words[0].equals(MAGIC)) {
            throw new StreamException("its header is none of YUV4MPEG2");
        }
        int width = 0;
        int height = 0;
        String format = "420jpeg";
        boolean full = false;
        boolean interlaced = false;
        for (String word : Arrays.asList(words).subList(1, words.length)) {
            String value = word.isEmpty() ? "" : word.substring(1);
            switch (word.isEmpty() ? ' ' : word.charAt(0)) {
                case 'W': width = side("width", value); break;
                case 'H': height = side("height", value); break;
                case 'C': format = value; break;
                case 'I': interlaced = "tbm".contains(value) && !value.isEmpty(); break;
                case 'X': full |= value.toUpperCase(Locale.ROOT).equals("COLORRANGE=FULL"); break;
                default:
            }
        }
        if (!FORMATS.contains(format)) {
            throw new StreamException("its pixels are C" + format + ": must be C" + String.join(", C", FORMATS)
                    + " (ffmpeg: -pix_fmt yuv420p)");
        }
        return new Y4mFormat(width, height, format, full, interlaced);
    }

    private static int side(String what, String value) throws StreamException {
        if (!value.matches("\\d{1,6}")) {
            throw new StreamException("the " + what + " in its header is no whole number");
        }
        return Integer.parseInt(value);
    }

    @Override
    int bytes() {
        return width * height + (type == PixelType.GREY8 ? 0 : 2 * colours * colourRows);
    }

    @Override
    void decode(byte[] bytes, Object into) {
        if (type == PixelType.GREY8) {
            System.arraycopy(bytes, 0, into, 0, width * height);
            return;
        }
        for (int y = 0; y < height; y++) {
            int u = width * height + (y >> shiftY) * colours;
            row(bytes, y * width, u, u + colours * colourRows, (int[]) into);
        }
    }

    private void row(byte[] bytes, int from, int u, int v, int[] into) {
        for (int x = 0; x < width; x++) {
            int l = light[bytes[from + x] & 0xff];
            int a = bytes[u + (x >> shiftX)] & 0xff;
            int b = bytes[v + (x >> shiftX)] & 0xff;
            into[from + x] = 0xff000000 | level(l + redOfV[b]) << 16 | level(l + greenOfU[a] + greenOfV[b]) << 8
                    | level(l + blueOfU[a]);
        }
    }

    private static int level(int value) {
        int level = value >> BITS;
        return level < 0 ? 0 : level > 255 ? 255 : level;
    }
}
