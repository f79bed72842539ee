package endorama.core.frames;

/** Images as masks. */
public final class Masks {
    private Masks() {
    }

    /** The mask of an image: -1 where a pixel is not 0, or a colour not black. */
    public static byte[] of(Object pixels) {
        byte[] mask = new byte[java.lang.reflect.Array.getLength(pixels)];
        for (int i = 0; i < mask.length; i++) {
            int value = pixels instanceof byte[] ? ((byte[]) pixels)[i]
                    : pixels instanceof short[] ? ((short[]) pixels)[i] : ((int[]) pixels)[i] & 0xffffff;
            mask[i] = (byte) (value != 0 ? -1 : 0);
        }
        return mask;
    }
}
