package endorama.core.mosaic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import endorama.core.common.Progress;
import endorama.core.engine.BackEnd;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelType;
import endorama.core.frames.TestFrames;
import endorama.core.options.MosaicParameters;
import endorama.core.options.OptionException;
import endorama.jni.EndoramaException;
import endorama.jni.NativeDevices;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Choice of the back end, and runs whose device or memory fails; no device is needed. */
class BackEndTest {
    private static final int W = 360;
    private static final int H = 288;
    private static final int FRAMES = 40;
    private static final MosaicParameters AUTO = MosaicParameters.defaults();
    private static TestFrames sequence;

    @AfterEach
    void noMoreFailures() {
        System.clearProperty(BackEnd.FAIL_AFTER);
    }

    private static TestFrames frames() {
        if (sequence == null) {
            // After two black frames the chain has to find its pose again.
            sequence = TestFrames.demo(W, H, FRAMES, 1).set(20, new int[W * H]).set(21, new int[W * H]);
        }
        return sequence;
    }

    private static MosaicResult run(MosaicParameters parameters) throws FrameReadException {
        return new MosaicSession(frames(), parameters, Progress.NONE).run();
    }

    private static MosaicResult failing(MosaicParameters parameters, int calls) throws FrameReadException {
        System.setProperty(BackEnd.FAIL_AFTER, "" + calls);
        try {
            return run(parameters);
        } finally {
            System.clearProperty(BackEnd.FAIL_AFTER);
        }
    }

    private static String log(MosaicResult result) {
        return String.join("\n", result.log());
    }

    private static void assertSameResult(MosaicResult wanted, MosaicResult result) {
        assertNull(result.failure(), log(result));
        assertEquals(wanted.transforms(), result.transforms());
        for (int i = 0; i < wanted.rows().size(); i++) {
            assertEquals(wanted.rows().get(i).status, result.rows().get(i).status);
            assertEquals(wanted.rows().get(i).computed, result.rows().get(i).computed, "frame " + (i + 1));
        }
        assertEquals(wanted.panorama().width(), result.panorama().width());
        assertEquals(wanted.panorama().originX(), result.panorama().originX());
        assertArrayEquals((int[]) wanted.panorama().pixels(), (int[]) result.panorama().pixels());
        assertArrayEquals(wanted.panorama().painted(), result.panorama().painted());
    }

    /** The device fails at the first frame put, while registering, or while painting. */
    @ParameterizedTest
    @ValueSource(strings = {"Union", "Ring", "Blend"})
    void autoGoesOnWithTheCpu(String painting) throws FrameReadException {
        MosaicParameters parameters = AUTO.with("painting", painting);
        MosaicResult wanted = run(parameters);
        assertEquals(FRAMES - 2, wanted.registered());
        for (int calls : new int[] {1, 2, 3, 7, 19, 20, 21, 22, 23, 24, 25, 26, 30, 38, 44, 47, 48}) {
            MosaicResult result = failing(parameters, calls);
            assertSameResult(wanted, result);
            assertEquals(2, log(result).split("the CPU goes on, nothing is lost", -1).length, calls + ": " + log(result));
            assertTrue(log(result).contains("device failed"), log(result));
        }
    }

    @Test
    void undisturbedRunsSayNothingOfFailures() throws FrameReadException {
        MosaicResult result = failing(AUTO, 100000);
        assertFalse(log(result).contains("nothing is lost"), log(result));
        assertTrue(log(result).startsWith("backend "), log(result));
        for (FrameRow row : result.rows()) {
            assertTrue(row.backend.equals("cpu") || row.backend.equals("cuda"), row.backend);
        }
    }

    @Test
    void chosenBackEndStopsAndKeepsWhatIsDone() throws FrameReadException {
        MosaicParameters cpu = AUTO.with("backend", "CPU");
        MosaicResult wanted = run(cpu);
        MosaicResult result = failing(cpu, 30);
        assertNotNull(result.failure());
        assertSame(EndoramaException.Status.DEVICE, ((EndoramaException) result.failure()).status());
        int done = result.rows().size();
        assertTrue(done > 5 && done < FRAMES, "frames " + done);
        for (int i = 0; i < done; i++) {
            assertEquals(wanted.rows().get(i).chained, result.rows().get(i).transform);
        }
        assertNotNull(result.panorama());
        assertTrue(log(result).contains("stopped at frame"), log(result));
        assertFalse(result.cancelled());
    }

