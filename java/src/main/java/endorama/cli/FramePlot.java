package endorama.cli;

import endorama.core.mosaic.FrameRow;
import endorama.core.mosaic.MosaicResult;
import ij.gui.Plot;
import ij.process.ColorProcessor;
import ij.process.ImageProcessor;
import java.awt.Color;

/** Curves of the registration of a mosaic, frame by frame. */
final class FramePlot {
    private static final int PLOT_WIDTH = 800;
    private static final int PLOT_HEIGHT = 260;

    private FramePlot() {
    }

    /** The quality by frame, and below it the distance of each frame from the first one along both axes. */
    static ImageProcessor draw(MosaicResult result) {
        int n = result.rows().size();
        double[] frame = new double[n];
        double[] quality = new double[n];
        double[] x = new double[n];
        double[] y = new double[n];
        for (int i = 0; i < n; i++) {
            FrameRow row = result.rows().get(i);
            frame[i] = row.frame;
            quality[i] = row.quality;
            x[i] = row.registered ? row.transform.m02 : Double.NaN;
            y[i] = row.registered ? row.transform.m12 : Double.NaN;
        }
        Plot upper = curves("quality", frame, quality, null);
        upper.setLimits(1, Math.max(2, n), 0, 1);
        return below(upper.getProcessor(), curves("place, px", frame, x, y).getProcessor());
    }

    private static Plot curves(String what, double[] frame, double[] one, double[] other) {
        Plot plot = new Plot(what, "frame", what);
        plot.setSize(PLOT_WIDTH, PLOT_HEIGHT);
        plot.setLineWidth(2);
        plot.setColor(new Color(31, 119, 180));
        plot.addPoints(frame, one, Plot.LINE);
        if (other != null) {
            plot.setColor(new Color(214, 39, 40));
            plot.addPoints(frame, other, Plot.LINE);
            plot.setColor(Color.BLACK);
            plot.addLegend("x\ny");
        }
        plot.setColor(Color.BLACK);
        plot.setLimitsToFit(true);
        return plot;
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
