package endorama.core.mosaic;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.options.MosaicParameters;
import endorama.core.transforms.DemoSequence;
import endorama.core.transforms.Drift;
import endorama.jni.ContextOptions;
import endorama.jni.EndoramaException;
import endorama.jni.NativeContext;
import endorama.jni.NativeDemo;
import endorama.jni.NativeDevices;
import endorama.jni.NativeLibrary;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The system information of a problem report, and a check of the library. */
public final class Info {
    private static final String CHECK = "self-check";
    private static final String TEST = "self-test";
    private static final String USABLE = "usable";
    private static final String PASSED = "passed";
    private static final String FAILED = "failed: ";

    private Info() {
    }

    /** Name -&gt; value, in the order to show. Reports, and never throws, that the library does not load. */
    public static Map<String, String> collect() {
        Map<String, String> info = new LinkedHashMap<String, String>();
        info.put("endorama", NativeLibrary.VERSION);
        info.put("java", System.getProperty("java.version") + " (" + System.getProperty("java.vendor") + "), heap "
                + Runtime.getRuntime().maxMemory() / (1 << 20) + " MiB");
        info.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch") + ", " + Runtime.getRuntime().availableProcessors() + " processors");
        try {
            info.put("library", NativeLibrary.version() + " from " + NativeLibrary.origin());
            info.put("cpu", cpu());
            devices(info);
            info.put("cufft", NativeDevices.fourierLibrary());
            info.put(TEST + " cpu", test(NativeContext.CPU));
            if (info.get("cuda").equals(USABLE)) {
                info.put(TEST + " cuda", test(NativeContext.CUDA));
            }
            info.put(CHECK, check());
        } catch (EndoramaException e) {
            info.put("library", e.getMessage());
            info.put(CHECK, FAILED + "the library does not load");
        }
        return info;
    }

    /** The first failure; null if the library loads and computes correctly on every usable back end. */
    public static String failure(Map<String, String> info) {
        for (Map.Entry<String, String> e : info.entrySet()) {
            boolean tested = e.getKey().startsWith(TEST) || e.getKey().equals(CHECK);
            if (tested && !e.getValue().startsWith(PASSED)) {
                return e.getKey() + " " + e.getValue();
            }
        }
        return null;
    }

    private static String cpu() {
        try (NativeContext context = NativeContext.create(NativeContext.CPU, 0)) {
            return context.description();
        }
    }

    private static void devices(Map<String, String> info) {
        String build = NativeDevices.cudaVersion();
        String driver = NativeDevices.driverVersion();
        int devices = NativeDevices.count();
        int usable = 0;
        Map<String, String> described = new LinkedHashMap<String, String>();
        for (int i = 0; i < devices; i++) {
            try {
                NativeDevices.DeviceInfo d = NativeDevices.describe(i);
                usable += d.usable ? 1 : 0;
                described.put("device " + i, describe(d));
            } catch (EndoramaException e) {
                described.put("device " + i, "not usable: " + e.getMessage());
            }
        }
        info.put("cuda", usable > 0 ? USABLE : "not usable: "
                + (devices == 0 ? NativeDevices.reason() : "no device has compute capability 7.5 or newer"));
        info.put("cuda build", build.isEmpty() ? "none" : build);
        info.put("driver", driver.isEmpty() ? "none" : "for CUDA up to " + driver);
        info.putAll(described);
    }

    private static String describe(NativeDevices.DeviceInfo d) {
        return String.format(Locale.ROOT, "%s, compute capability %d.%d, %d multiprocessors, %.1f GiB, %.1f free%s",
                d.name, d.major, d.minor, d.multiprocessors, gib(d.memory), gib(d.freeMemory),
                d.usable ? "" : "; not usable: 7.5 or newer is needed");
    }

    private static double gib(long bytes) {
        return bytes / (double) (1 << 30);
    }

    /** Compares the bytes of a back end with those of plain C. */
    private static String test(int backend) {
        try {
            NativeDevices.SelfTest test = NativeDevices.selfTest(ContextOptions.of(backend, 0));
            return test.agrees ? String.format(Locale.ROOT, "%s: the same bytes as plain C, %.0f ms", PASSED,
                    test.seconds * 1000) : FAILED + "other bytes than plain C";
        } catch (EndoramaException e) {
            return FAILED + e.getMessage();
        }
    }

    /** Registers a small demo sequence and compares it with its truth. */
    private static String check() {
        NativeDemo.Options options = new NativeDemo.Options();
        options.width = 320;
        options.height = 240;
        options.frames = 6;
        options.rotation = 0;
        options.zoom = 0;
        long start = System.nanoTime();
        try (DemoSequence demo = new DemoSequence(options);
                MosaicResult result = new MosaicSession(demo, MosaicParameters.defaults(), Progress.NONE).run()) {
            double error = Drift.of(result.saved(), demo.truth(), demo.width(), demo.height()).meanPairError();
            boolean good = result.registered() == options.frames && error < 1;
            return String.format(Locale.ROOT, "%s: %d of %d frames registered, pair error %.3f px, %.0f ms",
                    good ? PASSED : "failed", result.registered(), options.frames, error,
                    (System.nanoTime() - start) / 1e6);
        } catch (FrameReadException | RuntimeException e) {
            return FAILED + e.getMessage();
        }
    }
}
