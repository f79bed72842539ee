package endorama.cli;

/** The fields of one directory of a TIFF file that describe its image. */
final class TiffDirectory {
    static final int WHITE_IS_ZERO = 0;
    static final int BLACK_IS_ZERO = 1;
    static final int RGB = 2;
    static final int PALETTE = 3;
    static final int UNSIGNED = 1;
    static final int SIGNED = 2;
    static final int FLOAT = 3;

    /** The number of this directory in the file, from 0. */
    int number;
    /** A smaller copy of another image. */
    boolean reduced;
    /** The OME-XML of the file; "" if there is none. */
    String ome = "";
    int width;
    int height;
    int compression = 1;
    int photometric = -1;
    int samples = 1;
    /** Bits of a sample; where samples differ, of the first one. */
    int bits = 1;
    boolean unequalBits;
    int format = UNSIGNED;
    boolean planar;
    boolean tiled;
    long rowsPerStrip = Integer.MAX_VALUE;
    /** Offsets of strips or tiles; empty if there are none. */
    long[] offsets = {};
    long[] counts = {};
    /** Palette of reds, greens and blues, 0..65535; null without a palette. */
    int[] colours;
    boolean littleEndian;
    /** Number of contiguous images from the first strip on, as ImageJ writes stacks; 1 for other files. */
    int images = 1;
    /** Why the image cannot be read; null if it can. */
    String problem;

    /** Whole bytes of one pixel. */
    int pixelBytes() {
        return samples * bits / 8;
    }

    /**
     * Uncompressed rows: 8 or 16 bits of grey, perhaps with extra samples that are ignored, 8 bits of a palette, or 8 bits each
     * of red, green and blue.
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

    /** The kind of pixels that is not supported; null if it is. */
    String unsupported() {
        if (format == FLOAT) {
            return bits + "-bit float";
        }
        return bits > 16 ? bits + "-bit" : null;
    }
}
