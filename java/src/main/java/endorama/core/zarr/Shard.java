package endorama.core.zarr;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * The index of a shard: for each of its chunks, in C order, offset and length in the file, 64 bit little-endian, and a check
 * sum (CRC-32C) of that (Zarr 3, codec sharding_indexed).
 */
final class Shard {
    private static final int CHECK_SUM = 4;
    private static final int[] TABLE = table();

    private final long[] places;

    private Shard(long[] places) {
        this.places = places;
    }

    /** A shard without chunks. */
    static Shard empty(int chunks) {
        long[] places = new long[2 * chunks];
        Arrays.fill(places, -1);
        return new Shard(places);
    }

    /** Reads the index at the start or the end of a file. */
    static Shard read(FileChannel file, int chunks, boolean atEnd, boolean checked) throws IOException {
        int bytes = 16 * chunks;
        int length = bytes + (checked ? CHECK_SUM : 0);
        if (file.size() < length) {
            throw new EOFException("it has " + file.size() + " bytes, its index " + length);
        }
        ByteBuffer index = bytes(file, atEnd ? file.size() - length : 0, length);
        if (checked && checkSum(index.array(), bytes) != index.getInt(bytes)) {
            throw new IOException("the check sum of its index is wrong");
        }
        Shard shard = empty(chunks);
        index.asLongBuffer().get(shard.places);
        return shard;
    }

    /** The packed bytes of a chunk; null: it is left out. */
    byte[] chunk(FileChannel file, int number, int most) throws IOException {
        long offset = places[2 * number];
        long length = places[2 * number + 1];
        if (offset == -1 && length == -1) {
            return null;
        }
        if (offset < 0 || length < 0 || length > most || offset > file.size() - length) {
            throw new EOFException("its index places chunk " + number + " at " + offset + ", " + length
                    + " bytes; the file has " + file.size());
        }
        return bytes(file, offset, (int) length).array();
    }

    private static ByteBuffer bytes(FileChannel file, long offset, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        while (bytes.hasRemaining() && file.read(bytes, offset + bytes.position()) >= 0) {
            continue;
        }
        if (bytes.hasRemaining()) {
            throw new EOFException("it ends too early");
        }
        bytes.clear();
        return bytes;
    }

    void place(int number, long offset, int length) {
        places[2 * number] = offset;
        places[2 * number + 1] = length;
    }

    /** The bytes of the index, with the check sum. */
    byte[] index() {
        int bytes = 8 * places.length;
        ByteBuffer index = ByteBuffer.allocate(bytes + CHECK_SUM).order(ByteOrder.LITTLE_ENDIAN);
        index.asLongBuffer().put(places);
        index.putInt(bytes, checkSum(index.array(), bytes));
        return index.array();
    }

    static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.READ);
    }

    /** CRC-32C (Castagnoli) of the first bytes; Java has it from 9 on. */
    static int checkSum(byte[] bytes, int length) {
        int sum = -1;
        for (int i = 0; i < length; i++) {
            sum = TABLE[(sum ^ bytes[i]) & 255] ^ sum >>> 8;
        }
        return ~sum;
    }

    private static int[] table() {
        int[] table = new int[256];
        for (int i = 0; i < 256; i++) {
            int value = i;
            for (int bit = 0; bit < 8; bit++) {
                value = (value & 1) == 0 ? value >>> 1 : value >>> 1 ^ 0x82f63b78;
            }
            table[i] = value;
        }
        return table;
    }
}
