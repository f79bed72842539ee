package endorama.core.zarr;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import endorama.core.files.StoppedException;
import endorama.core.frames.PixelSize;
import endorama.core.frames.PixelType;
import endorama.core.paint.Pyramid;
import endorama.core.transforms.Transform;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Folders read back by the specifications of Zarr 2 and 3, without code of the writer, and by python3-zarr where there is one. */
class OmeZarrTest {
    private static final int SIDE = 512;
    private static final int SHARD = 8;
    private static final Transform PLACE = Transform.translation(30, 20).multiply(Transform.scaling(2));
    @TempDir
    Path folder;

    /** 0 in the second column of chunks, but for the channel 1. */
    private static int value(int x, int y, int c) {
        return c != 1 && x / SIDE == 1 ? 0 : (x * 7 + y * 13 + c * 50 + x * y / 97) & 255;
    }

    private static Pyramid.Rows rows(PixelType type, int width) {
        return (first, rows) -> {
            Object band = type.array(width * rows);
            for (int i = 0; i < width * rows; i++) {
                int x = i % width;
                int y = first + i / width;
                switch (type) {
                    case GREY8: ((byte[]) band)[i] = (byte) value(x, y, 0); break;
                    case GREY16: ((short[]) band)[i] = (short) (200 * value(x, y, 0)); break;
                    default: ((int[]) band)[i] = value(x, y, 0) << 16 | value(x, y, 1) << 8 | value(x, y, 2);
                }
            }
            return band;
        };
    }

    private static void write(Path to, Ngff version, PixelType type, int width, int height, BooleanSupplier stopped)
            throws IOException {
        new OmeZarr(version, PixelSize.of(0.5, 0.25, "\u00b5m"), 0).write(to.toFile(), type, width, height, rows(type, width),
                Collections.singletonMap("coverage", rows(PixelType.GREY16, width)), PLACE, stopped);
    }

    private Path write(Ngff version, PixelType type, int width, int height) throws IOException {
        Path to = folder.resolve("p.ome.zarr");
        write(to, version, type, width, height, () -> false);
        return to;
    }

    /** The samples of a level by definition: channel, row, column. */
    private static int[] expected(PixelType type, int width, int height, int level, boolean means) {
        int channels = type == PixelType.RGB32 ? 3 : 1;
        int[] samples = new int[channels * width * height];
        for (int i = 0; i < samples.length; i++) {
            int value = value(i % width, i / width % height, i / width / height);
            samples[i] = type == PixelType.GREY16 ? 200 * value : value;
        }
        int w = width;
        int h = height;
        for (int k = 0; k < level; k++) {
            int ww = (w + 1) / 2;
            int hh = (h + 1) / 2;
            int[] half = new int[channels * ww * hh];
            for (int i = 0; i < half.length; i++) {
                int c = i / ww / hh * h;
                int y = 2 * (i / ww % hh);
                int x = 2 * (i % ww);
                int below = Math.min(y + 1, h - 1);
                int right = Math.min(x + 1, w - 1);
                half[i] = !means ? samples[(c + y) * w + x] : (samples[(c + y) * w + x] + samples[(c + y) * w + right]
                        + samples[(c + below) * w + x] + samples[(c + below) * w + right] + 2) / 4;
            }
            samples = half;
            w = ww;
            h = hh;
        }
        return samples;
    }

    private static JsonObject json(Path file) throws IOException {
        return new Gson().fromJson(new String(Files.readAllBytes(file), StandardCharsets.UTF_8), JsonObject.class);
    }

    private static int[] ints(JsonArray array) {
        return new Gson().fromJson(array, int[].class);
    }

