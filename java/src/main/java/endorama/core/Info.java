package endorama.core;

import endorama.jni.EndoramaException;
import endorama.jni.NativeContext;
import endorama.jni.NativeDemo;
import endorama.jni.NativeLibrary;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What a report of a problem should contain, and whether the library works here. */
public final class Info {
    private static final String CHECK = "self-check";
    private static final String PASSED = "passed";

    private Info() {
    }

    /** Name -&gt; value, in the order to show. Never throws for a library that does not load: it then says why. */
    public static Map<String, String> collect() {
        Map<String, String> info = new LinkedHashMap<String, String>();
        info.put("endorama", NativeLibrary.VERSION);
        info.put("java", System.getProperty("java.version") + " (" + System.getProperty("java.vendor") + "), heap "
                + Runtime.getRuntime().maxMemory() / (1 << 20) + " MiB");
        info.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch") + ", " + Runtime.getRuntime().availableProcessors() + " processors");
        try {
            info.put("library", NativeLibrary.version() + " from " + NativeLibrary.origin());
            info.put("backend", describe(NativeContext.AUTO));
            info.put("cpu", describe(NativeContext.CPU));
            info.put("cuda", describe(NativeContext.CUDA));
            info.put(CHECK, check());
        } catch (EndoramaException e) {
            info.put("library", e.getMessage());
            info.put(CHECK, "failed: the library does not load");
        }
        return info;
    }

    /** The library loads and computes what it should. */
    public static boolean healthy(Map<String, String> info) {
        return String.valueOf(info.get(CHECK)).startsWith(PASSED);
    }

    private static String describe(int backend) {
        try (NativeContext context = NativeContext.create(backend, 0)) {
            return context.description();
        } catch (EndoramaException e) {
            return "not usable: " + e.getMessage();
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
        try (DemoSequence demo = new DemoSequence(options)) {
            MosaicResult result = new MosaicSession(demo, MosaicParameters.defaults(), Progress.NONE).run();
            double error = Drift.of(result.saved(), demo.truth(), demo.width(), demo.height()).meanPairError();
            boolean good = result.registered() == options.frames && error < 1;
            return String.format(Locale.ROOT, "%s: %d of %d frames registered, pair error %.3f px, %.0f ms",
                    good ? PASSED : "failed", result.registered(), options.frames, error,
                    (System.nanoTime() - start) / 1e6);
        } catch (FrameReadException | RuntimeException e) {
            return "failed: " + e.getMessage();
        }
    }
}
