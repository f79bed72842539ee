package endorama.core.zarr;

import endorama.core.frames.FrameReadException;
import java.io.IOException;
import java.lang.ref.SoftReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An array of Zarr 2 or 3 in a folder, of 8 or 16 bit unsigned: chunks that are not compressed or by zlib, gzip or blosc, each
 * in a file or many in one (sharding). What the files say is not trusted: a chunk takes no more memory than its shape says, and
 * that is bounded. May be read by several threads.
 */
final class ZarrArray {
    private static final int MOST_AXES = 5;
    /** Most bytes of a chunk. */
    private static final long LARGEST_CHUNK = Math.min(1 << 30, Runtime.getRuntime().maxMemory() / 4);
    private static final int MOST_CHUNKS = 1 << 20;
    /** Bytes by which a compressed chunk may be longer than its pixels. */
    private static final int OVERHEAD = 1 << 16;

    /** Takes the rows of a plane, in any order. */
    interface Rows {
        /** n samples of a chunk, from an index in bytes on, for a row and a column of the plane; null: all have the fill value. */
        void take(byte[] chunk, int from, int n, int row, int column);
    }

    private final Path folder;
    private final long[] shape;
    private int bytes;
    private boolean highFirst;
    private int fill;
    /** Of the chunks in a shard, or of the chunks. */
    private int[] chunk;
    /** Chunks along each axis of a shard; null: each chunk has a file. */
    private int[] shard;
    private boolean indexAtEnd;
    private boolean indexChecked;
    /** Names of what was done to a chunk, in order: gzip, zlib, blosc, crc32c. */
    private final List<String> codecs = new ArrayList<String>();
    private String prefix = "";
    private String separator;
    /** Chunks of several planes that were unpacked last. */
    private final Map<String, SoftReference<byte[]>> kept = new LinkedHashMap<String, SoftReference<byte[]>>();

    ZarrArray(Path folder) throws FrameReadException {
        this.folder = folder;
        boolean old = Files.exists(folder.resolve(".zarray"));
        ZarrJson json = ZarrJson.read(folder.resolve(old ? ".zarray" : "zarr.json"));
        shape = json.sizes("shape");
        if (shape.length < 2 || shape.length > MOST_AXES) {
            throw json.wrong("shape", "2 to " + MOST_AXES + " numbers");
        }
        if (old) {
            readOld(json);
        } else {
            readNew(json);
        }
        try {
            if (codecs.contains("blosc")) {
                Blosc.check();
            }
        } catch (IOException e) {
            throw new FrameReadException(json.file() + ": " + e.getMessage(), e);
        }
    }

    // ---------------------------------------------------------------- metadata

    private void readOld(ZarrJson json) throws FrameReadException {
        json.text("zarr_format", "2");
        String type = json.text("dtype", "|u1", "<u1", ">u1", "<u2", ">u2");
        bytes = type.charAt(2) - '0';
        highFirst = type.charAt(0) == '>';
        fill = json.whole("fill_value", 0, (1 << 8 * bytes) - 1);
        json.text("order", "C");
        if (json.has("filters")) {
            throw json.wrong("filters", "null");
        }
        if (json.has("compressor")) {
            codecs.add(json.object("compressor").text("id", "gzip", "zlib", "blosc"));
        }
        separator = json.has("dimension_separator") ? json.text("dimension_separator", ".", "/") : ".";
        setChunk(json, "chunks");
    }

    private void readNew(ZarrJson json) throws FrameReadException {
        json.text("zarr_format", "3");
        json.text("node_type", "array");
        bytes = json.text("data_type", "uint8", "uint16").equals("uint8") ? 1 : 2;
        fill = json.whole("fill_value", 0, (1 << 8 * bytes) - 1);
        ZarrJson keys = json.object("chunk_key_encoding");
        boolean plain = keys.text("name", "default", "v2").equals("default");
        separator = plain ? "/" : ".";
        if (keys.has("configuration") && keys.object("configuration").has("separator")) {
            separator = keys.object("configuration").text("separator", ".", "/");
        }
        prefix = plain ? "c" + separator : "";
        json.object("chunk_grid").text("name", "regular");
        ZarrJson grid = json.object("chunk_grid").object("configuration");
        List<ZarrJson> chain = json.objects("codecs");
        if (!chain.get(0).text("name").equals("sharding_indexed")) {
            setChunk(grid, "chunk_shape");
            setCodecs(chain);
            return;
        }
        if (chain.size() > 1) {
            throw json.wrong("codecs", "sharding_indexed alone, or without it");
        }
        setShard(grid, chain.get(0).object("configuration"));
    }