    private static byte[] unzip(byte[] packed) throws IOException {
        byte[] all = new byte[1 << 20];
        int n = 0;
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(packed))) {
            for (int more; (more = in.read(all, n, all.length - n)) > 0;) {
                n += more;
            }
        }
        return Arrays.copyOf(all, n);
    }

    /** A chunk of a level; null: it is left out. */
    private static byte[] chunk(Path level, int c, int y, int x, int channels) throws IOException {
        if (Files.exists(level.resolve(".zarray"))) {
            Path file = level.resolve(c + "/" + y + "/" + x);
            return Files.exists(file) ? unzip(Files.readAllBytes(file)) : null;
        }
        Path file = level.resolve("c/0/" + y / SHARD + "/" + x / SHARD);
        if (!Files.exists(file)) {
            return null;
        }
        ByteBuffer shard = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        int chunks = channels * SHARD * SHARD;
        int index = shard.capacity() - 16 * chunks - 4;
        int at = index + 16 * ((c * SHARD + y % SHARD) * SHARD + x % SHARD);
        if (shard.getLong(at) == -1 && shard.getLong(at + 8) == -1) {
            return null;
        }
        int from = (int) shard.getLong(at);
        return unzip(Arrays.copyOfRange(shard.array(), from, from + (int) shard.getLong(at + 8)));
    }

    /** Compares a level with what is expected, and returns the number of chunks that are left out. */
    private static int check(Path image, PixelType type, int width, int height, int level, boolean means) throws IOException {
        Path array = image.resolve(level + "");
        boolean old = Files.exists(array.resolve(".zarray"));
        int bytes = type == PixelType.GREY16 ? 2 : 1;
        int channels = type == PixelType.RGB32 ? 3 : 1;
        int w = width + (1 << level) - 1 >> level;
        int h = height + (1 << level) - 1 >> level;
        assertArrayEquals(new int[] {channels, h, w}, ints(json(array.resolve(old ? ".zarray" : "zarr.json"))
                .getAsJsonArray("shape")));
        int[] wanted = expected(type, width, height, level, means);
        int missing = 0;
        for (int c = 0; c < channels; c++) {
            for (int y = 0; y < h; y += SIDE) {
                for (int x = 0; x < w; x += SIDE) {
                    byte[] chunk = chunk(array, c, y / SIDE, x / SIDE, channels);
                    missing += chunk == null ? 1 : 0;
                    assertTrue(chunk == null || chunk.length == SIDE * SIDE * bytes);
                    for (int v = y; v < Math.min(h, y + SIDE); v++) {
                        for (int u = x; u < Math.min(w, x + SIDE); u++) {
                            int at = ((v - y) * SIDE + u - x) * bytes;
                            int is = chunk == null ? 0 : bytes == 1 ? chunk[at] & 255
                                    : chunk[at] & 255 | (chunk[at + 1] & 255) << 8;
                            if (is != wanted[(c * h + v) * w + u]) {
                                assertEquals(wanted[(c * h + v) * w + u], is, "level " + level + " at " + c + " " + v + " " + u);
                            }
                        }
                    }
                }
            }
        }
        return missing;
    }

    @ParameterizedTest
    @CsvSource({"V04, GREY8, 1, 1, 1", "V04, GREY8, 512, 300, 1", "V04, GREY8, 513, 2049, 4", "V04, GREY16, 700, 1025, 3",
        "V04, RGB32, 1100, 900, 3", "V05, GREY8, 1, 1, 1", "V05, GREY16, 700, 1025, 3", "V05, RGB32, 1100, 900, 3",
        "V05, GREY8, 4700, 300, 5", "V05, GREY8, 300, 4700, 5"})
    void everyLevelReadsBack(Ngff version, PixelType type, int width, int height, int levels) throws Exception {
        Path image = write(version, type, width, height);
        for (int level = 0; level < levels; level++) {
            check(image, type, width, height, level, true);
            check(image.resolve("labels/coverage"), PixelType.GREY16, width, height, level, false);
        }
        assertFalse(Files.exists(image.resolve(levels + "")));
        assertFalse(Files.exists(folder.resolve("p.ome.zarr.part")));
    }

    @ParameterizedTest
    @EnumSource(Ngff.class)
    void chunksWithoutAnythingAreLeftOut(Ngff version) throws Exception {
        Path image = write(version, PixelType.RGB32, 1100, 900);
        assertEquals(4, check(image, PixelType.RGB32, 1100, 900, 0, true), "two channels of two chunks");
        Path black = folder.resolve("black.ome.zarr");
        new OmeZarr(version, null, 2).write(black.toFile(), PixelType.GREY8, 600, 600, (first, n) -> new byte[600 * n],
                Collections.emptyMap(), Transform.IDENTITY, () -> false);
        assertEquals(version == Ngff.V04 ? ".endorama .zattrs .zgroup 0/.zarray 1/.zarray"
                : ".endorama 0/zarr.json 1/zarr.json zarr.json", String.join(" ", files(black).keySet()));
    }

    /** The check sum of a shard's index, by a library; CRC-32C of "123456789" is in every table of check sums. */
    @Test
    void checkSumsAreThoseOfTheStandard() {
        assertEquals(0xe3069283, Shard.checkSum("123456789".getBytes(StandardCharsets.US_ASCII), 9));
    }

    @ParameterizedTest
    @EnumSource(Ngff.class)
    void saysWhatTheSpecificationAsksFor(Ngff version) throws Exception {
        Path image = write(version, PixelType.RGB32, 1100, 900);
        boolean old = version == Ngff.V04;
        JsonObject group = json(image.resolve(old ? ".zattrs" : "zarr.json"));
        JsonObject ome = old ? group : group.getAsJsonObject("attributes").getAsJsonObject("ome");
        JsonObject multiscale = ome.getAsJsonArray("multiscales").get(0).getAsJsonObject();
        assertEquals(old ? "0.4" : "0.5", (old ? multiscale : ome).get("version").getAsString());
        assertEquals("p", multiscale.get("name").getAsString());
        assertEquals("[{'name':'c','type':'channel'},{'name':'y','type':'space','unit':'micrometer'},"
                + "{'name':'x','type':'space','unit':'micrometer'}]", text(multiscale.get("axes")));
        // Pixel 0 lies at (0 - 20.5) / 2 rows of 0.25 and (0 - 30.5) / 2 columns of 0.5 of the first frame, whose first
        // pixel covers the rows 20 and 21.
        assertEquals("{'path':'0','coordinateTransformations':[{'type':'scale','scale':[1.0,0.125,0.25]},"
                + "{'type':'translation','translation':[0.0,-2.5625,-7.625]}]}", text(multiscale.getAsJsonArray("datasets").get(0)));
        assertEquals("{'path':'2','coordinateTransformations':[{'type':'scale','scale':[1.0,0.5,1.0]},"
                + "{'type':'translation','translation':[0.0,-2.375,-7.25]}]}",
                text(multiscale.getAsJsonArray("datasets").get(2)));
        assertEquals(3, multiscale.getAsJsonArray("datasets").size());
        JsonArray channels = ome.getAsJsonObject("omero").getAsJsonArray("channels");
        assertEquals("FF0000 00FF00 0000FF", Stream.of(0, 1, 2).map(c -> channels.get(c).getAsJsonObject().get("color")
                .getAsString()).collect(Collectors.joining(" ")));
        assertEquals("{'min':0,'max':255,'start':0,'end':255}", text(channels.get(0).getAsJsonObject().get("window")));
        JsonObject array = json(image.resolve("0").resolve(old ? ".zarray" : "zarr.json"));
        assertEquals(old ? "{'zarr_format':2,'shape':[3,900,1100],'chunks':[1,512,512],'dtype':'|u1',"
                + "'compressor':{'level':1,'id':'gzip'},'fill_value':0,'order':'C','filters':null,'dimension_separator':'/'}"
                : "{'zarr_format':3,'node_type':'array','shape':[3,900,1100],'data_type':'uint8','chunk_grid':{'name':'regular',"
                + "'configuration':{'chunk_shape':[3,4096,4096]}},'chunk_key_encoding':{'name':'default','configuration':"
                + "{'separator':'/'}},'fill_value':0,'codecs':[{'name':'sharding_indexed','configuration':{'chunk_shape':"
                + "[1,512,512],'codecs':[{'name':'bytes'},{'name':'gzip','configuration':{'level':1}}],'index_codecs':"
                + "[{'name':'bytes','configuration':{'endian':'little'}},{'name':'crc32c'}],'index_location':'end'}}],"
                + "'dimension_names':['c','y','x'],'attributes':{}}", text(array));
        checkLabels(image.resolve("labels"), old);
    }

    private static void checkLabels(Path labels, boolean old) throws IOException {
        JsonObject list = json(labels.resolve(old ? ".zattrs" : "zarr.json"));
        JsonObject one = json(labels.resolve("coverage").resolve(old ? ".zattrs" : "zarr.json"));
        if (!old) {
            list = list.getAsJsonObject("attributes").getAsJsonObject("ome");
            one = one.getAsJsonObject("attributes").getAsJsonObject("ome");
        }
        assertEquals("['coverage']", text(list.get("labels")));
        assertEquals("../../", one.getAsJsonObject("image-label").getAsJsonObject("source").get("image").getAsString());
        // A pixel of a smaller level is the first of those that it stands for.
        assertEquals("{'type':'translation','translation':[0.0,-2.5625,-7.625]}", text(one.getAsJsonArray("multiscales").get(0)
                .getAsJsonObject().getAsJsonArray("datasets").get(2).getAsJsonObject().getAsJsonArray("coordinateTransformations")
                .get(1)));
    }

    private static String text(Object json) {
        return new com.google.gson.GsonBuilder().serializeNulls().create().toJson(json).replace('"', '\'');
    }

    // ------------------------------------------------------------- whole or not

    /** Path in the folder -> check sum. */
    private static Map<String, Long> files(Path folder) throws IOException {
        Map<String, Long> sums = new TreeMap<String, Long>();
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path file : all.filter(Files::isRegularFile).collect(Collectors.toList())) {
                CRC32 sum = new CRC32();
                sum.update(Files.readAllBytes(file));
                sums.put(folder.relativize(file).toString(), sum.getValue());
            }
        }
        return sums;
    }

    private void stop(Path to, Ngff version, int after) {
        int[] left = {after};
        BooleanSupplier stopped = () -> {
            synchronized (left) {
                return left[0]-- <= 0;
            }
        };
        assertThrows(StoppedException.class, () -> write(to, version, PixelType.RGB32, 4200, 530, stopped));
    }

    /** Wherever it was stopped, a second run gives the bytes of one, and chunks that are whole are not written again. */
    @ParameterizedTest
    @EnumSource(Ngff.class)
    void aStoppedRunGoesOn(Ngff version) throws Exception {
        Path whole = folder.resolve("whole/p.ome.zarr");
        Files.createDirectory(whole.getParent());
        write(whole, version, PixelType.RGB32, 4200, 530, () -> false);
        Map<String, Long> wanted = files(whole);
        for (int after : new int[] {0, 7, 33, 80}) {
            Path to = folder.resolve(after + "/p.ome.zarr");
            Files.createDirectory(to.getParent());
            stop(to, version, after);
            assertFalse(Files.exists(to));
            Path part = to.resolveSibling("p.ome.zarr.part");
            assertFalse(Files.exists(part.resolve(".zattrs")) || Files.exists(part.resolve("zarr.json")));
            Path one = part.resolve(version == Ngff.V04 ? "labels/coverage/0/0/0/0" : "labels/coverage/0/c/0/0/0");
            Object before = Files.exists(one) ? Files.getAttribute(one, "unix:ino") : null;
            write(to, version, PixelType.RGB32, 4200, 530, () -> false);
            assertEquals(wanted, files(to));
            if (version == Ngff.V04 && after > 10) {
                assertEquals(before, Files.getAttribute(to.resolve("labels/coverage/0/0/0/0"), "unix:ino"));
            }
        }
    }

    /** What another picture, or damage, left in a chunk is not taken. */
    @ParameterizedTest
    @EnumSource(Ngff.class)
    void onlyTheSamePixelsAreKept(Ngff version) throws Exception {
        Path whole = write(version, PixelType.GREY8, 1100, 900);
        Path part = folder.resolve("p.ome.zarr.part");
        Map<String, Long> wanted = files(whole);
        Files.move(whole, part);
        Files.delete(part.resolve(version == Ngff.V04 ? ".zattrs" : "zarr.json"));
        Path one = part.resolve(version == Ngff.V04 ? "0/0/0/0" : "0/c/0/0/0");
        byte[] bytes = Files.readAllBytes(one);
        bytes[bytes.length / 2] ^= 4;
        Files.write(one, bytes);
        Files.copy(one, part.resolve(version == Ngff.V04 ? "0/0/0/1" : "1/c/0/0/0"),
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        assertEquals(wanted, files(write(version, PixelType.GREY8, 1100, 900)));
        Files.move(whole, part);
        Map<String, Long> small = files(write(version, PixelType.GREY8, 400, 300));
        assertFalse(small.containsKey("1/.zarray") || small.containsKey("1/zarr.json"), "of the larger one nothing is left");
    }

    @Test
    void onlyOwnFoldersAreReplaced() throws Exception {
        Path to = folder.resolve("p.ome.zarr");
        Files.createDirectory(to);
        Files.write(to.resolve("thesis.txt"), new byte[] {1});
        refuses(to, "was not written by Endorama");
        Files.delete(to.resolve("thesis.txt"));
        write(Ngff.V05, PixelType.GREY8, 600, 300);
        write(Ngff.V04, PixelType.GREY8, 600, 300);
        assertTrue(Files.exists(to.resolve("0/.zarray")) && !Files.exists(to.resolve("0/zarr.json")));
        for (String more : new String[] {"nuclei", "labels/nuclei"}) {
            Files.createDirectory(to.resolve(more));
            refuses(to, "holds " + more + ", which Endorama has not written");
            Files.delete(to.resolve(more));
        }
        Files.delete(to.resolve(".endorama"));
        refuses(to, "was not written by Endorama");
        Path link = folder.resolve("link.ome.zarr");
        Path real = Files.createDirectory(folder.resolve("elsewhere")).resolve("q.ome.zarr");
        Files.createSymbolicLink(link, real);
        write(link, Ngff.V04, PixelType.GREY8, 600, 300, () -> false);
        assertTrue(Files.isSymbolicLink(link) && Files.exists(real.resolve(".zattrs")));
    }

    private static void refuses(Path to, String why) throws IOException {
        Map<String, Long> before = files(to);
        String message = assertThrows(IOException.class, () -> OmeZarr.check(to.toFile())).getMessage();
        assertTrue(message.startsWith(to + " cannot be written: " + to + " " + why), message);
        assertThrows(IOException.class, () -> write(to, Ngff.V04, PixelType.GREY8, 600, 300, () -> false));
        assertEquals(before, files(to));
    }

    /** An error of the source leaves the older folder. */
    @Test
    void anErrorLeavesTheOlderFolder() throws Exception {
        Path to = write(Ngff.V04, PixelType.GREY8, 600, 300);
        Map<String, Long> before = files(to);
        String message = assertThrows(IOException.class, () -> new OmeZarr(Ngff.V04, null, 2).write(to.toFile(), PixelType.GREY8,
                600, 600, (first, n) -> {
                    throw new IOException("the disk is gone");
                }, Collections.emptyMap(), Transform.IDENTITY, () -> false)).getMessage();
        assertEquals(to + " cannot be written: the disk is gone; what is written stays in p.ome.zarr.part, and the same"
                + " command goes on with it", message);
        assertEquals(before, files(to));
    }

    @Test
    void twoRunsDoNotWriteOneFolder() throws Exception {
        Path to = folder.resolve("p.ome.zarr");
        String[] message = {""};
        new OmeZarr(Ngff.V04, null, 1).write(to.toFile(), PixelType.GREY8, 9, 9, (first, n) -> {
            message[0] = assertThrows(IOException.class, () -> write(to, Ngff.V04, PixelType.GREY8, 9, 9, () -> false)).getMessage();
            return new byte[81];
        }, Collections.emptyMap(), Transform.IDENTITY, () -> false);
        assertEquals(to + " cannot be written: another run is writing " + to + ".part", message[0]);
        assertTrue(Files.exists(to.resolve(".zattrs")));
    }

    // ------------------------------------------------------------------- Python

    /** Shape, type, and the sum of sample times index + 1 modulo 2^31 - 1 of every level, as python3-zarr reads them. */
    private static final String SCRIPT = "import sys, zarr, numpy\n"
            + "group = zarr.open_group(sys.argv[1], 'r')\n"
            + "for level in group.attrs['multiscales'][0]['datasets']:\n"
            + "    a = group[level['path']]\n"
            + "    v = a[:].ravel().astype('u8')\n"
            + "    print(a.shape, a.dtype, int((v * (numpy.arange(v.size) % 1000003 + 1)).sum()))\n";

    private static String python(String... words) throws Exception {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        ByteBuffer all = ByteBuffer.allocate(1 << 16);
        try (InputStream in = process.getInputStream()) {
            for (int n; (n = in.read(all.array(), all.position(), all.remaining())) > 0;) {
                all.position(all.position() + n);
            }
        }
        String text = new String(all.array(), 0, all.position(), StandardCharsets.UTF_8);
        return process.waitFor() == 0 ? text : "failed: " + text;
    }

    @ParameterizedTest
    @CsvSource({"GREY8, uint8", "GREY16, uint16", "RGB32, uint8"})
    void pythonReadsTheSame(PixelType type, String name) throws Exception {
        String python = new File("/usr/bin/python3").exists() ? "/usr/bin/python3" : "python3";
        assumeTrue(!python(python, "-c", "import zarr").startsWith("failed"),
                "python3-zarr is not installed: nothing is read back by it");
        Path image = write(Ngff.V04, type, 1100, 900);
        StringBuilder wanted = new StringBuilder();
        for (int level = 0; level < 3; level++) {
            int[] samples = expected(type, 1100, 900, level, true);
            long sum = 0;
            for (int i = 0; i < samples.length; i++) {
                sum += samples[i] * (i % 1000003 + 1L);
            }
            wanted.append("(" + (type == PixelType.RGB32 ? 3 : 1) + ", " + (900 >> level) + ", " + (1100 >> level) + ") " + name
                    + " " + sum + "\n");
        }
        assertEquals(wanted.toString(), python(python, "-c", SCRIPT, image.toString()));
    }
}
