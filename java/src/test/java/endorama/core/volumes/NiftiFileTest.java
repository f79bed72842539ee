package endorama.core.volumes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.frames.FrameReadException;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** NIfTI files made byte by byte: all types, both byte orders, positions of all kinds, and damaged files. */
class NiftiFileTest {
    private static final int W = 5;
    private static final int H = 4;
    private static final int D = 3;
    private static final int[] TYPES = {2, 4, 8, 16, 64, 128, 256, 512, 768, 1024, 1280};
    private static final int[] BYTES = {1, 2, 4, 4, 8, 3, 1, 2, 4, 8, 8};

    @TempDir
    Path folder;

    /** A header without a position, voxels of 1.5 x 2 x 2.5 mm. */
    private static ByteBuffer header(int type, ByteOrder order, int... sides) {
        ByteBuffer h = ByteBuffer.allocate(352).order(order);
        h.putInt(0, 348);
        h.putShort(40, (short) sides.length);
        for (int i = 1; i < 8; i++) {
            h.putShort(40 + 2 * i, (short) (i <= sides.length ? sides[i - 1] : 1));
        }
        h.putShort(70, (short) type);
        float[] sizes = {1, 1.5f, 2, 2.5f};
        for (int i = 0; i < 4; i++) {
            h.putFloat(76 + 4 * i, sizes[i]);
        }
        h.putFloat(108, 352);
        h.put(123, (byte) 2);
        h.put(344, (byte) 'n').put(345, (byte) '+').put(346, (byte) '1');
        return h;
    }

    /** Value i of the voxels: whole numbers from 3 on. */
    private static byte[] voxels(int type, ByteOrder order, int n) {
        ByteBuffer v = ByteBuffer.allocate(n * BYTES[Arrays.binarySearch(TYPES, type)]).order(order);
        for (int i = 0; i < n; i++) {
            switch (type) {
                case 2:
                case 256: v.put((byte) (3 + i)); break;
                case 4:
                case 512: v.putShort((short) (3 + i)); break;
                case 8:
                case 768: v.putInt(3 + i); break;
                case 16: v.putFloat(3 + i); break;
                case 64: v.putDouble(3 + i); break;
                case 128: v.put((byte) (3 + i)).put((byte) (100 + i)).put((byte) 200); break;
                default: v.putLong(3 + i);
            }
        }
        return v.array();
    }

