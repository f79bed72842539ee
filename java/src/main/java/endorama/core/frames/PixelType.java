package endorama.core.frames;

/** The kinds of pixels that frames and panoramas have; arrays are ImageJ's own. */
public enum PixelType {
    /** byte[], unsigned. */
    GREY8(1),
    /** short[], unsigned. */
    GREY16(2),
    /** int[], 0xAARRGGBB. */
    RGB32(4);

    private final int bytes;

    PixelType(int bytes) {
        this.bytes = bytes;
    }

    /** Bytes of one pixel. */
    public int bytes() {
        return bytes;
    }

    /** The name for people. */
    public String words() {
        switch (this) {
            case GREY8: return "8-bit grey";
            case GREY16: return "16-bit grey";
            default: return "in colour";
        }
    }

    /** The number that the native library uses. */
    public int code() {
        return ordinal();
    }

    /** A new array of n pixels, all 0. */
    public Object array(int n) {
        switch (this) {
            case GREY8: return new byte[n];
            case GREY16: return new short[n];
            default: return new int[n];
        }
    }

    /** Number of pixels of an array of this type; -1 if it is of another type. */
    public int length(Object pixels) {
        if (this == GREY8 && pixels instanceof byte[]) {
            return ((byte[]) pixels).length;
        }
        if (this == GREY16 && pixels instanceof short[]) {
            return ((short[]) pixels).length;
        }
        return this == RGB32 && pixels instanceof int[] ? ((int[]) pixels).length : -1;
    }
}
