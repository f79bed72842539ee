package endorama.jni;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.URL;
import java.net.URLClassLoader;
import org.junit.jupiter.api.Test;

class NativeTest {
    private static final double[] MATRIX = {1, 0, 0, 0, 1, 0, 0, 0, 1};

    @Test
    void versionsAgree() {
        assertEquals(NativeLibrary.VERSION, NativeLibrary.version());
        assertEquals(NativeLibrary.ABI, Native.abi());
    }

    @Test
    void loadsInTwoClassLoadersAtOnce() throws Exception {
        assumeTrue(System.getProperty(NativeLibrary.PROPERTY) == null, "one file loads into one class loader only");
        URL[] path = {NativeLibrary.class.getProtectionDomain().getCodeSource().getLocation()};
        try (URLClassLoader a = new URLClassLoader(path, null); URLClassLoader b = new URLClassLoader(path, null)) {
            Class<?> first = a.loadClass(NativeLibrary.class.getName());
            Class<?> second = b.loadClass(NativeLibrary.class.getName());
            assertNotSame(first, second);
            assertEquals(NativeLibrary.VERSION, first.getMethod("version").invoke(null));
            assertEquals(NativeLibrary.VERSION, second.getMethod("version").invoke(null));
            assertTrue(second.getMethod("origin").invoke(null).toString().startsWith("jar:/native/linux-"));
        }
    }

    @Test
    void advises() {
        assertTrue(NativeLibrary.advice("failed to map segment from shared object").contains("java.io.tmpdir"));
        assertTrue(NativeLibrary.advice("version `GLIBC_2.99' not found").contains("build it on this machine"));
        assertEquals("", NativeLibrary.advice("something else"));
    }

