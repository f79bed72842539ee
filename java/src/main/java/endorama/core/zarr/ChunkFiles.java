package endorama.core.zarr;

import endorama.core.paint.Pyramid;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/**
 * Writes one level of an image as the chunks of a Zarr array of axes c, y, x: each 512 x 512 of one channel, compressed by gzip
 * on several threads, and left out where all is 0. Zarr 2 has a file a chunk; Zarr 3 a file for 8 x 8 of them of all channels.
 * A chunk that is there already from a run that did not end, and holds the same pixels, is taken as it is.
 */
final class ChunkFiles {
    static final int SIDE = Pyramid.TILE;
    /** Chunks along the side of a shard. */
    static final int ACROSS = 8;

    private final Path folder;
    private final boolean sharded;
    private final int width;
    private final int channels;
    private final int bytes;
    private final int last;
    private final ExecutorService threads;
    private final Callable<?> watch;
    /** Shards of the current row. */
    private final Growing[] shards;
    private int row;

    /** A shard that is being written, and the one of an earlier run. */
    private static final class Growing {
        Shard index;
        Shard earlier;
        Path file;
        long length;
    }

    /**
     * The chunks of a level.
     *
     * @param bytes of a sample
     * @param watch called before every chunk; its exception ends the writing
     */
    ChunkFiles(Path folder, boolean sharded, int width, int height, int channels, int bytes, ExecutorService threads,
            Callable<?> watch) {
        this.folder = folder;
        this.sharded = sharded;
        this.width = width;
        this.channels = channels;
        this.bytes = bytes;
        this.threads = threads;
        this.watch = watch;
        last = (height - 1) / SIDE;
        shards = new Growing[(across() - 1) / ACROSS + 1];
    }

    private int across() {
        return (width + SIDE - 1) / SIDE;
    }

    /** Writes the next row of chunks, of up to {@link #SIDE} rows of pixels. */
    void write(byte[] band, int rows) throws IOException {
        if (sharded && row % ACROSS == 0) {
            for (int i = 0; i < shards.length; i++) {
                shards[i] = begin(i);
            }
        }
        List<Callable<byte[]>> tasks = new ArrayList<Callable<byte[]>>();
        for (int c = 0; c < channels; c++) {
            for (int x = 0; x < across(); x++) {
                int channel = c;
                int column = x;
                tasks.add(() -> {
                    watch.call();
                    byte[] packed = chunk(channel, column, pixels(band, rows, channel, column));
                    return sharded ? packed : null;
                });
            }
        }
        List<Future<byte[]>> packed = all(tasks);
        for (int i = 0; sharded && i < packed.size(); i++) {
            append(i / across(), i % across(), result(packed.get(i)));
        }
        for (int i = 0; !sharded && i < packed.size(); i++) {
            result(packed.get(i));
        }
        for (int i = 0; sharded && i < shards.length && (row == last || row % ACROSS == ACROSS - 1); i++) {
            finish(shards[i]);
        }
        row++;
    }

    private List<Future<byte[]>> all(List<Callable<byte[]>> tasks) throws IOException {
        try {
            return threads.invokeAll(tasks);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static byte[] result(Future<byte[]> task) throws IOException {
        try {
            return task.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException) {
                throw (IOException) e.getCause();
            }
            if (e.getCause() instanceof Error) {
                throw (Error) e.getCause();
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    /** The pixels of a chunk, 0 beyond the image; null if all are 0. */
    private byte[] pixels(byte[] band, int rows, int channel, int column) {
        byte[] chunk = new byte[SIDE * SIDE * bytes];
        int n = Math.min(SIDE, width - column * SIDE);
        int step = channels * bytes;
        int any = 0;
        for (int y = 0; y < rows; y++) {
            int from = (y * width + column * SIDE) * step + channel * bytes;
            int to = y * SIDE * bytes;
            for (int x = 0; x < n; x++, from += step) {
                for (int b = 0; b < bytes; b++, to++) {
                    chunk[to] = band[from + b];
                    any |= chunk[to];
                }
            }
        }
        return any == 0 ? null : chunk;
    }

    /** The packed chunk, in Zarr 2 written; null if it is left out. */
    private byte[] chunk(int channel, int column, byte[] pixels) throws IOException {
        Path file = folder.resolve(channel + "/" + row + "/" + column);
        byte[] there = pixels == null ? null : sharded ? earlier(channel, column) : Files.exists(file)
                ? Files.readAllBytes(file) : null;
        byte[] packed = pixels == null ? null : holds(there, pixels) ? there : Gzip.pack(pixels);
        if (sharded || packed != null && packed == there) {
            return packed;
        }
        if (packed == null) {
            Files.deleteIfExists(file);
            return null;
        }
        Files.createDirectories(file.getParent());
        Path unfinished = unfinished(file);
        Files.write(unfinished, packed);
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        return packed;
    }

    private static Path unfinished(Path file) {
        return file.resolveSibling(file.getFileName() + ".part");
    }

    private static boolean holds(byte[] packed, byte[] pixels) {
        try {
            return packed != null && Arrays.equals(Gzip.unpack(packed, pixels.length), pixels);
        } catch (IOException e) {
            return false; // Damaged: it is written anew.
        }
    }

    // ------------------------------------------------------------------ shards

    private int number(int channel, int column) {
        return (channel * ACROSS + row % ACROSS) * ACROSS + column % ACROSS;
    }

    private Growing begin(int column) {
        Growing shard = new Growing();
        int chunks = channels * ACROSS * ACROSS;
        shard.index = Shard.empty(chunks);
        shard.file = folder.resolve("c/0/" + row / ACROSS + "/" + column);
        try (FileChannel before = Files.exists(shard.file) ? Shard.open(shard.file) : null) {
            shard.earlier = before == null ? null : Shard.read(before, chunks, true, true);
        } catch (IOException e) {
            shard.earlier = null; // Damaged: it is written anew.
        }
        return shard;
    }

    private byte[] earlier(int channel, int column) {
        Growing shard = shards[column / ACROSS];
        if (shard.earlier == null) {
            return null;
        }
        try (FileChannel before = Shard.open(shard.file)) {
            return shard.earlier.chunk(before, number(channel, column), 2 * SIDE * SIDE * bytes);
        } catch (IOException e) {
            return null; // Damaged: it is written anew.
        }
    }

    private void append(int channel, int column, byte[] packed) throws IOException {
        if (packed != null) {
            Growing shard = shards[column / ACROSS];
            shard.index.place(number(channel, column), shard.length, packed.length);
            append(shard, packed);
        }
    }

    private static void append(Growing shard, byte[] packed) throws IOException {
        Files.createDirectories(shard.file.getParent());
        try (OutputStream out = new FileOutputStream(unfinished(shard.file).toFile(), shard.length > 0)) {
            out.write(packed);
        }
        shard.length += packed.length;
    }

    private static void finish(Growing shard) throws IOException {
        if (shard.length == 0) {
            Files.deleteIfExists(shard.file);
            Files.deleteIfExists(unfinished(shard.file));
            return;
        }
        append(shard, shard.index.index());
        Files.move(unfinished(shard.file), shard.file, StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }
}
