package endorama.cli;

import endorama.core.common.Progress;
import endorama.core.exposures.ExposureParameters;
import endorama.core.exposures.ExposureResult;
import endorama.core.exposures.ExposureSession;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelType;
import endorama.core.options.Commands;
import endorama.core.transforms.DemoSequence;
import endorama.jni.EndoramaException;
import endorama.jni.NativeDemo;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.Locale;

/**
 * The alignment of a bracketed video from Java arrays to shifts, as CSV lines: what, size and type, back end, frames
 * a second (median of runs). The video goes to and fro over frames of the demo sequence in three exposures.
 */
final class ExposuresBench {
    private static final int REPEATS = 5;
    private static final int RENDERED = 12;
    private static final double[] GAINS = {0.4, 0.9, 1.8};
    /** Width, height, frames. */
    private static final int[][] VIDEOS = {{640, 480, 2000}, {1280, 1024, 500}, {4000, 3000, 48}};

    private final PixelType type;
    private final FrameSource sequence;

    private ExposuresBench(int[] video, PixelType type) throws FrameReadException {
        this.type = type;
        Object[] rendered = new Object[RENDERED];
        NativeDemo.Options options = new NativeDemo.Options();
        options.width = video[0];
        options.height = video[1];
        options.frames = 60;
        options.rotation = 0;
        options.zoom = 0;
        try (DemoSequence demo = new DemoSequence(options)) {
            for (int i = 0; i < RENDERED; i++) {
                rendered[i] = exposed((int[]) demo.pixels(i), GAINS[i % GAINS.length]);
            }
        }
        sequence = new ToAndFro(type, video[0], video[1], rendered, video[2]);
    }

    private Object exposed(int[] colours, double gain) {
        Object pixels = type.array(colours.length);
        for (int i = 0; i < colours.length; i++) {
            int r = light(colours[i] >> 16, gain);
            int g = light(colours[i] >> 8, gain);
            if (type == PixelType.RGB32) {
                ((int[]) pixels)[i] = 0xff000000 | r << 16 | g << 8 | light(colours[i], gain);
            } else {
                ((byte[]) pixels)[i] = (byte) g;
            }
        }
        return pixels;
    }

    private static int light(int value, double gain) {
        return (int) Math.min(255, (value & 0xff) * gain);
    }

    /** Back ends, such as CPU,CUDA, and CPU threads, 0: all. */
    static void run(String backEnds, int threads, PrintStream out) throws FrameReadException {
        for (int[] video : VIDEOS) {
            for (PixelType type : new PixelType[] {PixelType.GREY8, PixelType.RGB32}) {
                ExposuresBench frames = new ExposuresBench(video, type);
                for (String backEnd : backEnds.split(",")) {
                    frames.measure(backEnd, threads, out);
                }
            }
        }
    }

    private void measure(String backEnd, int threads, PrintStream out) throws FrameReadException {
        ExposureParameters parameters = ExposureParameters.of(Commands.EXPOSURES.parseMacro("backend=" + backEnd))
                .withThreads(threads);
        double[] rates = new double[REPEATS];
        try {
            for (int i = -1; i < REPEATS; i++) {
                ExposureResult result = new ExposureSession(sequence, parameters, Progress.NONE).run();
                if (result.failure() != null) {
                    throw result.failure();
                }
                if (i >= 0) {
                    rates[i] = sequence.count() / result.seconds();
                } else {
                    System.err.println(backEnd + ": " + result.backend() + ", " + result.summary());
                }
            }
        } catch (EndoramaException e) {
            System.err.println(backEnd + ": " + e.getMessage());
            return;
        }
        Arrays.sort(rates);
        out.println(String.format(Locale.ROOT, "exposures,%dx%d %s,%s,%.1f", sequence.width(),
                sequence.height(), type, backEnd, rates[REPEATS / 2]));
    }
}
