package endorama.cli;

/** What one directory of a TIFF file says about its image. */
final class TiffDirectory {
    static final int WHITE_IS_ZERO = 0;
    static final int BLACK_IS_ZERO = 1;
    static final int RGB = 2;
    static final int PALETTE = 3;
    static final int UNSIGNED = 1;
    static final int SIGNED = 2;
    static final int FLOAT = 3;

    int width;
    int height;
    int compression = 1;
    int photometric = -1;
    int samples = 1;
    /** Of each sample; of the first, where they differ. */
    int bits = 1;
    boolean unequalBits;
    int format = UNSIGNED;
    boolean planar;
    boolean tiled;
    long rowsPerStrip = Integer.MAX_VALUE;
    /** Of strips or tiles; empty if there are none. */
    long[] offsets = {};
    long[] counts = {};
    /** Reds, greens and blues of 0..65535; null without a palette. */
    int[] colours;
    boolean littleEndian;
    /** Images that lie one after the other from the first strip on, as ImageJ writes stacks; 1 for all others. */
    int images = 1;
    /** Why its image cannot be read; null if nothing speaks against it. */
    String problem;

    /** Bytes of one pixel, if they are whole ones. */
    int pixelBytes() {
        return samples * bits / 8;
    }

    /**
     * Rows of bytes as they are: 8 or 16 bit of grey, perhaps with samples beside it that do not count, 8 bits of a
     * palette, or 8 bits each of red, green and blue.
     */
    boolean isPlain() {
        boolean rows = compression <= 1 && !tiled && !unequalBits && (!planar || samples == 1) && format != FLOAT;
        switch (photometric) {
            case WHITE_IS_ZERO:
            case BLACK_IS_ZERO: return rows && (bits == 8 && format != SIGNED || bits == 16);
            case RGB: return rows && bits == 8 && samples >= 3;
            case PALETTE: return rows && bits == 8 && samples == 1 && colours != null && colours.length == 768;
            default: return false;
        }
    }

    /** Null, or the pixels that nothing here makes frames of. */
    String unsupported() {
        if (format == FLOAT) {
            return bits + "-bit float";
        }
        return bits > 16 ? bits + "-bit" : null;
    }
}
