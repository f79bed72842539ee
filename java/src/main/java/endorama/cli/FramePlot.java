package endorama.cli;

import endorama.core.mosaic.FrameRow;
import endorama.core.mosaic.MosaicResult;
import ij.gui.Plot;
import ij.process.ColorProcessor;
import ij.process.ImageProcessor;
import java.awt.Color;
import java.util.ArrayList;
import java.util.List;

/** Curves of the registration of a mosaic, frame by frame. */
final class FramePlot {
    private static final int PLOT_WIDTH = 800;
    private static final int PLOT_HEIGHT = 260;
    private static final Color[] CURVES = {new Color(31, 119, 180), new Color(214, 39, 40)};
    private static final Color UNCERTAIN = new Color(255, 205, 120);
    private static final Color MISSING = new Color(205, 205, 205);
    private static final Color BORDER = new Color(107, 33, 168);

    private FramePlot() {
    }

    /**
     * The quality by frame, and below it the distance of each frame from the first one along both axes, of the frames of a
     * panorama, numbered from 1. Frames of uncertain position are orange, those missing grey, and lines bound panoramas.
     */
    static ImageProcessor draw(MosaicResult result, int component) {
        int n = result.rows().size();
        double[] frame = new double[n];
        double[] quality = new double[n];
        double[] x = new double[n];
        double[] y = new double[n];
        for (int i = 0; i < n; i++) {
            FrameRow row = result.rows().get(i);
            boolean isIn = row.registered && row.part == component;
            frame[i] = row.frame;
            quality[i] = isIn ? row.quality : Double.NaN;
            x[i] = isIn ? row.transform.m02 : Double.NaN;
            y[i] = isIn ? row.transform.m12 : Double.NaN;
        }
        return below(curves("quality", result.rows(), new double[] {0, 1}, frame, quality),
                curves("place, px", result.rows(), limits(x, y), frame, x, y));
    }

    /** Least and largest of the values, with a margin. */
    private static double[] limits(double[]... curves) {
        double least = Double.POSITIVE_INFINITY;
        double most = Double.NEGATIVE_INFINITY;
        for (double[] curve : curves) {
            for (double value : curve) {
                least = value < least ? value : least;
                most = value > most ? value : most;
            }
        }
        double margin = Math.max(1, (most - least) / 20);
        return least > most ? new double[] {0, 1} : new double[] {least - margin, most + margin};
    }

    private static ImageProcessor curves(String what, List<FrameRow> rows, double[] limits, double[] frame, double[]... curves) {
        Plot plot = new Plot(what, "frame", what);
        plot.setSize(PLOT_WIDTH, PLOT_HEIGHT);
        plot.setLimits(1, Math.max(2, rows.size()), limits[0], limits[1]);
        marks(plot, rows, limits);
        plot.setLineWidth(2);
        for (int i = 0; i < curves.length; i++) {
            plot.setColor(CURVES[i]);
            plot.addPoints(frame, curves[i], Plot.LINE);
        }
        plot.setColor(Color.BLACK);
        plot.setLineWidth(1);
        if (curves.length > 1) {
            plot.addLabel(0.01, 0.08, "blue x, red y");
        } else {
            plot.addLabel(0.01, 0.97, legend(rows)); // below the curve: most pairs match well
        }
        return plot.getProcessor();
    }

    /** A line below the plot: what each colour means that lies behind its curves. */
    private static String legend(List<FrameRow> rows) {
        List<String> words = new ArrayList<String>();
        if (rows.stream().anyMatch(FrameRow::isUncertain)) {
            words.add("orange: position uncertain");
        }
        if (rows.stream().anyMatch(row -> !row.registered)) {
            words.add("grey: missing");
        }
        if (rows.stream().anyMatch(row -> row.registered && row.part > 1)) {
            words.add("line: another panorama begins");
        }
        return String.join(", ", words);
    }

    /** Draws what is uncertain or missing behind the curves, and where a panorama ends and another begins. */
    private static void marks(Plot plot, List<FrameRow> rows, double[] limits) {
        int part = 0;
        plot.setLineWidth(Math.max(1, PLOT_WIDTH / Math.max(1, rows.size())));
        for (FrameRow row : rows) {
            if (!row.registered || row.isUncertain()) {
                plot.setColor(row.registered ? UNCERTAIN : MISSING);
                plot.drawLine(row.frame, limits[0], row.frame, limits[1]);
            }
        }
        plot.setLineWidth(1);
        for (FrameRow row : rows) {
            if (row.registered && part > 0 && row.part != part) {
                plot.setColor(BORDER);
                plot.drawLine(row.frame - 0.5, limits[0], row.frame - 0.5, limits[1]);
            }
            part = row.registered ? row.part : part;
        }
    }

    private static ImageProcessor below(ImageProcessor upper, ImageProcessor lower) {
        ColorProcessor both = new ColorProcessor(Math.max(upper.getWidth(), lower.getWidth()),
                upper.getHeight() + lower.getHeight());
        both.setColor(Color.WHITE);
        both.fill();
        both.insert(upper.convertToRGB(), 0, 0);
        both.insert(lower.convertToRGB(), 0, upper.getHeight());
        return both;
    }
}
