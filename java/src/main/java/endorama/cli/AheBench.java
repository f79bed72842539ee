package endorama.cli;

import endorama.core.common.Progress;
import endorama.core.equalize.EqualizeParameters;
import endorama.core.equalize.Equalizer;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelType;
import endorama.core.options.Commands;
import endorama.core.transforms.DemoSequence;
import endorama.jni.EndoramaException;
import endorama.jni.NativeDemo;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.Locale;

/**
 * Benchmark of adaptive equalization from Java array to Java array, as CSV lines: operation, size and type, options, back end,
 * median milliseconds an image. The images are of the demo sequence.
 */
final class AheBench {
    private static final int REPEATS = 21;
    private static final int LEAST_REPEATS = 3;
    /** Seconds after which a median of fewer repeats suffices. */
    private static final double PATIENCE = 2;
    private static final int[][] SIZES = {{4096, 4096}, {1280, 1024}};
    private static final String[] OPTIONS = {"window=63 limit=0", "window=255 limit=0", "window=511 limit=0",
        "window=63 limit=3"};

    private final int threads;
    private final PrintStream out;

    private AheBench(int threads, PrintStream out) {
        this.threads = threads;
        this.out = out;
    }

    /** Back ends, such as CPU,CUDA, and CPU threads, 0: all. */
    static void run(String backEnds, int threads, PrintStream out) throws FrameReadException {
        AheBench bench = new AheBench(threads, out);
        for (int[] size : SIZES) {
            int[] colours = picture(size[0], size[1]);
            byte[] grey = new byte[colours.length];
            short[] deep = new short[colours.length];
            for (int i = 0; i < grey.length; i++) {
                grey[i] = (byte) (colours[i] >> 8);
                deep[i] = (short) ((colours[i] & 0xffff) * 3 >> 2);
            }
            for (String backEnd : backEnds.split(",")) {
                bench.measure(backEnd, PixelType.GREY8, size, grey);
                bench.measure(backEnd, PixelType.GREY16, size, deep);
                bench.measure(backEnd, PixelType.RGB32, size, colours);
            }
        }
    }

    private static int[] picture(int width, int height) throws FrameReadException {
        NativeDemo.Options options = new NativeDemo.Options();
        options.width = width;
        options.height = height;
        options.frames = 2;
        try (DemoSequence demo = new DemoSequence(options)) {
            return (int[]) demo.pixels(0);
        }
    }

    private void measure(String backEnd, PixelType type, int[] size, Object pixels) {
        Object result = type.array(size[0] * size[1]);
        for (String line : OPTIONS) {
            EqualizeParameters parameters = EqualizeParameters.of(Commands.AHE.parseMacro(line)).with("field", "Whole")
                    .with("backend", backEnd).withThreads(threads);
            try (Equalizer equalizer = new Equalizer(parameters, REPEATS)) {
                Runnable once = () -> equalizer.apply(type, size[0], size[1], pixels, null, result, Progress.NONE);
                out.println(String.format(Locale.ROOT, "ahe,%dx%d %s,%s,%s,%.2f", size[0], size[1], type, line, backEnd,
                        median(once)));
            } catch (EndoramaException e) {
                System.err.println(backEnd + ": " + e.getMessage());
                return;
            }
        }
    }

    /** Median time of a run, ms, without the first repeats. */
    private static double median(Runnable once) {
        for (double spent = 0, i = 0; i < LEAST_REPEATS && spent < PATIENCE; i++) {
            spent += seconds(once);
        }
        double[] ms = new double[REPEATS];
        int n = 0;
        for (double spent = 0; n < REPEATS && (n < LEAST_REPEATS || spent < PATIENCE); n++) {
            double seconds = seconds(once);
            spent += seconds;
            ms[n] = 1e3 * seconds;
        }
        Arrays.sort(ms, 0, n);
        return ms[n / 2];
    }

    private static double seconds(Runnable once) {
        long start = System.nanoTime();
        once.run();
        return (System.nanoTime() - start) / 1e9;
    }
}
