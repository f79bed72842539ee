package endorama.jni;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.URL;
import java.net.URLClassLoader;
import org.junit.jupiter.api.Test;

class NativeTest {
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
        assertTrue(NativeLibrary.advice("x.so: libgomp.so.1: cannot open shared object file").contains("libgomp1"));
        assertTrue(NativeLibrary.advice("failed to map segment from shared object").contains("java.io.tmpdir"));
        assertTrue(NativeLibrary.advice("version `GLIBC_2.99' not found").contains("build it on this machine"));
        assertEquals("", NativeLibrary.advice("something else"));
    }

    @Test
    void argumentsAreRefusedWithTheirValues() {
        refused("300", () -> NativeContext.create(NativeContext.CPU, 300).close());
        FramesOptions options = new FramesOptions();
        options.width = 64;
        options.height = 48;
        options.capacity = 2;
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1);
                NativeFrames frames = NativeFrames.create(context, options)) {
            refused("byte[]", () -> frames.put(0, new int[64 * 48]));
            refused("3072", () -> frames.put(0, new byte[5]));
            refused("null", () -> frames.put(0, null));
            refused("2", () -> frames.put(2, new byte[64 * 48]));
            refused("-1", () -> frames.put(-1, new byte[64 * 48]));
            refused("slot 0: no frame", () -> frames.register(new int[] {0, 1}, new RegisterOptions()));
            frames.put(0, new byte[64 * 48]);
            frames.put(1, new byte[64 * 48]);
            RegisterOptions even = new RegisterOptions();
            even.template = 52;
            refused("52", () -> frames.register(new int[] {0, 1}, even));
            refused("7", () -> frames.register(new int[] {0, 7}, new RegisterOptions()));
            assertEquals(PairResults.NO_TEXTURE, frames.register(new int[] {0, 1}, new RegisterOptions()).status(0));
            options.field = new byte[3];
            refused("field", () -> NativeFrames.create(context, options));
        }
    }

    private static void refused(String part, org.junit.jupiter.api.function.Executable call) {
        EndoramaException e = assertThrows(EndoramaException.class, call);
        assertEquals(EndoramaException.Status.ARGUMENT, e.status(), e.getMessage());
        assertTrue(e.getMessage().contains(part), e.getMessage());
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
        FramesOptions options = new FramesOptions();
        options.width = 64;
        options.height = 48;
        options.capacity = 1;
        ContextOptions failing = ContextOptions.of(NativeContext.CPU, 1);
        failing.failAfter = 2;
        try (NativeContext context = NativeContext.create(failing);
                NativeFrames frames = NativeFrames.create(context, options)) {
            assertEquals("cpu", context.backend());
            frames.put(0, new byte[64 * 48]);
            frames.put(0, new byte[64 * 48]);
            EndoramaException e = assertThrows(EndoramaException.class, () -> frames.put(0, new byte[64 * 48]));
            assertEquals(EndoramaException.Status.DEVICE, e.status());
        }
    }

    @Test
    void closedIsClosedAndParentsOutliveChildren() {
        FramesOptions options = new FramesOptions();
        options.width = 64;
        options.height = 48;
        options.capacity = 1;
        NativeContext context = NativeContext.create(NativeContext.CPU, 1);
        NativeFrames frames = NativeFrames.create(context, options);
        context.close();
        frames.put(0, new byte[64 * 48]);
        assertThrows(IllegalStateException.class, context::description);
        frames.close();
        frames.close();
        assertThrows(IllegalStateException.class, () -> frames.put(0, new byte[64 * 48]));
    }

    /** The motion of the demo is a similarity, and the method best finds it to hundredths of a pixel. */
    @Test
    void bestMethodChoosesTheClass() {
        NativeDemo.Options demo = new NativeDemo.Options();
        demo.width = 240;
        demo.height = 192;
        demo.frames = 12;
        FramesOptions options = new FramesOptions();
        options.width = demo.width;
        options.height = demo.height;
        options.type = 2;
        options.capacity = 3;
        RegisterOptions how = new RegisterOptions();
        how.method = RegisterOptions.BEST;
        how.transform = RegisterOptions.AUTO;
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1);
                NativeDemo sequence = NativeDemo.create(context, demo)) {
            options.field = sequence.field();
            try (NativeFrames frames = NativeFrames.create(context, options)) {
                for (int i = 0; i < 3; i++) {
                    frames.put(i, sequence.render(i));
                }
                PairResults results = frames.register(new int[] {0, 1, 1, 2}, how);
                for (int i = 0; i < 2; i++) {
                    assertEquals(PairResults.OK, results.status(i));
                    assertTrue(results.kind(i) < NativeTransforms.AFFINE);
                    assertTrue(results.deviation(i) < 0.2, "deviation " + results.deviation(i));
                    assertTrue(Math.abs(results.perspectiveX(i)) < 3 * results.perspectiveDeviation(i));
                    assertTrue(Math.abs(results.perspectiveY(i)) < 3 * results.perspectiveDeviation(i));
                    assertTrue(results.perspectiveDeviation(i) < 1e-3);
                    assertTrue(Math.abs(results.lens(i)) < 3 * results.lensDeviation(i));
                }
                how.method = RegisterOptions.PAPER;
                refused("transform class -1", () -> frames.register(new int[] {0, 1}, how));
            }
        }
    }

    @Test
    void canvasReadsWhatWasPaintedInBands() {
        FramesOptions options = new FramesOptions();
        options.width = 64;
        options.height = 48;
        options.capacity = 1;
        options.rim = 0;
        byte[] image = new byte[64 * 48];
        for (int i = 0; i < image.length; i++) {
            image[i] = (byte) (i * 31 % 251);
        }
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 1);
                NativeFrames frames = NativeFrames.create(context, options);
                NativeCanvas canvas = NativeCanvas.create(context, 0, 3000, 3000)) {
            frames.put(0, image);
            NativeTransforms pose = new NativeTransforms(1);
            pose.set(0, NativeTransforms.TRANSLATION, new double[] {1, 0, 1990, 0, 1, 2507, 0, 0, 1});
            canvas.paint(frames, new int[] {0}, pose, 10, -7, NativeCanvas.UNION);
            pose.set(0, NativeTransforms.HOMOGRAPHY, new double[] {1, 0, 0, 0, 1, 0, -0.02, 0, 1});
            assertEquals(EndoramaException.Status.ARGUMENT, assertThrows(EndoramaException.class,
                    () -> canvas.paint(frames, new int[] {0}, pose, 0, 0, NativeCanvas.UNION)).status());
            byte[] pixels = new byte[9000000];
            byte[] painted = new byte[9000000];
            canvas.read(0, 0, 3000, 3000, pixels, painted);
            int at = (2500 + 20) * 3000 + 2000 + 30;
            assertEquals(image[20 * 64 + 30], pixels[at]);
            assertEquals(-1, painted[at]);
            assertEquals(0, painted[0]);
            refused("", () -> canvas.read(2999, 0, 2, 1, new byte[2], null));
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