    @Test
    void cudaWithoutADeviceSaysWhatIsMissing() {
        assumeTrue(NativeDevices.count() == 0, "there is a device");
        EndoramaException e = assertThrows(EndoramaException.class, () -> run(AUTO.with("backend", "CUDA")));
        assertTrue(e.status() == EndoramaException.Status.DEVICE
                || e.status() == EndoramaException.Status.UNSUPPORTED, e.getMessage());
        assertFalse(NativeDevices.reason().isEmpty());
        assertThrows(EndoramaException.class, () -> NativeDevices.describe(0));
    }

    @Test
    void devicesAreChecked() {
        assertEquals(Arrays.asList(), AUTO.devices());
        assertEquals(Arrays.asList(1), AUTO.with("devices", "1").devices());
        assertEquals(Arrays.asList(0, 2), AUTO.with("devices", "0, 2").devices());
        for (String wrong : new String[] {"x", "-1", "0,", "0,0", "1.5", "99999"}) {
            String message = assertThrows(OptionException.class, () -> run(AUTO.with("devices", wrong))).getMessage();
            assertTrue(message.startsWith("devices " + wrong + ": must be numbers of devices"), message);
        }
    }

    @Test
    void deviceBeyondTheLastIsNamed() {
        int n = NativeDevices.count();
        assumeTrue(n > 0, "no device");
        String message = assertThrows(IllegalArgumentException.class,
                () -> run(AUTO.with("backend", "CUDA").with("devices", "0," + n))).getMessage();
        assertTrue(message.contains("devices " + n + ": there "), message);
    }

    // ------------------------------------------------- on a machine with a GPU

    @Test
    void cudaGivesTheBytesOfTheCpu() throws FrameReadException {
        assumeTrue(NativeDevices.count() > 0, "no device");
        MosaicResult result = run(AUTO.with("backend", "CUDA"));
        assertSameResult(run(AUTO.with("backend", "CPU")), result);
        assertEquals("cuda", result.rows().get(5).backend);
        assertTrue(result.backend().startsWith("cuda"), result.backend());
    }

    @Test
    void twoDevicesGiveTheBytesOfOne() throws FrameReadException {
        int n = NativeDevices.count();
        if (n < 2) {
            System.err.println("SKIP two devices: there " + (n == 1 ? "is 1" : "are " + n));
        }
        assumeTrue(n >= 2, "fewer than two devices");
        for (String method : new String[] {"Best", "Paper"}) {
            MosaicParameters one = AUTO.with("backend", "CUDA").with("method", method);
            MosaicResult result = run(one.with("devices", "0,1"));
            assertSameResult(run(one), result);
            assertTrue(result.backend().startsWith("2 x cuda"), result.backend());
        }
    }

    @Test
    void littleDeviceMemoryMakesChunksSmaller() throws FrameReadException {
        assumeTrue(NativeDevices.count() > 0, "no device");
        MosaicResult wanted = run(AUTO.with("backend", "CPU"));
        System.setProperty(BackEnd.DEVICE_MEMORY, "" + (12 << 20));
        try {
            MosaicResult result = run(AUTO.with("backend", "CUDA"));
            assertTrue(log(result).contains("out of memory with "), log(result));
            assertEquals(wanted.transforms().subList(0, result.rows().size()), result.transforms());
        } finally {
            System.clearProperty(BackEnd.DEVICE_MEMORY);
        }
    }

    @Test
    void autoLeavesAFailingDevice() throws FrameReadException {
        assumeTrue(NativeDevices.count() > 0, "no device");
        // Back and forth: with so many frames, and one thread, CUDA is the faster.
        TestFrames some = TestFrames.demo(W, H, 30, 1);
        TestFrames many = new TestFrames(W, H, PixelType.RGB32);
        for (int i = 0; i < 3000; i++) {
            many.add(some.get(i % 58 < 30 ? i % 58 : 58 - i % 58));
        }
        MosaicParameters one = AUTO.withThreads(1);
        MosaicResult wanted = new MosaicSession(many, one.with("backend", "CUDA"), Progress.NONE).run();
        System.setProperty(BackEnd.FAIL_AFTER, "700");
        MosaicResult result = new MosaicSession(many, one, Progress.NONE).run();
        assertSameResult(wanted, result);
        assertTrue(log(result).contains("backend cuda failed at "), log(result));
        assertEquals("cuda", result.rows().get(5).backend);
        assertEquals("cpu", result.rows().get(2999).backend);
        assertTrue(result.backend().contains(", then cpu"), result.backend());
    }
}
