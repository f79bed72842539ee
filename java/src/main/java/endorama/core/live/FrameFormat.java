package endorama.core.live;

import endorama.core.frames.PixelType;

/** How a frame lies in the bytes of a stream, and which pixels they are. */
abstract class FrameFormat {
    final int width;
    final int height;
    final PixelType type;

    /**
     * A format of frames of this size.
     *
     * @param bytes of a frame
     * @throws StreamException if Java's memory does not hold some frames
     */
    FrameFormat(int width, int height, PixelType type, double bytes) throws StreamException {
        this.width = width;
        this.height = height;
        this.type = type;
        // Three frames are held as bytes, and one as pixels.
        double needed = 3 * bytes + (double) width * height * type.bytes();
        if (width < 1 || height < 1) {
            throw new StreamException("frames of " + width + " x " + height + " pixels: must be 1 x 1 or larger");
        }
        if (bytes > Integer.MAX_VALUE - 8 || needed > Runtime.getRuntime().maxMemory() / 2) {
            throw new StreamException("frames of " + width + " x " + height + " pixels are too large for Java's memory");
        }
    }

    /** Bytes of a frame. */
    abstract int bytes();

    /** Makes the pixels of a frame: an array of the type, width*height. */
    abstract void decode(byte[] bytes, Object pixels);
}
