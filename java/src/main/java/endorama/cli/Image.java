package endorama.cli;

import endorama.core.frames.PixelType;

/** One image in memory. */
final class Image {
    final PixelType type;
    final int width;
    final int height;
    /** byte[], short[] or int[] by type, width*height. */
    final Object pixels;

    Image(PixelType type, int width, int height, Object pixels) {
        this.type = type;
        this.width = width;
        this.height = height;
        this.pixels = pixels;
    }

    /** The pixels converted to another type without loss; else null. */
    Object as(PixelType wanted) {
        if (type == wanted) {
            return pixels;
        }
        if (type != PixelType.GREY8 || wanted != PixelType.RGB32) {
            return null;
        }
        byte[] grey = (byte[]) pixels;
        int[] colour = new int[grey.length];
        for (int i = 0; i < grey.length; i++) {
            colour[i] = 0xff000000 | (grey[i] & 0xff) * 0x010101;
        }
        return colour;
    }
}
