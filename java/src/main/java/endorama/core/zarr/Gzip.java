package endorama.core.zarr;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.InflaterInputStream;

/** Compression by gzip and zlib. */
final class Gzip {
    /** The level of compression; higher ones take several times as long for a few percent. */
    static final int LEVEL = Deflater.BEST_SPEED;

    private Gzip() {
    }

    static byte[] pack(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream(bytes.length / 2 + 64);
        try (GZIPOutputStream out = new GZIPOutputStream(packed, 1 << 13) {
            {
                def.setLevel(LEVEL);
            }
        }) {
            out.write(bytes);
        }
        return packed.toByteArray();
    }

    static byte[] unpack(byte[] packed, int length) throws IOException {
        return all(new GZIPInputStream(new ByteArrayInputStream(packed), 1 << 13), length);
    }

    static byte[] inflate(byte[] packed, int length) throws IOException {
        return all(new InflaterInputStream(new ByteArrayInputStream(packed)), length);
    }

    /** The bytes of a stream, which must be so many; no more memory is taken whatever the stream holds. */
    private static byte[] all(InputStream in, int length) throws IOException {
        byte[] bytes = new byte[length];
        int n = 0;
        try {
            for (int more = 0; n < length && more >= 0; n += Math.max(0, more)) {
                more = in.read(bytes, n, length - n);
            }
        } catch (EOFException e) {
            throw new IOException("its compressed data end after " + n + " of " + length + " bytes", e);
        }
        if (n < length || in.read() >= 0) {
            throw new IOException("it holds " + (n < length ? n + "" : "more than " + n) + " bytes for " + length);
        }
        return bytes;
    }
}
