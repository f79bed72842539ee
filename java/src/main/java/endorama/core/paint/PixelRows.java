package endorama.core.paint;

import endorama.core.frames.PixelType;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;

/** The rows of one picture: in Java's memory, or in a file of which nothing is left when it is closed or the process ends. */
abstract class PixelRows implements Closeable {
    /** Pixels of a file that are moved at once, unless a row is longer. */
    private static final int BAND = 1 << 22;
    private static final AtomicLong NUMBER = new AtomicLong();

    final PixelType type;
    final int width;
    final int height;

    PixelRows(PixelType type, int width, int height) {
        this.type = type;
        this.width = width;
        this.height = height;
    }

    /** All 0, in Java's memory, which is taken when something is put in. */
    static PixelRows inMemory(PixelType type, int width, int height) {
        return new Memory(type, width, height);
    }

    /**
     * All 0, in a file.
     *
     * @param folder where there is room for it
     */
    static PixelRows onDisk(PixelType type, int width, int height, File folder) throws IOException {
        return new Disk(type, width, height, folder);
    }

    /** How many rows {@link #put} and {@link #get} are best asked for at once. */
    abstract int band();

    /** Sets rows from one on; pixels: n*width, of which the rows may keep the array. */
    abstract void put(int first, int n, Object pixels) throws IOException;

    /** n*width pixels from a row on, which are not to be changed. */
    abstract Object get(int first, int n) throws IOException;

    /** All pixels; of a file a copy. */
    final Object all() throws IOException {
        if ((long) width * height > Integer.MAX_VALUE - 8) {
            throw new IOException(width + " x " + height + " px: more than an array of Java holds");
        }
        return get(0, height);
    }

    private static final class Memory extends PixelRows {
        private Object pixels;

        Memory(PixelType type, int width, int height) {
            super(type, width, height);
        }

        @Override
        int band() {
            return height;
        }

        @Override
        void put(int first, int n, Object rows) {
            if (n == height) {
                pixels = rows;
                return;
            }
            System.arraycopy(rows, 0, own(), first * width, n * width);
        }

        private Object own() {
            if (pixels == null) {
                pixels = type.array(width * height);
            }
            return pixels;
        }

        @Override
        Object get(int first, int n) {
            if (n == height) {
                return own();
            }
            Object rows = type.array(n * width);
            System.arraycopy(own(), first * width, rows, 0, n * width);
            return rows;
        }

        /** It goes when nobody refers to it. */
        @Override
        public void close() {
        }
    }

    private static final class Disk extends PixelRows {
        private final FileChannel file;
        private final ByteBuffer buffer;

        Disk(PixelType type, int width, int height, File folder) throws IOException {
            super(type, width, height);
            Path path = folder.toPath().resolve(".endorama-" + Long.toHexString(System.nanoTime()) + "-"
                    + NUMBER.incrementAndGet() + ".rows");
            // The name is gone at once where files may be deleted while they are open.
            file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
                    StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
            buffer = ByteBuffer.allocateDirect(Math.multiplyExact(width, type.bytes()));
        }

        @Override
        int band() {
            return Math.max(1, Math.min(height, BAND / width));
        }

        private long at(int row) {
            return (long) row * width * type.bytes();
        }

        @Override
        void put(int first, int n, Object pixels) throws IOException {
            for (int row = 0; row < n; row++) {
                buffer.clear();
                switch (type) {
                    case GREY8: buffer.put((byte[]) pixels, row * width, width).clear(); break;
                    case GREY16: buffer.asShortBuffer().put((short[]) pixels, row * width, width); break;
                    default: buffer.asIntBuffer().put((int[]) pixels, row * width, width);
                }
                for (long from = at(first + row); buffer.hasRemaining();) {
                    from += file.write(buffer, from);
                }
            }
        }

        /** What lies behind the end was never put in. */
        @Override
        Object get(int first, int n) throws IOException {
            Object pixels = type.array(Math.multiplyExact(n, width));
            for (int row = 0; row < n; row++) {
                buffer.clear();
                for (long from = at(first + row); buffer.hasRemaining();) {
                    int read = file.read(buffer, from);
                    if (read < 0) {
                        break;
                    }
                    from += read;
                }
                while (buffer.hasRemaining()) {
                    buffer.put((byte) 0);
                }
                buffer.clear();
                switch (type) {
                    case GREY8: buffer.get((byte[]) pixels, row * width, width); break;
                    case GREY16: buffer.asShortBuffer().get((short[]) pixels, row * width, width); break;
                    default: buffer.asIntBuffer().get((int[]) pixels, row * width, width);
                }
            }
            return pixels;
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
