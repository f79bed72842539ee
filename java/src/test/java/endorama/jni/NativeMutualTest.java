package endorama.jni;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Volumes and their registration, from Java arrays and back. */
class NativeMutualTest {
    private static final int SIDE = 20;
    private static final double[] WORLD = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    private static final double[] SHIFT = {1, 0, 0, 2, 0, 1, 0, -1, 0, 0, 1, 1, 0, 0, 0, 1};

    private NativeContext context;

    @BeforeEach
    void open() {
        context = NativeContext.create(NativeContext.CPU, 2);
    }

    @AfterEach
    void close() {
        context.close();
    }

    /** Soft blocks; shifted: x lies at x + (2, -1, 1), and grey values are inverted. */
    private static NativeVolume blocks(boolean shifted) {
        Random random = new Random(6);
        double[] values = new double[512];
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextDouble();
        }
        NativeVolume volume = NativeVolume.create(1, SIDE, SIDE, SIDE, WORLD);
        for (int z = 0; z < SIDE; z++) {
            short[] slice = new short[SIDE * SIDE];
            for (int i = 0; i < slice.length; i++) {
                int x = i % SIDE - (shifted ? 2 : 0) + 4;
                int y = i / SIDE + (shifted ? 1 : 0) + 4;
                int at = x / 4 + 8 * (y / 4) + 64 * ((z - (shifted ? 1 : 0) + 4) / 4);
                slice[i] = (short) (60000 * (shifted ? 1 - values[at % 512] : values[at % 512]));
            }
            volume.put(z, slice);
        }
        return volume;
    }

    @Test
    void shiftIsFound() {
        try (NativeVolume fixed = blocks(false); NativeVolume moving = blocks(true)) {
            MutualOptions options = new MutualOptions();
            options.model = NativeTransforms.TRANSLATION;
            MutualResult result;
            try (NativeMutual mutual = NativeMutual.create(context, fixed, moving, options)) {
                result = mutual.register(() -> false);
                assertTrue(result.before() < result.after());
            }
            assertArrayEquals(SHIFT, result.world(), 0.15);
            assertArrayEquals(result.voxels(), result.world(), 1e-9);
            assertEquals(MutualResult.CONVERGED, result.stop());
            assertArrayEquals(new int[] {SIDE, SIDE, SIDE, 64}, result.levelSize(0));
            int evaluations = 0;
            for (int i = 0; i < result.levels(); i++) {
                evaluations += result.levelEvaluations(i);
            }
            assertEquals(result.evaluations(), evaluations + 2);
            try (NativeVolume out = moving.resample(context, fixed, SHIFT, MutualOptions.NEAREST)) {
                short[] seen = new short[SIDE * SIDE];
                short[] expected = new short[SIDE * SIDE];
                out.get(9, seen);
                fixed.get(9, expected);
                assertEquals(60000, (seen[210] & 0xffff) + (expected[210] & 0xffff), 1);
                assertEquals(0, seen[SIDE - 1]);
            }
        }
    }

    @Test
    void everyTypeComesBack() {
        Object[] slices = {new byte[] {1, -2, 3, 4, 5, -6}, new short[] {1, -2, 3, 4, 5, -6},
            new int[] {0xff000001, 2, 3, 4, 5, 6}};
        for (int type = 0; type < 3; type++) {
            try (NativeVolume volume = NativeVolume.create(type, 3, 2, 2, WORLD)) {
                volume.put(1, slices[type]);
                Object back = type == 0 ? new byte[6] : type == 1 ? new short[6] : new int[6];
                volume.get(0, back);
                assertEquals(0, ((Number) java.lang.reflect.Array.get(back, 3)).intValue());
                volume.get(1, back);
                assertTrue(java.util.Objects.deepEquals(slices[type], back));
                assertEquals(2, volume.depth());
                Object wrong = slices[(type + 1) % 3];
                assertThrows(EndoramaException.class, () -> volume.put(0, wrong));
                assertThrows(EndoramaException.class, () -> volume.put(2, slices[0].getClass() == wrong.getClass()
                        ? wrong : back));
                assertThrows(EndoramaException.class, () -> volume.put(-1, back));
                assertThrows(EndoramaException.class, () -> volume.mask(0, new byte[5]));
            }
        }
    }

    /** The hook is polled; its exception is thrown, and the next registration works. */
    @Test
    void stopIsAskedAndMayThrow() {
        try (NativeVolume fixed = blocks(false); NativeVolume moving = blocks(true);
                NativeMutual mutual = NativeMutual.create(context, fixed, moving, new MutualOptions())) {
            int[] asked = {0};
            MutualResult stopped = mutual.register(() -> ++asked[0] == 5);
            assertEquals(MutualResult.CANCELLED, stopped.stop());
            assertEquals(5, asked[0]);
            assertEquals(0, stopped.certainty());
            IllegalStateException thrown = new IllegalStateException("enough");
            assertSame(thrown, assertThrows(IllegalStateException.class, () -> mutual.register(() -> {
                throw thrown;
            })));
            assertEquals(MutualResult.CONVERGED, mutual.register(() -> false).stop());
        }
    }

    private static void assertRefused(int code, String text) {
        assertEquals(1 + EndoramaException.Status.ARGUMENT.ordinal(), code);
        String message = Native.lastError();
        assertTrue(message.contains(text), message);
    }

    @Test
    void sizesAndOptionsAreChecked() {
        long[] out = new long[1];
        assertRefused(Native.volumeCreate(new int[] {0, 65536, 65537, 1}, WORLD, out), "65536 x 65537 x 1");
        assertRefused(Native.volumeCreate(new int[] {0, 16384, 16384, 5}, WORLD, out), "at most 2^30");
        assertRefused(Native.volumeCreate(new int[] {0, 4, 0, 5}, WORLD, out), "4 x 0 x 5");
        assertRefused(Native.volumeCreate(new int[] {3, 4, 4, 5}, WORLD, out), "type 3");
        assertThrows(ArrayIndexOutOfBoundsException.class, () -> Native.volumeCreate(new int[2], WORLD, out));
        assertThrows(EndoramaException.class, () -> NativeVolume.create(0, 4, 4, 4, new double[15]));
        try (NativeVolume volume = NativeVolume.create(0, 8, 8, 8, WORLD)) {
            MutualOptions options = new MutualOptions();
            options.bins = 7;
            String message = assertThrows(EndoramaException.class,
                    () -> NativeMutual.create(context, volume, volume, options)).getMessage();
            assertTrue(message.contains("bins 7: must be 16..256"), message);
            options.initialMap = new double[3];
            assertThrows(EndoramaException.class, () -> NativeMutual.create(context, volume, volume, options));
        }
        try (NativeVolume flat = NativeVolume.create(0, 8, 8, 8, new double[16]);
                NativeVolume nan = NativeVolume.create(0, 8, 8, 8, new double[] {Double.NaN, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1,
                    0, 0, 0, 0, 1})) {
            assertThrows(EndoramaException.class, () -> flat.resample(context, nan, WORLD, MutualOptions.LINEAR));
        }
    }

    @Test
    void closedOnesAreRefused() {
        NativeVolume volume = NativeVolume.create(0, 8, 8, 8, WORLD);
        NativeMutual mutual = NativeMutual.create(context, volume, volume, new MutualOptions());
        volume.close();
        volume.close();
        assertThrows(IllegalStateException.class, () -> volume.put(0, new byte[64]));
        // The registration has copied the volumes.
        assertEquals(MutualResult.NO_CONTENT, mutual.register(() -> false).status());
        mutual.close();
        assertThrows(IllegalStateException.class, () -> mutual.register(() -> false));
    }
}
