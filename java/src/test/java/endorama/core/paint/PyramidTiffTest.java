package endorama.core.paint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.files.StoppedException;
import endorama.core.frames.PixelType;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.Inflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files read back by the TIFF and BigTIFF specifications, without code of the writer. */
class PyramidTiffTest {
    @TempDir
    Path folder;
    private ByteBuffer file;

    private static int value(int x, int y, int c) {
        return (x * 7 + y * 13 + c * 50 + x * y / 97) & 255;
    }

    /** A picture by a formula; 16 bit: times 200. */
    private void write(PixelType type, int width, int height) throws Exception {
        File to = folder.resolve("p.ome.tif").toFile();
        PyramidTiff.write(to, type, width, height, (first, rows) -> {
            assertTrue(rows <= PyramidTiff.TILE && first % PyramidTiff.TILE == 0);
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
        }, () -> false);
        file = ByteBuffer.wrap(Files.readAllBytes(to.toPath())).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(0x4949, file.getShort(0));
        assertEquals(43, file.getShort(2));
        assertEquals(8, file.getShort(4));
    }

    /** A stop before any tile of any level is immediate and keeps the old file. */
    @Test
    void stopsBetweenTwoTiles() throws Exception {
        Path there = folder.resolve("p.ome.tif");
        Files.write(there, new byte[] {1, 2, 3});
        int tiles = 4 * 3 + 2 * 2 + 1;
        for (int left = 0; left <= tiles; left++) {
            int[] asked = {left};
            int[] read = {0};
            Pyramid.Rows rows = (first, n) -> {
                read[0]++;
                return new byte[n * 2000];
            };
            if (left == tiles) {
                PyramidTiff.write(there.toFile(), PixelType.GREY8, 2000, 1500, rows, () -> asked[0]-- == 0);
                assertTrue(Files.size(there) > 1000);
            } else {
                String message = assertThrows(StoppedException.class, () -> PyramidTiff.write(there.toFile(),
                        PixelType.GREY8, 2000, 1500, rows, () -> asked[0]-- == 0)).getMessage();
                assertEquals(there + ": interrupted while it was written; it is as it was before", message);
                assertEquals(3, Files.size(there));
            }
            assertTrue(left > 0 || read[0] == 1);
        }
        assertEquals(1, folder.toFile().list().length);
    }

    /** Tag to values of a directory. */
    private Map<Integer, long[]> directory(long at) {
        Map<Integer, long[]> tags = new TreeMap<Integer, long[]>();
        int before = 0;
        for (int i = 0; i < file.getLong((int) at); i++) {
            int entry = (int) at + 8 + 20 * i;
            int tag = file.getShort(entry) & 0xffff;
            assertTrue(tag > before, "tags ascend: " + tag);
            before = tag;
            int kind = file.getShort(entry + 2);
            int size = kind == 2 ? 1 : kind == 3 ? 2 : kind == 4 ? 4 : 8;
            long[] values = new long[(int) file.getLong(entry + 4)];
            int from = size * values.length <= 8 ? entry + 12 : (int) file.getLong(entry + 12);
            for (int k = 0; k < values.length; k++) {
                int p = from + size * k;
                values[k] = size == 1 ? file.get(p) : size == 2 ? file.getShort(p) : size == 4 ? file.getInt(p) : file.getLong(p);
            }
            tags.put(tag, values);
        }
        assertEquals(0, file.getLong((int) at + 8 + 20 * tags.size()), "no next directory: levels are sub-IFDs");
        return tags;
    }

    private int sample(Map<Integer, long[]> d, int x, int y, int c) throws Exception {
        int across = (int) ((d.get(256)[0] + 511) / 512);
        int tile = y / 512 * across + x / 512;
        Inflater inflater = new Inflater();
        inflater.setInput(file.array(), (int) d.get(324)[tile], (int) d.get(325)[tile]);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] some = new byte[1 << 16];
        for (int n = inflater.inflate(some); n > 0; n = inflater.inflate(some)) {
            all.write(some, 0, n);
        }
        int samples = (int) d.get(277)[0];
        int bytes = (int) d.get(258)[0] / 8;
        assertEquals(512 * 512 * samples * bytes, all.size());
        int at = ((y % 512 * 512 + x % 512) * samples + c) * bytes;
        byte[] tileBytes = all.toByteArray();
        return bytes == 1 ? tileBytes[at] & 255 : (tileBytes[at] & 255 | (tileBytes[at + 1] & 255) << 8) / 200;
    }

    @ParameterizedTest
    @CsvSource({"GREY8,700,520", "GREY16,513,1100", "RGB32,1300,701"})
    void everyLevelIsThere(PixelType type, int width, int height) throws Exception {
        write(type, width, height);
        Map<Integer, long[]> whole = directory(file.getLong(8));
        assertEquals(width, whole.get(256)[0]);
        assertEquals(height, whole.get(257)[0]);
        assertEquals(0, whole.get(254)[0]);
        assertEquals(8, whole.get(259)[0]);
        int samples = type == PixelType.RGB32 ? 3 : 1;
        assertEquals(samples, whole.get(277)[0]);
        assertEquals(samples, whole.get(258).length);
        for (int[] p : new int[][] {{0, 0}, {width - 1, 0}, {511, 511}, {512, 512}, {3, height - 1}, {width - 1, height - 1}}) {
            for (int c = 0; c < samples; c++) {
                assertEquals(value(p[0], p[1], c), sample(whole, p[0], p[1], c), p[0] + ", " + p[1]);
            }
        }
        long[] levels = whole.get(330);
        assertEquals(Math.max(width, height) > 1024 ? 2 : 1, levels.length);
        Map<Integer, long[]> half = directory(levels[0]);
        assertEquals((width + 1) / 2, half.get(256)[0]);
        assertEquals((height + 1) / 2, half.get(257)[0]);
        assertEquals(1, half.get(254)[0]);
        int mean = value(40, 60, 0) + value(41, 60, 0) + value(40, 61, 0) + value(41, 61, 0);
        // 16-bit samples are divided by 200 here, and so rounded down.
        assertEquals(type == PixelType.GREY16 ? mean / 4 : (mean + 2) / 4, sample(half, 20, 30, 0));
        if (height % 2 == 1) {
            int last = value(40, height - 1, 0) + value(41, height - 1, 0);
            assertEquals(type == PixelType.GREY16 ? last / 2 : (last + 1) / 2, sample(half, 20, (height - 1) / 2, 0));
        }
        assertTrue(directory(levels[levels.length - 1]).get(324).length == 1, "down to one tile");
        byte[] text = new byte[whole.get(270).length];
        for (int i = 0; i < text.length; i++) {
            text[i] = (byte) whole.get(270)[i];
        }
        String xml = new String(text, StandardCharsets.UTF_8);
        assertTrue(xml.contains("SizeX=\"" + width + "\" SizeY=\"" + height + "\"") && xml.endsWith("</OME>\0"), xml);
    }

    @Test
    void aSmallPictureIsOneTile() throws Exception {
        write(PixelType.GREY8, 5, 3);
        Map<Integer, long[]> whole = directory(file.getLong(8));
        assertTrue(!whole.containsKey(330) && whole.get(324).length == 1);
        assertEquals(value(4, 2, 0), sample(whole, 4, 2, 0));
    }
}