    @Test
    void argumentsAreRefusedWithTheirValues() {
        refused("300", () -> NativeContext.create(NativeContext.CPU, 300).close());
        byte[] canvas = new byte[100 * 80];
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1);
                NativeAligner aligner = NativeAligner.create(context, 0, 64, 48, 100, 80)) {
            refused("byte[]", () -> aligner.draw(new int[64 * 48], 0, MATRIX, 0, 0, canvas));
            refused("3072", () -> aligner.draw(new byte[5], 0, MATRIX, 0, 0, canvas));
            refused("null", () -> aligner.draw(null, 0, MATRIX, 0, 0, canvas));
            refused("8000", () -> aligner.draw(new byte[64 * 48], 0, MATRIX, 0, 0, new byte[7999]));
            refused("transform", () -> aligner.draw(new byte[64 * 48], NativeTransforms.HOMOGRAPHY,
                    new double[] {1, 0, 0, 0, 1, 0, -0.02, 0, 1}, 0, 0, canvas));
            refused("0", () -> NativeAligner.create(context, 0, 64, 0, 100, 80));
            refused("type 3", () -> NativeAligner.create(context, 3, 64, 48, 100, 80));
        }
    }

    private static void refused(String part, org.junit.jupiter.api.function.Executable call) {
        EndoramaException e = assertThrows(EndoramaException.class, call);
        assertEquals(EndoramaException.Status.ARGUMENT, e.status(), e.getMessage());
        assertTrue(e.getMessage().contains(part), e.getMessage());
    }

    @Test
    void fitsAreThereWhereOneIsTheBest() {
        double[] fitted = NativeTransforms.fit(2, new double[] {0, 0, 10, 0, 5, 7, 5, 27}, NativeTransforms.SIMILARITY);
        assertArrayEquals(new double[] {0, -2, 5, 2, 0, 7, 0, 0, 1}, fitted, 1e-12);
        assertNull(NativeTransforms.fit(2, new double[] {3, 3, 3, 3, 1, 2, 5, 6}, NativeTransforms.SIMILARITY));
        refused("fit", () -> NativeTransforms.fit(1, new double[4], 9));
    }

    @Test
    void devicesAreCountedAndDescribed() {
        int n = NativeDevices.count();
        assertEquals(n == 0, !NativeDevices.reason().isEmpty());
        for (int i = 0; i < n; i++) {
            NativeDevices.DeviceInfo device = NativeDevices.describe(i);
            assertTrue(!device.name.isEmpty() && device.memory >= device.freeMemory && device.major > 0);
        }
        assertThrows(EndoramaException.class, () -> NativeDevices.describe(n));
        NativeDevices.Choice choice = NativeDevices.choose(720, 576, 2, 60, 2);
        assertTrue(choice.backend == NativeContext.CPU || n > 0, choice.reason);
        assertTrue(!choice.reason.isEmpty());
        NativeDevices.Choice mutual = NativeDevices.chooseMutual(256, 256, 60, 1, 2);
        assertEquals(n == 0 ? NativeContext.CPU : NativeContext.CUDA, mutual.backend, mutual.reason);
        assertEquals(n > 0, mutual.reason.contains("1 registrations onto 256 x 256 x 60 voxels"), mutual.reason);
        assertTrue(!NativeDevices.fourierLibrary().isEmpty());
    }

    @Test
    void selfTestAgrees() {
        NativeDevices.SelfTest test = NativeDevices.selfTest(ContextOptions.of(NativeContext.CPU, 2));
        assertTrue(test.agrees);
        assertTrue(test.seconds > 0 && test.seconds < 2, "s " + test.seconds);
    }

    @Test
    void failuresAreInjected() {
        ContextOptions failing = ContextOptions.of(NativeContext.CPU, 1);
        failing.failAfter = 2;
        AheOptions options = new AheOptions();
        try (NativeContext context = NativeContext.create(failing); NativeAhe ahe = NativeAhe.create()) {
            assertEquals("cpu", context.backend());
            ahe.put(new byte[64 * 48], 0, 64, 48, new int[] {0, 0, 64, 48}, 0, 48, 1);
            ahe.run(context, options, 0, 24, 0, 48);
            ahe.run(context, options, 24, 48, 0, 48);
            EndoramaException e = assertThrows(EndoramaException.class, () -> ahe.run(context, options, 0, 24, 0, 48));
            assertEquals(EndoramaException.Status.DEVICE, e.status());
        }
    }

    @Test
    void closedIsClosedAndParentsOutliveChildren() {
        byte[] image = new byte[64 * 48];
        NativeContext context = NativeContext.create(NativeContext.CPU, 1);
        NativeAligner aligner = NativeAligner.create(context, 0, 64, 48, 64, 48);
        context.close();
        aligner.draw(image, 0, MATRIX, 0, 0, image);
        assertThrows(IllegalStateException.class, context::description);
        aligner.close();
        aligner.close();
        assertThrows(IllegalStateException.class, () -> aligner.draw(image, 0, MATRIX, 0, 0, image));
    }

    /** Whole shifts keep values; each frame is drawn alone. */
    @Test
    void framesAreDrawnAligned() {
        byte[] image = new byte[64 * 48];
        for (int i = 0; i < image.length; i++) {
            image[i] = (byte) (i * 31 % 251);
        }
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1);
                NativeAligner aligner = NativeAligner.create(context, 0, 64, 48, 3000, 3000)) {
            byte[] canvas = new byte[9000000];
            double[] matrix = {1, 0, 1990, 0, 1, 2507, 0, 0, 1};
            aligner.draw(image, NativeTransforms.TRANSLATION, matrix, 10, -7, canvas);
            int at = (2500 + 20) * 3000 + 2000 + 30;
            assertEquals(image[20 * 64 + 30], canvas[at]);
            assertEquals(0, canvas[0]);
            aligner.draw(image, NativeTransforms.TRANSLATION, MATRIX, 0, 0, canvas);
            assertEquals(image[20 * 64 + 30], canvas[20 * 3000 + 30]);
            assertEquals(0, canvas[at]);
        }
    }

    /** Objects that were not filled are refused by name; the library would otherwise read stray memory. */
    @Test
    void nothingHalfMadeIsUsed() {
        int[] all = {0, 0, 64, 48};
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1); NativeAhe ahe = NativeAhe.create()) {
            refused("no image", () -> ahe.get(new byte[64 * 48], 1));
            refused("no image", () -> ahe.run(context, new AheOptions(), 0, 48, 0, 48));
            ahe.put(new byte[64 * 48], 0, 64, 48, all, 0, 48, 1);
            ahe.run(context, new AheOptions(), 0, 48, 0, 48);
            long pointer = ahe.acquire();
            try {
                refusedWithoutImage(pointer, context.acquire());
            } finally {
                context.release();
                ahe.release();
            }
        }
    }

    /** Bypasses the checks of Java, as if memory had run out while an image was put in. */
    private static void refusedWithoutImage(long ahe, long context) {
        int[] whole = {0, 63, 0, 255, 0, 48, 0, 48};
        assertEquals(0, Native.aheRun(ahe, context, whole, 0));
        refused("must lie in the image", () -> EndoramaException.check(Native.aheRun(ahe, context,
                new int[] {0, 63, 0, 255, 0, 48, 0, 49}, 0)));
        refused("needed 900 rows", () -> EndoramaException.check(Native.ahePut(ahe, new byte[9], new int[] {0, 64, 0, 900,
            0, 0, 64, 900}, 1)));
        refused("must lie in the image", () -> EndoramaException.check(Native.aheRun(ahe, context, whole, 0)));
        refused("no image", () -> EndoramaException.check(Native.aheGet(ahe, new byte[64 * 48], 1)));
    }
}
