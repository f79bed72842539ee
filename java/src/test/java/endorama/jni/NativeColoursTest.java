package endorama.jni;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** Pixels of bytes of red, green and blue. */
class NativeColoursTest {
    private static final byte[] BYTES = {1, 2, 3, (byte) 0xf4, 5, 6, 7, (byte) 0xff};

    @Test
    void pixelsFromAPlaceOn() {
        int[] pixels = {9, 9, 9, 9};
        NativeColours.fromBytes(BYTES, 3, pixels, 1, 2);
        assertArrayEquals(new int[] {9, 0xff010203, 0xfff40506, 9}, pixels);
        NativeColours.fromBytes(BYTES, 4, pixels, 2, 2);
        assertArrayEquals(new int[] {9, 0xff010203, 0xff010203, 0xff050607}, pixels);
        NativeColours.fromBytes(BYTES, 3, pixels, 4, 0);
    }

    @Test
    void arraysThatAreTooShortAreRefused() {
        int[] pixels = new int[4];
        assertThrows(EndoramaException.class, () -> NativeColours.fromBytes(BYTES, 3, pixels, 0, 3));
        assertThrows(EndoramaException.class, () -> NativeColours.fromBytes(BYTES, 3, pixels, 3, 2));
        assertThrows(EndoramaException.class, () -> NativeColours.fromBytes(BYTES, 2, pixels, 0, 1));
        assertThrows(EndoramaException.class, () -> NativeColours.fromBytes(BYTES, -1, pixels, 0, 1));
        assertThrows(EndoramaException.class, () -> NativeColours.fromBytes(BYTES, 3, pixels, -1, 1));
        assertThrows(EndoramaException.class, () -> NativeColours.fromBytes(BYTES, 3, pixels, 0, -1));
    }
}
