package endorama.core.zarr;

import endorama.core.common.Explanation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Unpacks what blosc has compressed, by a library with code of the machine that is loaded when it is needed. */
final class Blosc {
    private static final int HEADER = 16;

    private Blosc() {
    }

    /** @throws IOException if the library does not work on this machine */
    static void check() throws IOException {
        try {
            com.scalableminds.bloscjava.Blosc.compress(new byte[HEADER], 1);
        } catch (LinkageError | RuntimeException e) {
            throw new IOException("it is compressed by blosc, whose library does not work here; write the images anew with gzip"
                    + " or zlib (" + Explanation.of(e, "") + ")", e);
        }
    }

    static byte[] unpack(byte[] packed, int length) throws IOException {
        // Both lengths are checked here, as the library takes them from the data: version, flags, then three of 32 bits.
        ByteBuffer header = ByteBuffer.wrap(packed).order(ByteOrder.LITTLE_ENDIAN);
        if (packed.length < HEADER || header.getInt(4) != length || header.getInt(12) != packed.length) {
            throw new IOException("it is damaged: blosc's header says " + (packed.length < HEADER ? "nothing"
                    : header.getInt(4) + " bytes in " + header.getInt(12)) + ", there should be " + length + " bytes in "
                    + packed.length);
        }
        byte[] bytes;
        try {
            bytes = com.scalableminds.bloscjava.Blosc.decompress(packed);
        } catch (RuntimeException e) {
            throw new IOException("it is damaged: blosc cannot unpack it", e);
        }
        if (bytes == null || bytes.length != length) {
            throw new IOException("it is damaged: blosc cannot unpack it");
        }
        return bytes;
    }
}
