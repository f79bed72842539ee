package endorama.cli;

import endorama.core.common.Progress;
import endorama.core.common.RunTimes;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelType;
import endorama.core.mosaic.MosaicResult;
import endorama.core.mosaic.MosaicSession;
import endorama.core.options.MosaicParameters;
import endorama.core.transforms.DemoSequence;
import endorama.jni.EndoramaException;
import endorama.jni.NativeDemo;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Locale;

/**
 * Benchmark of the whole plugin, from Java arrays to the finished panorama, as CSV lines (operation, size, setting, back end,
 * number): end_to_end and the split of its time, by method, solve and painting, the defaults first. The back end CUDA:2 is the
 * first two devices together, CUDA:4 four. The sequence goes to and fro over the frames that were rendered.
 */
public final class Bench {
    private static final int REPEATS = 3;
    /** Method, solve and painting. */
    private static final String[][] SETTINGS = {{"Best", "Global", "Blend"}, {"Best", "None", "Union"},
        {"Paper", "None", "Union"}};
    private static final String USAGE = "usage: Bench [WIDTHxHEIGHT [RENDERED [FRAMES [CPU,CUDA,CUDA:2 [THREADS]]]]]\n"
            + "       Bench ahe|exposures [CPU,CUDA [THREADS]]\n"
            + "       Bench truth";

    private final int width;
    private final int height;
    private final int count;
    private final FrameSource sequence;

    private Bench(int width, int height, int wanted, int count) throws FrameReadException {
        this.width = width;
        this.height = height;
        this.count = count;
        // A third of the heap at most: the panorama and its copies need the rest.
        long fitting = Runtime.getRuntime().maxMemory() / 3 / (4L * width * height);
        int[][] rendered = new int[(int) Math.max(2, Math.min(wanted, fitting))][];
        NativeDemo.Options options = new NativeDemo.Options();
        options.width = width;
        options.height = height;
        options.frames = Math.max(60, rendered.length);
        try (DemoSequence demo = new DemoSequence(options)) {
            for (int i = 0; i < rendered.length; i++) {
                rendered[i] = (int[]) demo.pixels(i);
            }
        }
        sequence = new ToAndFro(PixelType.RGB32, width, height, rendered, count);
    }

    /**
     * Arguments: ahe or exposures, back ends, CPU threads (see AheBench, ExposuresBench); or truth (see TruthBench); or size,
     * frames to render, frames to register, back ends, CPU threads: 1280x1024 60 1000 CPU,CUDA 0.
     */
    public static void main(String[] args) {
        System.setProperty("java.awt.headless", "true");
        int code = Main.LIBRARY;
        try {
            code = run(args);
        } catch (Throwable e) {
            code = Main.report(e, new PrintWriter(System.err, true));
        } finally {
            System.exit(code);
        }
    }

    private static int run(String[] args) throws FrameReadException {
        if (args.length > 0 && args[0].equals("ahe")) {
            AheBench.run(args.length > 1 ? args[1] : "CPU,CUDA", number(args, 2, 0), System.out);
            return Main.DONE;
        }
        if (args.length > 0 && args[0].equals("exposures")) {
            ExposuresBench.run(args.length > 1 ? args[1] : "CPU,CUDA", number(args, 2, 0), System.out);
            return Main.DONE;
        }
        if (args.length > 0 && args[0].equals("truth")) {
            TruthBench.run(System.out);
            return Main.DONE;
        }
        String size = args.length > 0 ? args[0] : "1280x1024";
        if (!size.matches("[0-9]{1,5}x[0-9]{1,5}")) {
            System.err.println("size " + size + ": must be WIDTHxHEIGHT\n" + USAGE);
            return Main.USAGE;
        }
        String[] sides = size.split("x");
        Bench bench = new Bench(Integer.parseInt(sides[0]), Integer.parseInt(sides[1]), number(args, 1, 60),
                number(args, 2, 1000));
        for (String backend : (args.length > 3 ? args[3] : "CPU,CUDA").split(",")) {
            try {
                bench.run(backend, number(args, 4, 0), System.out);
            } catch (EndoramaException e) {
                System.err.println(backend + ": " + e.getMessage());
            }
        }
        return Main.DONE;
    }