    private void setShard(ZarrJson grid, ZarrJson sharding) throws FrameReadException {
        setChunk(sharding, "chunk_shape");
        long[] outer = grid.sizes("chunk_shape");
        shard = new int[shape.length];
        long chunks = 1;
        for (int i = 0; i < shape.length; i++) {
            boolean fits = outer.length == shape.length && outer[i] % chunk[i] == 0;
            chunks = fits ? chunks * Math.min(MOST_CHUNKS + 1, outer[i] / chunk[i]) : MOST_CHUNKS + 1;
            if (chunks > MOST_CHUNKS) {
                throw grid.wrong("chunk_shape", "whole multiples of " + Arrays.toString(chunk) + ", of at most " + MOST_CHUNKS
                        + " chunks");
            }
            shard[i] = (int) (outer[i] / chunk[i]);
        }
        setCodecs(sharding.objects("codecs"));
        List<ZarrJson> index = sharding.objects("index_codecs");
        checkEndian(index.get(0), "little");
        indexChecked = index.size() > 1;
        if (index.size() > 2 || indexChecked && !index.get(1).text("name").equals("crc32c")) {
            throw sharding.wrong("index_codecs", "bytes, and perhaps crc32c");
        }
        indexAtEnd = !sharding.has("index_location") || sharding.text("index_location", "start", "end").equals("end");
    }

    private static String checkEndian(ZarrJson codec, String... allowed) throws FrameReadException {
        codec.text("name", "bytes");
        boolean says = codec.has("configuration") && codec.object("configuration").has("endian");
        return says ? codec.object("configuration").text("endian", allowed) : "little";
    }

    private void setCodecs(List<ZarrJson> chain) throws FrameReadException {
        highFirst = checkEndian(chain.get(0), "little", "big").equals("big");
        for (ZarrJson codec : chain.subList(1, chain.size())) {
            codecs.add(codec.text("name", "gzip", "blosc", "crc32c"));
        }
        if (codecs.size() - codecs.stream().filter("crc32c"::equals).count() > 1) {
            throw chain.get(0).wrong("name", "followed by one compression at most");
        }
    }

    private void setChunk(ZarrJson json, String key) throws FrameReadException {
        long[] sizes = json.sizes(key);
        chunk = new int[sizes.length];
        long all = bytes;
        for (int i = 0; i < sizes.length; i++) {
            all *= Math.min(sizes[i], LARGEST_CHUNK + 1);
            if (sizes.length != shape.length || all > LARGEST_CHUNK) {
                throw json.wrong(key, shape.length + " numbers, of at most " + LARGEST_CHUNK + " bytes (give Java more memory"
                        + " for larger chunks)");
            }
            chunk[i] = (int) sizes[i];
        }
    }

    /** The size along each axis. */
    long[] shape() {
        return shape.clone();
    }

    /** Bytes of a sample, 1 or 2. */
    int bytes() {
        return bytes;
    }

    /** The value of a sample of a chunk; at: its index in bytes. */
    int sample(byte[] from, int at) {
        if (from == null) {
            return fill;
        }
        if (bytes == 1) {
            return from[at] & 255;
        }
        return highFirst ? (from[at] & 255) << 8 | from[at + 1] & 255 : from[at] & 255 | (from[at + 1] & 255) << 8;
    }

    // ------------------------------------------------------------------ pixels