    private File file(String name, byte[]... parts) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.write(part);
        }
        byte[] bytes = all.toByteArray();
        if (name.endsWith(".gz")) {
            ByteArrayOutputStream packed = new ByteArrayOutputStream();
            try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
                out.write(bytes);
            }
            bytes = packed.toByteArray();
        }
        return Files.write(folder.resolve(name), bytes).toFile();
    }

    private static double stored(Object pixels, int i) {
        return pixels instanceof byte[] ? ((byte[]) pixels)[i] & 0xff : ((short[]) pixels)[i] & 0xffff;
    }

    @Test
    void everyTypeAndOrderIsRead() throws IOException {
        for (ByteOrder order : new ByteOrder[] {ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN}) {
            for (int type : TYPES) {
                for (String name : new String[] {"a.nii", "a.nii.gz"}) {
                    File file = file(name, header(type, order, W, H, D).array(), voxels(type, order, W * H * D));
                    Volume volume = NiftiFile.read(file);
                    assertEquals(W + " x " + H + " x " + D + " voxels of 1.5 x 2 x 2.5 mm", volume.grid().description());
                    assertFalse(volume.grid().positioned);
                    for (int i = 0; i < W * H * D; i++) {
                        Object pixels = volume.pixels(i / (W * H));
                        int at = i % (W * H);
                        if (type == 128) {
                            assertEquals(0xff0000c8 | 3 + i << 16 | 100 + i << 8, ((int[]) pixels)[at]);
                        } else {
                            double value = volume.values().slope * stored(pixels, at) + volume.values().intercept;
                            assertEquals(3 + i, value, type + " " + order);
                        }
                    }
                }
            }
        }
    }

    /** Limits: sides of 16384 voxels; for compressed files 1032 times as many bytes as the file has. */
    @Test
    void whatIsTooLargeIsRefusedBeforeItIsRead() throws IOException {
        ByteOrder order = ByteOrder.LITTLE_ENDIAN;
        assertEquals(16384, NiftiFile.read(file("a.nii", header(2, order, 16384, 1, 1).array(), new byte[16384])).grid()
                .width);
        File wide = file("a.nii", header(2, order, 16385, 1, 1).array(), new byte[16385]);
        assertTrue(message(wide).contains("dimension 1 is 16385: must be 1..16384"), message(wide));
        long limit = 1032 * file("a.nii.gz", header(2, order, 1000, 100, 1).array()).length();
        for (long rows : new long[] {limit / 1000 - 4, limit / 1000 + 4}) {
            File packed = file("a.nii.gz", header(2, order, 1000, (int) rows, 1).array());
            assertEquals(rows * 1000 > limit, message(packed).contains("its header claims"), message(packed));
        }
    }

    private static String message(File file) {
        return assertThrows(IOException.class, () -> NiftiFile.read(file)).getMessage();
    }

    @Test
    void valuesAreKeptOrSpread() throws IOException {
        // Signed values are shifted by no more than necessary.
        ByteBuffer h = header(4, ByteOrder.LITTLE_ENDIAN, 2, 2, 1);
        h.putFloat(112, 2).putFloat(116, 10);
        ByteBuffer v = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        v.putShort((short) -1000).putShort((short) 5).putShort((short) 31000).putShort((short) 0);
        Volume volume = NiftiFile.read(file("b.nii", h.array(), v.array()));
        assertArrayEquals(new short[] {0, 1005, 32000, 1000}, (short[]) volume.pixels(0));
        assertEquals(2, volume.values().slope);
        assertEquals(2 * -1000 + 10, volume.values().intercept);
        assertTrue(volume.notes().isEmpty());
        // Floats are scaled from the smallest to the largest; NaN and infinity become the smallest.
        h = header(16, ByteOrder.BIG_ENDIAN, 5, 1, 1);
        ByteBuffer f = ByteBuffer.allocate(20).order(ByteOrder.BIG_ENDIAN);
        f.putFloat(-1.5f).putFloat(Float.NaN).putFloat(2.5f).putFloat(0.5f).putFloat(Float.POSITIVE_INFINITY);
        volume = NiftiFile.read(file("c.nii.gz", h.array(), f.array()));
        short[] pixels = (short[]) volume.pixels(0);
        assertArrayEquals(new short[] {0, 0, (short) 65535, (short) 32768, 0}, pixels);
        assertEquals(2.5, volume.values().slope * 65535 + volume.values().intercept, 1e-12);
        assertTrue(volume.notes().get(0).contains("float32 values -1.5..2.5 are spread over 16 bits"), volume.notes().get(0));
        assertTrue(volume.notes().get(1).contains("2 voxels are NaN or infinite"), volume.notes().get(1));
        // All values are NaN.
        f = ByteBuffer.allocate(20).order(ByteOrder.BIG_ENDIAN);
        for (int i = 0; i < 5; i++) {
            f.putFloat(Float.NaN);
        }
        volume = NiftiFile.read(file("d.nii", h.array(), f.array()));
        assertArrayEquals(new short[5], (short[]) volume.pixels(0));
    }

    private static void assertWorld(double[] expected, Volume volume) {
        assertTrue(volume.grid().positioned);
        assertArrayEquals(expected, volume.grid().world(), 1e-6);
    }

    @Test
    void positionsAreLeftBackAndHead() throws IOException {
        byte[] voxels = voxels(2, ByteOrder.LITTLE_ENDIAN, W * H * D);
        ByteBuffer h = header(2, ByteOrder.LITTLE_ENDIAN, W, H, D);
        // The sform: right, front, head of the patient.
        float[] s = {-2, 0, 0.5f, 90, 0, 3, 0, -120, 0.25f, 0, 4, -70};
        h.putShort(254, (short) 1);
        for (int i = 0; i < 12; i++) {
            h.putFloat(280 + 4 * i, s[i]);
        }
        // A qform, a quarter turn about z, is ignored beside an sform.
        h.putShort(252, (short) 1);
        h.putFloat(264, (float) Math.sqrt(0.5)).putFloat(268, 1).putFloat(272, 2).putFloat(276, 3);
        assertWorld(new double[] {2, 0, -0.5, -90, 0, -3, 0, 120, 0.25, 0, 4, -70, 0, 0, 0, 1},
                NiftiFile.read(file("s.nii", h.array(), voxels)));
        // Without the sform the qform counts: x becomes y, y becomes -x, and pixdim[0] reverses z.
        h.putShort(254, (short) 0);
        h.putFloat(76, -1);
        assertWorld(new double[] {0, 2, 0, -1, -1.5, 0, 0, -2, 0, 0, -2.5, 3, 0, 0, 0, 1},
                NiftiFile.read(file("q.nii", h.array(), voxels)));
        // The unit is metre.
        h.put(123, (byte) 1);
        assertEquals(1500, NiftiFile.read(file("m.nii", h.array(), voxels)).grid().spacing()[0], 1e-3);
        // A singular sform is ignored.
        h.putShort(254, (short) 1).putShort(252, (short) 0).put(123, (byte) 2);
        h.putFloat(280, 0).putFloat(288, 0);
        h.putFloat(312, 0);
        Volume flat = NiftiFile.read(file("f.nii", h.array(), voxels));
        assertFalse(flat.grid().positioned);
        assertTrue(flat.notes().get(0).contains("cannot be inverted"), flat.notes().toString());
    }

    @Test
    void whatIsWrittenReadsBack() throws IOException {
        Grid grid = Grid.positioned(W, H, D, new double[] {0, 2, 0, -1, -1.5, 0, 0.25, -2, 0, 0.5, -2.5, 3, 0, 0, 0, 1});
        short[][] slices = new short[2 * D][W * H];
        for (int i = 0; i < 2 * D * W * H; i++) {
            slices[i / (W * H)][i % (W * H)] = (short) (997 * i);
        }
        for (String name : new String[] {"o.nii", "o.nii.gz"}) {
            File file = folder.resolve(name).toFile();
            NiftiFile.write(file, TestVolumes.source(W, H, slices), grid, 2, new RealValues(0.5, -7));
            Volume back = NiftiFile.read(file);
            assertEquals(2, back.frames());
            assertArrayEquals(grid.world(), back.grid().world(), 1e-6);
            assertEquals(0.5, back.values().slope);
            assertEquals(-7, back.values().intercept);
            for (int i = 0; i < 2 * D; i++) {
                assertArrayEquals(slices[i], (short[]) back.pixels(i));
            }
        }
        assertEquals(352 + 2 * 2 * D * W * H, folder.resolve("o.nii").toFile().length());
    }

    private String refused(String name, byte[]... parts) throws IOException {
        File file = file(name, parts);
        return assertThrows(FrameReadException.class, () -> NiftiFile.read(file)).getMessage();
    }

    @Test
    void damagedFilesAreNamed() throws IOException {
        ByteOrder order = ByteOrder.LITTLE_ENDIAN;
        byte[] good = header(2, order, W, H, D).array();
        byte[] voxels = voxels(2, order, W * H * D);
        assertTrue(refused("x.nii", Arrays.copyOf(good, 200)).contains("ends before its header"));
        assertTrue(refused("x.nii", new byte[0]).contains("ends before its header"));
        assertTrue(refused("x.nii", good, Arrays.copyOf(voxels, 59)).contains("cannot hold; it is truncated"));
        assertTrue(refused("x.nii", new byte[400]).contains("its first number is not 348"));
        assertTrue(refused("x.nii", header(2, order, W, H, D).putInt(0, 540).array(), voxels).contains("NIfTI-2"));
        assertTrue(refused("x.nii", header(2, order, W, H, D).put(345, (byte) 'i').array(), voxels).contains(".img"));
        assertTrue(refused("x.nii", header(2, order, W, H, D).put(344, (byte) 'x').array(), voxels).contains("no n+1"));
        assertTrue(refused("x.nii", header(32, order, W, H, D).array(), voxels).contains("data type 32"));
        assertTrue(refused("x.nii", header(2, order, W, H, D).putShort(40, (short) 9).array(), voxels)
                .contains("9 dimensions"));
        assertTrue(refused("x.nii", header(2, order, W, H, -3).array(), voxels).contains("dimension 3 is -3"));
        assertTrue(refused("x.nii", header(2, order, W, H, D, 1, 3).array(), voxels).contains("dimension 5 is 3"));
        assertTrue(refused("x.nii", header(2, order, W, H, D).putFloat(108, Float.NaN).array(), voxels)
                .contains("begin at byte NaN"));
    }

    /** 10^12 voxels and more are refused by their number, also in compressed files. */
    @Test
    void claimsCostNoMemory() throws IOException {
        byte[] volumes = header(64, ByteOrder.LITTLE_ENDIAN, 1000, 1000, 1000, 1000).array();
        String message = refused("x.nii", volumes, new byte[100]);
        assertTrue(message.contains("claims 1000 x 1000 x 1000 x 1000 voxels of 8 bytes"), message);
        assertTrue(refused("x.nii.gz", volumes, new byte[100000]).contains("cannot hold"));
        byte[] one = header(2, ByteOrder.LITTLE_ENDIAN, 10000, 10000, 10000).array();
        assertTrue(refused("y.nii", one).contains("at most 2^30"));
        assertTrue(refused("y.nii", header(2, ByteOrder.LITTLE_ENDIAN, 32767, 1, 1).array()).contains("dimension 1 is 32767"));
    }

    @Test
    void truncatedAndCorruptGzip() throws IOException {
        Random random = new Random(5);
        byte[] voxels = new byte[64 * 64 * 20];
        random.nextBytes(voxels);
        File whole = file("w.nii.gz", header(2, ByteOrder.LITTLE_ENDIAN, 64, 64, 20).array(), voxels);
        byte[] packed = Files.readAllBytes(whole.toPath());
        for (int length : new int[] {1, 9, 30, 300, packed.length / 2, packed.length - 9}) {
            Path cut = Files.write(folder.resolve("cut.nii.gz"), Arrays.copyOf(packed, length));
            String message = assertThrows(FrameReadException.class, () -> NiftiFile.read(cut.toFile())).getMessage();
            assertTrue(message.contains("cut.nii.gz"), message);
        }
        Path cut = Files.write(folder.resolve("cut.nii.gz"), Arrays.copyOf(packed, packed.length / 2));
        String message = assertThrows(FrameReadException.class, () -> NiftiFile.read(cut.toFile())).getMessage();
        assertTrue(message.matches("(?s).*ends in slice (9|10|11) of 20; it is truncated.*"), message);
        // Damages the check sum.
        packed[packed.length - 6] ^= 1;
        Path bad = Files.write(folder.resolve("bad.nii.gz"), packed);
        message = assertThrows(FrameReadException.class, () -> NiftiFile.read(bad.toFile())).getMessage();
        assertTrue(message.contains("damaged in slice 20 of 20"), message);
    }

    /** Random bytes, seeded, give a volume with all its pixels, or a message that names the file. */
    @Test
    void anyBytesAreReadOrRefused() throws IOException {
        Random random = new Random(17);
        int read = 0;
        for (int run = 0; run < 3000; run++) {
            ByteOrder order = random.nextBoolean() ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
            int type = TYPES[random.nextInt(TYPES.length)];
            byte[] bytes = header(type, order, W, H, D).array();
            for (int i = random.nextInt(4); i >= 0; i--) {
                bytes[random.nextBoolean() ? 40 + random.nextInt(90) : random.nextInt(bytes.length)] =
                        (byte) (random.nextBoolean() ? random.nextInt() : 1 << random.nextInt(8));
            }
            byte[] voxels = Arrays.copyOf(voxels(type, order, W * H * D), random.nextInt(20) == 0 ? 7 : W * H * D * 8);
            File file = file(run % 2 == 0 ? "fuzz.nii" : "fuzz.nii.gz", bytes, voxels);
            try {
                Volume volume = NiftiFile.read(file);
                for (int i = 0; i < volume.slices(); i++) {
                    volume.pixels(i);
                }
                assertTrue(Affine3.isInvertible(volume.grid().world()));
                read++;
            } catch (FrameReadException e) {
                assertTrue(e.getMessage().contains("fuzz.nii"), e.getMessage());
            }
        }
        assertTrue(read > 500 && read < 2900, read + " of 3000 were read");
    }
}