    private static int number(String[] args, int i, int fallback) {
        if (args.length > i && !args[i].matches("[0-9]{1,9}")) {
            throw new IllegalArgumentException("argument " + (i + 1) + ", " + args[i] + ": must be a number\n" + USAGE);
        }
        return args.length > i ? Integer.parseInt(args[i]) : fallback;
    }

    private void run(String backend, int threads, PrintStream out) throws FrameReadException {
        for (String[] setting : SETTINGS) {
            run(backend, threads, setting, out);
        }
    }

    /** Numbers of the first devices, as many as the back end names (CUDA:4: 0,1,2,3); empty for CUDA and CPU. */
    static String devices(String backend) {
        int n = backend.matches("CUDA:[1-8]") ? backend.charAt(5) - '0' : 0;
        StringBuilder numbers = new StringBuilder();
        for (int i = 0; i < n; i++) {
            numbers.append(i == 0 ? "" : ",").append(i);
        }
        return numbers.toString();
    }

    private void run(String backend, int threads, String[] setting, PrintStream out) throws FrameReadException {
        String name = String.join(" ", setting);
        MosaicParameters parameters = MosaicParameters.defaults().with("backend", backend.replaceFirst(":.*", ""))
                .with("devices", devices(backend)).withThreads(threads).with("method", setting[0])
                .with("solve", setting[1]).with("painting", setting[2]);
        double[] rates = new double[REPEATS];
        MosaicResult[] results = new MosaicResult[REPEATS];
        mosaic(parameters).close();
        for (int i = 0; i < REPEATS; i++) {
            results[i] = mosaic(parameters);
            rates[i] = count / results[i].seconds();
        }
        double median = median(rates);
        for (int i = 0; i < REPEATS; i++) {
            if (rates[i] == median) {
                System.err.println(backend + ", " + name + ": " + results[i].backend() + ", " + results[i].registered() + " of " + count
                        + " frames, panorama " + results[i].panorama().width() + " x " + results[i].panorama().height());
                line(out, "end_to_end", name, backend, median);
                split(out, name, backend, results[i]);
                break;
            }
        }
        for (MosaicResult result : results) {
            result.close();
        }
    }

    private MosaicResult mosaic(MosaicParameters parameters) throws FrameReadException {
        MosaicResult result = new MosaicSession(sequence, parameters, Progress.NONE).run();
        if (result.failure() != null) {
            throw result.failure();
        }
        return result;
    }

    /** Microseconds a frame, including what is done once a run: the start of the back end, the field of view. */
    private void split(PrintStream out, String name, String backend, MosaicResult result) {
        RunTimes t = result.times();
        double known = t.start + t.field + t.read + t.put + t.register + t.loops + t.light + t.paint
                + t.panorama;
        line(out, "split_start_us", name, backend, t.start * 1e6 / count);
        line(out, "split_field_us", name, backend, t.field * 1e6 / count);
        line(out, "split_read_us", name, backend, t.read * 1e6 / count);
        line(out, "split_put_us", name, backend, t.put * 1e6 / count);
        line(out, "split_register_us", name, backend, t.register * 1e6 / count);
        line(out, "split_loops_us", name, backend, t.loops * 1e6 / count);
        line(out, "split_light_us", name, backend, t.light * 1e6 / count);
        line(out, "split_paint_us", name, backend, t.paint * 1e6 / count);
        line(out, "split_panorama_us", name, backend, t.panorama * 1e6 / count);
        line(out, "split_rest_us", name, backend, (result.seconds() - known) * 1e6 / count);
    }

    /** The median; of an even number of values the upper of the two in the middle. */
    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private void line(PrintStream out, String what, String setting, String backend, double value) {
        out.println(what + "," + width + "x" + height + "," + setting + "," + backend + ","
                + String.format(Locale.ROOT, "%.1f", value));
    }
}
