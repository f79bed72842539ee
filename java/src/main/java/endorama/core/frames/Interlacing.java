package endorama.core.frames;

import java.util.Locale;

/**
 * Whether frames are interlaced: every other row shows another time, so that what moves has a comb for an edge. There rows
 * differ more from their neighbours than from those two rows away; in images it is the other way, and in noise both are
 * equal.
 *
 * <p>Share of the tiles that are combed in such a way, of ten frames each: in two laparoscopies whose frames were woven from
 * two each 0.88 and 0.31 (median), in these clips as they are, a colon, a retina in strong noise, and behind fibre bundles
 * none.
 */
public final class Interlacing {
    /** Side of the tiles, px; one in four of them is looked at. */
    private static final int TILE = 32;
    /** A tile has contrast where its standard deviation is this share of the frame's brightest value: 8 grey levels. */
    private static final double CONTRAST = 1.0 / 32;
    /** Mean square of the differences of neighbouring rows over that of rows two apart. */
    private static final double COMBED = 1.2;
    /** A frame is combed where as many of its tiles are that have contrast. */
    private static final double TILES = 0.1;
    /** A sequence is interlaced where as many of its frames are combed: a scope that stands still makes none. */
    private static final double FRAMES = 0.25;
    private static final int LEAST_FRAMES = 2;

    private final PixelType type;
    private final int width;
    private final int height;
    private final int[] tile = new int[TILE * (TILE + 2)];
    private int frames;
    private int combed;

    public Interlacing(FrameSource source) {
        type = source.type();
        width = source.width();
        height = source.height();
    }

    /** Looks at a frame. */
    public void look(Object pixels) {
        double contrast = CONTRAST * brightest(pixels);
        int tiles = 0;
        int odd = 0;
        for (int y = 0; y + TILE + 2 <= height; y += 2 * TILE) {
            for (int x = 0; x + TILE <= width; x += 2 * TILE) {
                take(pixels, x, y);
                if (deviation() >= contrast) {
                    tiles++;
                    odd += isCombed() ? 1 : 0;
                }
            }
        }
        frames++;
        combed += odd > TILES * tiles ? 1 : 0;
    }

    /** What is to be said of the frames that were looked at; null if nothing is. */
    public String warning() {
        if (combed < LEAST_FRAMES || combed < FRAMES * frames) {
            return null;
        }
        return String.format(Locale.ROOT, "the frames look interlaced: every other row is of another time in %d of %d that were"
                + " looked at; take them apart before (ffmpeg -i VIDEO -vf bwdif -c:v ffv1 NEW.mkv), or places are less sure"
                + " and edges stay combed", combed, frames);
    }

    private int brightest(Object pixels) {
        int most = 1;
        for (int i = 0; i < width * height; i += TILE / 2 + 1) {
            most = Math.max(most, value(pixels, i));
        }
        return most;
    }

    /** The rows of a tile, and two more, which those before are compared with; dense. */
    private void take(Object pixels, int left, int top) {
        for (int y = 0; y < TILE + 2; y++) {
            int from = (top + y) * width + left;
            switch (type) {
                case GREY8: takeGrey8((byte[]) pixels, from, y * TILE); break;
                case GREY16: takeGrey16((short[]) pixels, from, y * TILE); break;
                default: takeGreen((int[]) pixels, from, y * TILE);
            }
        }
    }

    private void takeGrey8(byte[] pixels, int from, int to) {
        for (int x = 0; x < TILE; x++) {
            tile[to + x] = pixels[from + x] & 0xff;
        }
    }

    private void takeGrey16(short[] pixels, int from, int to) {
        for (int x = 0; x < TILE; x++) {
            tile[to + x] = pixels[from + x] & 0xffff;
        }
    }

    private void takeGreen(int[] pixels, int from, int to) {
        for (int x = 0; x < TILE; x++) {
            tile[to + x] = pixels[from + x] >> 8 & 0xff;
        }
    }

    private double deviation() {
        int n = TILE * TILE;
        long sum = 0;
        long squares = 0;
        for (int i = 0; i < n; i++) {
            long v = tile[i];
            sum += v;
            squares += v * v;
        }
        double mean = (double) sum / n;
        return Math.sqrt(Math.max(0, (double) squares / n - mean * mean));
    }

    private boolean isCombed() {
        long one = 0;
        long two = 0;
        for (int i = 0; i < TILE * TILE; i++) {
            long next = tile[i] - tile[i + TILE];
            long other = tile[i] - tile[i + 2 * TILE];
            one += next * next;
            two += other * other;
        }
        return one > COMBED * two;
    }

    /** Of colours green, which has most of the details. */
    private int value(Object pixels, int i) {
        switch (type) {
            case GREY8: return ((byte[]) pixels)[i] & 0xff;
            case GREY16: return ((short[]) pixels)[i] & 0xffff;
            default: return ((int[]) pixels)[i] >> 8 & 0xff;
        }
    }
}