    /** Reads the plane of the last two axes at a place of the axes before them. */
    void read(long[] place, Rows rows) throws IOException {
        int y = shape.length - 2;
        int x = shape.length - 1;
        long[] at = new long[shape.length];
        int start = 0;
        for (int i = 0; i < y; i++) {
            at[i] = place[i] / chunk[i];
            start = start * chunk[i] + (int) (place[i] % chunk[i]);
        }
        for (at[y] = 0; at[y] * chunk[y] < shape[y]; at[y]++) {
            for (at[x] = 0; at[x] * chunk[x] < shape[x]; at[x]++) {
                byte[] pixels = chunk(at);
                int left = (int) at[x] * chunk[x];
                int top = (int) at[y] * chunk[y];
                int n = (int) Math.min(chunk[x], shape[x] - left);
                for (int row = 0; row < Math.min(chunk[y], shape[y] - top); row++) {
                    rows.take(pixels, ((start * chunk[y] + row) * chunk[x]) * bytes, n, top + row, left);
                }
            }
        }
    }

    /** The bytes of a chunk; null: it is not there. */
    private byte[] chunk(long[] at) throws IOException {
        String name = Arrays.toString(at);
        boolean shared = length() > chunk[chunk.length - 1] * chunk[chunk.length - 2] * bytes;
        byte[] there = shared ? kept(name) : null;
        if (there != null) {
            return there;
        }
        Path file = file(at);
        try {
            byte[] packed = packed(file, at);
            byte[] pixels = packed == null ? null : unpacked(packed);
            if (shared && pixels != null) {
                keep(name, pixels);
            }
            return pixels;
        } catch (IOException e) {
            throw new FrameReadException(file + ": " + (e.getMessage() == null ? e.toString() : e.getMessage()), e);
        }
    }

    private synchronized byte[] kept(String name) {
        SoftReference<byte[]> there = kept.get(name);
        return there == null ? null : there.get();
    }

    /** Keeps as many chunks as a plane has. */
    private synchronized void keep(String name, byte[] pixels) {
        int y = shape.length - 2;
        long most = ((shape[y] - 1) / chunk[y] + 1) * ((shape[y + 1] - 1) / chunk[y + 1] + 1);
        kept.put(name, new SoftReference<byte[]>(pixels));
        if (kept.size() > most) {
            kept.remove(kept.keySet().iterator().next());
        }
    }

    private Path file(long[] at) {
        StringBuilder key = new StringBuilder(prefix);
        for (int i = 0; i < at.length; i++) {
            key.append(i == 0 ? "" : separator).append(shard == null ? at[i] : at[i] / shard[i]);
        }
        return folder.resolve(key.toString());
    }

    private int length() {
        int length = bytes;
        for (int side : chunk) {
            length *= side;
        }
        return length;
    }

    private byte[] packed(Path file, long[] at) throws IOException {
        if (!Files.exists(file)) {
            return null;
        }
        if (!Files.isRegularFile(file)) {
            throw new IOException("not a file");
        }
        int most = length() + length() / 8 + OVERHEAD;
        if (shard == null) {
            if (Files.size(file) > most) {
                throw new IOException("it has " + Files.size(file) + " bytes for a chunk of " + length());
            }
            return Files.readAllBytes(file);
        }
        int chunks = 1;
        int number = 0;
        for (int i = 0; i < at.length; i++) {
            chunks *= shard[i];
            number = number * shard[i] + (int) (at[i] % shard[i]);
        }
        try (FileChannel channel = Shard.open(file)) {
            return Shard.read(channel, chunks, indexAtEnd, indexChecked).chunk(channel, number, most);
        }
    }

    private byte[] unpacked(byte[] packed) throws IOException {
        byte[] data = packed;
        for (int i = codecs.size() - 1; i >= 0; i--) {
            // All that comes before the compression has a known length.
            int length = length() + 4 * (int) codecs.subList(0, i).stream().filter("crc32c"::equals).count();
            switch (codecs.get(i)) {
                case "gzip": data = Gzip.unpack(data, length); break;
                case "zlib": data = Gzip.inflate(data, length); break;
                case "blosc": data = Blosc.unpack(data, length); break;
                default: data = checked(data);
            }
        }
        if (data.length != length()) {
            throw new IOException("it holds " + data.length + " bytes for a chunk of " + length());
        }
        return data;
    }

    private static byte[] checked(byte[] data) throws IOException {
        int length = data.length - 4;
        if (length < 0 || ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN).getInt(length)
                != Shard.checkSum(data, length)) {
            throw new IOException("its check sum is wrong");
        }
        return Arrays.copyOf(data, length);
    }
}
