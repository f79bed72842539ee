package endorama.cli;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.mosaic.FrameRow;
import endorama.core.mosaic.MosaicResult;
import endorama.core.mosaic.MosaicSession;
import endorama.core.options.MosaicParameters;
import endorama.core.transforms.DemoSequence;
import endorama.core.transforms.Transform;
import endorama.jni.NativeDemo;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.Locale;

/**
 * Benchmark of transforms and their deviations where a plane is tilted or seen through a lens, as lines of a table: a simulated
 * scope views a picture of the demo sequence on a known path, so that the pose of every frame is known.
 */
final class TruthBench {
    private static final int[] SHORT = {8, 12, 16};
    /** Largest acceptable error of a frame, in its deviations. */
    private static final double MOST = 3;
    /** Points along a side of a frame where transforms are compared. */
    private static final int GRID = 10;

    private final PrintStream out;
    private final int[] scene;

    /** Takes the middle of a frame twice as wide as the scene, where its light is nearly even. */
    private TruthBench(PrintStream out) throws FrameReadException {
        this.out = out;
        NativeDemo.Options options = new NativeDemo.Options();
        options.width = 2 * ScopeFrames.SCENE;
        options.height = 2 * ScopeFrames.SCENE;
        options.frames = 2;
        options.noise = 0;
        options.flicker = 0;
        options.highlights = 0;
        scene = new int[ScopeFrames.SCENE * ScopeFrames.SCENE];
        try (DemoSequence demo = new DemoSequence(options)) {
            int[] pixels = (int[]) demo.pixels(0);
            int side = ScopeFrames.SCENE;
            for (int i = 0; i < side; i++) {
                System.arraycopy(pixels, (side / 2 + i) * options.width + side / 2, scene, i * side, side);
            }
        }
    }

    /** Runs all sequences, and the first frames of some. */
    static void run(PrintStream out) throws FrameReadException {
        TruthBench bench = new TruthBench(out);
        out.println("Places of frames against the first one, px, root mean square over the frame: without motion, by the"
                + " transforms, of the\nworst frame; frames further off than " + (int) MOST + " deviations; the median"
                + " deviation; what the log says.");
        out.println(String.format("%-22s %-7s %6s %9s %8s %8s %6s %9s  %s", "sequence", "warp", "frames", "no motion", "drift",
                "worst", "over", "deviation", "said"));
        double[][] amounts = {{0, 10, 25, 45}, {10, 20, 35}, {-3, -6, -12}};
        for (ScopeFrames.Way way : ScopeFrames.Way.values()) {
            for (double amount : amounts[way.ordinal()]) {
                bench.measure(way, amount, ScopeFrames.ALL);
            }
        }
        for (int frames : SHORT) {
            bench.measure(ScopeFrames.Way.TILTED, 0, frames);
            bench.measure(ScopeFrames.Way.TILTED, 45, frames);
            bench.measure(ScopeFrames.Way.TILTING, 20, frames);
            bench.measure(ScopeFrames.Way.DISTORTED, -12, frames);
        }
    }

    private void measure(ScopeFrames.Way way, double amount, int frames) throws FrameReadException {
        ScopeFrames sequence = new ScopeFrames(way, amount, frames, scene);
        for (String warp : new String[] {"Affine", "Auto"}) {
            MosaicParameters parameters = MosaicParameters.defaults().with("backend", "CPU").with("warp", warp);
            try (MosaicResult result = new MosaicSession(sequence, parameters, Progress.NONE).run()) {
                print(sequence, warp, result);
            }
        }
    }

    private void print(ScopeFrames sequence, String warp, MosaicResult result) {
        Transform back = sequence.view(0).inverse();
        int n = 0;
        int over = 0;
        double[] squares = new double[2];
        double worst = 0;
        double[] deviations = new double[sequence.count()];
        for (FrameRow row : result.rows()) {
            if (!row.registered || row.part != 1 || row.frame == 1) {
                continue;
            }
            Transform truth = back.multiply(sequence.view(row.frame - 1));
            double off = distance(row.transform, truth);
            squares[0] += Math.pow(distance(Transform.IDENTITY, truth), 2);
            squares[1] += off * off;
            worst = Math.max(worst, off);
            over += off > MOST * row.deviation ? 1 : 0;
            deviations[n++] = row.deviation;
        }
        Arrays.sort(deviations, 0, n);
        out.println(String.format(Locale.ROOT, "%-22s %-7s %6d %9.1f %8.2f %8.2f %6d %9.3f  %s", sequence.name(), warp, n + 1,
                Math.sqrt(squares[0] / Math.max(1, n)), Math.sqrt(squares[1] / Math.max(1, n)), worst, over,
                n == 0 ? Double.NaN : deviations[n / 2], said(result)));
    }

    /** Root mean square distance of two transforms over a frame, px. */
    private static double distance(Transform a, Transform b) {
        double sum = 0;
        for (int i = 0; i < GRID * GRID; i++) {
            double x = (i % GRID + 0.5) * ScopeFrames.WIDTH / GRID - 0.5;
            double y = (i / GRID + 0.5) * ScopeFrames.HEIGHT / GRID - 0.5;
            sum += Math.pow(a.applyX(x, y) - b.applyX(x, y), 2) + Math.pow(a.applyY(x, y) - b.applyY(x, y), 2);
        }
        return Math.sqrt(sum / (GRID * GRID));
    }

    /** The messages of the run about planes and lenses. */
    private static String said(MosaicResult result) {
        StringBuilder said = new StringBuilder();
        for (String line : result.log()) {
            if (line.contains("a tilted plane is seen") || line.contains("lens distortion of")) {
                said.append(said.length() == 0 ? "" : "; ").append(line);
            }
        }
        return said.length() == 0 ? "-" : said.toString();
    }
}
