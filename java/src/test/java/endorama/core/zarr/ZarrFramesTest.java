package endorama.core.zarr;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelType;
import endorama.core.transforms.Transform;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Arrays that the test writes by hand, by the specifications, and those that the writer writes. */
class ZarrFramesTest {
    private static final int T = 3;
    private static final int C = 3;
    private static final int H = 5;
    private static final int W = 7;
    @TempDir
    Path folder;

    private static int value(int t, int c, int y, int x) {
        return 1 + t * 61 + c * 30 + y * 5 + x;
    }

    private void write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(file, text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private void group(String axes) throws IOException {
        StringBuilder list = new StringBuilder();
        StringBuilder scale = new StringBuilder();
        for (String axis : axes.split("")) {
            list.append(list.length() == 0 ? "" : ",").append("{'name':'").append(axis).append("'")
                    .append("xy".contains(axis) ? ",'type':'space','unit':'millimeter'}" : "}");
            scale.append(scale.length() == 0 ? "" : ",").append(axis.equals("x") ? 0.5 : axis.equals("y") ? 0.25 : 1);
        }
        write(".zattrs", "{'multiscales':[{'version':'0.4','axes':[" + list + "],'datasets':[{'path':'a/0',"
                + "'coordinateTransformations':[{'type':'scale','scale':[" + scale + "]}]}]}]}");
    }

    private void array(String shape, String chunks, String type, String compressor, String more) throws IOException {
        write("a/0/.zarray", "{'zarr_format':2,'shape':" + shape + ",'chunks':" + chunks + ",'dtype':'" + type
                + "','compressor':" + compressor + ",'fill_value':9,'order':'C','filters':null" + more + "}");
    }

    /** The chunks of t, c, y, x of the sizes, with 77 beyond the array; the one of t 1 and the first row and column is left out. */
    private void chunks(int ct, int cc, int cy, int cx, String type, String compressor, String separator) throws IOException {
        array("[3,3,5,7]", "[" + ct + "," + cc + "," + cy + "," + cx + "]", type, compressor.isEmpty() ? "null"
                : "{'id':'" + compressor + "','level':1}", separator.equals(".") ? "" : ",'dimension_separator':'/'");
        boolean wide = type.endsWith("2");
        for (int t = 0; t < T; t += ct) {
            for (int c = 0; c < C; c += cc) {
                for (int y = 0; y < H; y += cy) {
                    for (int x = 0; x < W; x += cx) {
                        if (ct > 1 || t != 1 || x > 0 || y > 0) {
                            byte[] bytes = new byte[ct * cc * cy * cx * (wide ? 2 : 1)];
                            for (int i = 0; i < ct * cc * cy * cx; i++) {
                                int u = x + i % cx;
                                int v = y + i / cx % cy;
                                int value = u < W && v < H ? value(t + i / cx / cy / cc, c + i / cx / cy % cc, v, u) : 77;
                                if (!wide) {
                                    bytes[i] = (byte) value;
                                } else {
                                    bytes[2 * i + (type.startsWith(">") ? 1 : 0)] = (byte) (value * 201);
                                    bytes[2 * i + (type.startsWith(">") ? 0 : 1)] = (byte) (value * 201 >> 8);
                                }
                            }
                            Path file = folder.resolve("a/0/" + String.join(separator, t / ct + "", c / cc + "", y / cy + "",
                                    x / cx + ""));
                            Files.createDirectories(file.getParent());
                            Files.write(file, packed(bytes, compressor));
                        }
                    }
                }
            }
        }
    }

    private static byte[] packed(byte[] bytes, String compressor) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        switch (compressor) {
            case "gzip": return Gzip.pack(bytes);
            case "blosc": return com.scalableminds.bloscjava.Blosc.compress(bytes, 1);
            case "zlib":
                try (DeflaterOutputStream deflate = new DeflaterOutputStream(out)) {
                    deflate.write(bytes);
                }
                return out.toByteArray();
            default: return bytes;
        }
    }

    private ZarrFrames frames() throws FrameReadException {
        return new ZarrFrames(folder.toFile());
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 5, 7, '', .", "1, 1, 2, 3, '', /", "1, 3, 2, 3, gzip, /", "3, 1, 4, 7, zlib, .", "2, 2, 3, 4, gzip, /",
        "2, 3, 2, 3, blosc, /"})
    void colours(int ct, int cc, int cy, int cx, String compressor, String separator) throws Exception {
        group("tcyx");
        chunks(ct, cc, cy, cx, "|u1", compressor, separator);
        ZarrFrames frames = frames();
        assertEquals("3 7 5 RGB32", frames.count() + " " + frames.width() + " " + frames.height() + " " + frames.type());
        assertEquals("0.5 0.25 millimeter", frames.pixelSize().width + " " + frames.pixelSize().height + " "
                + frames.pixelSize().unit);
        assertNull(frames.warning());
        for (int t : new int[] {2, 0, 1, 0}) {
            int[] pixels = (int[]) frames.pixels(t);
            for (int i = 0; i < W * H; i++) {
                boolean missing = ct == 1 && t == 1 && i / W < cy && i % W < cx;
                int rgb = missing ? 0x090909 : value(t, 0, i / W, i % W) << 16 | value(t, 1, i / W, i % W) << 8
                        | value(t, 2, i / W, i % W);
                assertEquals(0xff000000 | rgb, pixels[i], "frame " + t + ", pixel " + i);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"<u2, ''", ">u2, gzip"})
    void sixteenBitsOfTheFirstChannel(String type, String compressor) throws Exception {
        group("tcyx");
        chunks(1, 3, 2, 3, type, compressor, ".");
        ZarrFrames frames = frames();
        assertEquals(PixelType.GREY16, frames.type());
        assertEquals(folder + " has 3 channels; the first one is taken", frames.warning());
        short[] pixels = (short[]) frames.pixels(2);
        for (int i = 0; i < W * H; i++) {
            assertEquals((short) (201 * value(2, 0, i / W, i % W)), pixels[i]);
        }
    }

    /** Along z, where there is no time or one point of it. */
    @Test
    void planesAreFramesWhereNothingElseIs() throws Exception {
        group("zcyx");
        chunks(1, 1, 5, 7, "|u1", "", ".");
        assertEquals(3, frames().count());
        group("ctyx");
        assertEquals(3, frames().count());
        assertEquals(value(0, 1, 0, 0), ((int[]) frames().pixels(1))[0] >> 16 & 255, "channels and time changed places");
        group("tzyx");
        assertEquals(folder + ": has 3 points of time of 3 planes; frames lie along one axis: give an image of one plane",
                assertThrows(FrameReadException.class, this::frames).getMessage());
    }

    /** What the writer has written, in three channels that are called time. */
    @ParameterizedTest
    @EnumSource(Ngff.class)
    void readsWhatIsWritten(Ngff version) throws Exception {
        int[] rgb = new int[1300 * 600];
        for (int i = 0; i < rgb.length; i++) {
            rgb[i] = i % 1300 < 520 && i > 1300 * 520 ? 0 : i * 7 ^ i / 1300 * 31;
        }
        Path to = folder.resolve("p.zarr");
        new OmeZarr(version, null, 2).write(to.toFile(), PixelType.RGB32, 1300, 600, (first, n) -> Arrays.copyOfRange(rgb,
                first * 1300, (first + n) * 1300), Collections.emptyMap(), Transform.IDENTITY, () -> false);
        int[] read = (int[]) new ZarrFrames(to.toFile()).pixels(0);
        for (int i = 0; i < rgb.length; i++) {
            rgb[i] |= 0xff000000;
        }
        assertArrayEquals(rgb, read);
        Path group = to.resolve(version == Ngff.V04 ? ".zattrs" : "zarr.json");
        Files.write(group, new String(Files.readAllBytes(group), StandardCharsets.UTF_8).replace("\"c\"", "\"t\"")
                .getBytes(StandardCharsets.UTF_8));
        ZarrFrames frames = new ZarrFrames(to.toFile());
        assertEquals(3, frames.count());
        byte[] blue = (byte[]) frames.pixels(2);
        for (int i = 0; i < rgb.length; i++) {
            assertEquals((byte) rgb[i], blue[i]);
        }
        if (version == Ngff.V05) {
            Path shard = to.resolve("0/c/0/0/0");
            byte[] bytes = Files.readAllBytes(shard);
            bytes[bytes.length - 40] ^= 1;
            Files.write(shard, bytes);
            says(frames, shard + ": the check sum of its index is wrong");
            Files.write(shard, Arrays.copyOf(bytes, 100));
            says(frames, shard + ": it has 100 bytes, its index 3076");
        }
    }

    private static void says(ZarrFrames frames, String what) {
        String message = assertThrows(FrameReadException.class, () -> frames.pixels(0)).getMessage();
        assertTrue(message.contains(what), message);
    }

    /** Chunks of a wrong length name the file; the other frames are read. */
    @ParameterizedTest
    @CsvSource({"'', it holds 34 bytes for a chunk of 35", "gzip, its compressed data end after", "zlib, its compressed data end",
        "blosc, it is damaged"})
    void chunksThatWereCut(String compressor, String what) throws Exception {
        group("tcyx");
        chunks(1, 1, 5, 7, "|u1", compressor, ".");
        Path chunk = folder.resolve("a/0/0.0.0.0");
        byte[] bytes = Files.readAllBytes(chunk);
        Files.write(chunk, Arrays.copyOf(bytes, bytes.length - (compressor.isEmpty() ? 1 : 12)));
        says(frames(), chunk + ": " + what);
        frames().pixels(2);
        Files.write(chunk, new byte[200000]);
        says(frames(), chunk + ": it has 200000 bytes for a chunk of 35");
        Files.delete(chunk);
        Files.createDirectory(chunk);
        says(frames(), chunk + ": not a file");
    }

    /** A little file that unpacks to gigabytes is not unpacked. */
    @Test
    void chunksThatHoldMoreThanTheyShould() throws Exception {
        group("tcyx");
        chunks(1, 1, 5, 7, "|u1", "gzip", ".");
        Files.write(folder.resolve("a/0/0.0.0.0"), Gzip.pack(new byte[1 << 23]));
        says(frames(), "it holds more than 35 bytes for 35");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '~', quoteCharacter = '`', value = {
        "'zarr_format':2~'zarr_format':7~zarr_format is 7; must be one of 2",
        "[3,3,5,7]~[3,3,5]~chunks is [1,1,5,7]; must be 3 numbers",
        "'shape':[3,3,5,7]~'shape':[3,3,5,0]~shape is [3,3,5,0]",
        "'shape':[3,3,5,7]~'shape':[3,3,5,1e99]~shape is [3,3,5,1e99]",
        "'shape':[3,3,5,7]~'shape':[3,3,900000,900000]~its shape is [3, 3, 900000, 900000]",
        "'shape':[3,3,5,7]~'shape':[90000000000,3,5,7]~its shape is [90000000000, 3, 5, 7]",
        "'shape':[3,3,5,7]~'shape':'many'~shape is \"many\"",
        "'chunks':[1,1,5,7]~'chunks':[1,1,100000,100000]~chunks is [1,1,100000,100000]",
        "'chunks':[1,1,5,7]~'chunks':[1,1,5]~chunks is [1,1,5]",
        "|u1~<f4~dtype is \"<f4\"; must be one of |u1, <u1, >u1, <u2, >u2",
        "'order':'C'~'order':'F'~order is \"F\"; must be one of C",
        "'filters':null~'filters':[{'id':'delta'}]~filters is",
        "'compressor':null~'compressor':{'id':'lzma'}~id is \"lzma\"; must be one of gzip, zlib, blosc",
        "'fill_value':9~'fill_value':-1~fill_value is -1",
        "{'zarr~['zarr~no JSON"})
    void whatIsNotAllowed(String from, String to, String what) throws Exception {
        group("tcyx");
        chunks(1, 1, 5, 7, "|u1", "", ".");
        Path file = folder.resolve("a/0/.zarray");
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        assertTrue(text.contains(from.replace('\'', '"')));
        Files.write(file, text.replace(from.replace('\'', '"'), to.replace('\'', '"')).getBytes(StandardCharsets.UTF_8));
        String message = assertThrows(FrameReadException.class, this::frames).getMessage();
        assertTrue(message.startsWith(folder.toString()) && message.contains(what), message);
    }

    @ParameterizedTest
    @CsvSource({"../b", "/etc", "a/../../b", "a//0", "''", "a\\..\\0", "C:x"})
    void pathsStayInTheFolder(String path) throws Exception {
        group("tcyx");
        Path file = folder.resolve(".zattrs");
        Files.write(file, new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
                .replace("\"a/0\"", new com.google.gson.Gson().toJson(path)).getBytes(StandardCharsets.UTF_8));
        String message = assertThrows(FrameReadException.class, this::frames).getMessage();
        assertTrue(message.contains("datasets[0].path is") && message.contains("must be names of folders in this one"), message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '`', value = {"``;is empty", "{};multiscales is missing", "{'multiscales':7};multiscales is 7",
        "{'multiscales':[{'axes':[],'datasets':[{'path':'0'}]}]};axes is []",
        "{'multiscales':[{'axes':['x','y'],'datasets':[{'path':'0'}]}]};axes is",
        "{'bioformats2raw.layout':3};it holds several images", "{'plate':{}};it is a plate", "[[[[;no JSON"})
    void groupsThatAreNoImage(String attributes, String what) throws Exception {
        write(".zattrs", attributes);
        String message = assertThrows(FrameReadException.class, this::frames).getMessage();
        assertTrue(message.startsWith(folder.resolve(".zattrs").toString()) && message.contains(what), message);
    }
}
