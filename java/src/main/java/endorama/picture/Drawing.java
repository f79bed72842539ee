package endorama.picture;

import ij.gui.OvalRoi;
import ij.gui.Overlay;
import ij.gui.Roi;
import ij.process.FloatPolygon;
import java.awt.BasicStroke;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import java.awt.image.BufferedImage;
import java.awt.image.DataBufferInt;

/** Draws lines and dots into a picture in memory; ImageJ needs a window to draw an overlay. */
public final class Drawing {
    /** Radius of a dot, px of the picture. */
    private static final double DOT = 5;

    private Drawing() {
    }

    /** pixels: RGB, copied to the upper left corner. */
    public static BufferedImage picture(int[] pixels, int width, int height, int wholeWidth, int wholeHeight) {
        BufferedImage picture = new BufferedImage(wholeWidth, wholeHeight, BufferedImage.TYPE_INT_RGB);
        int[] to = ((DataBufferInt) picture.getRaster().getDataBuffer()).getData();
        for (int y = 0; y < height; y++) {
            System.arraycopy(pixels, y * width, to, y * wholeWidth, width);
        }
        return picture;
    }

    /** Draws the overlay of an image that is larger than the picture by a factor. */
    static void draw(Overlay overlay, double times, BufferedImage picture) {
        Graphics2D graphics = picture.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        for (Roi roi : overlay.toArray()) {
            if (roi instanceof OvalRoi) {
                double x = roi.getFloatBounds().getCenterX() / times;
                double y = roi.getFloatBounds().getCenterY() / times;
                graphics.setColor(roi.getFillColor());
                graphics.fill(new Ellipse2D.Double(x - DOT, y - DOT, 2 * DOT, 2 * DOT));
            } else {
                graphics.setColor(roi.getStrokeColor());
                graphics.setStroke(new BasicStroke(roi.getStrokeWidth()));
                graphics.draw(path(roi, times));
            }
        }
        graphics.dispose();
    }

    private static Path2D path(Roi roi, double times) {
        FloatPolygon points = roi.getFloatPolygon();
        Path2D path = new Path2D.Double();
        for (int i = 0; i < points.npoints; i++) {
            double x = points.xpoints[i] / times;
            double y = points.ypoints[i] / times;
            if (i == 0) {
                path.moveTo(x, y);
            } else {
                path.lineTo(x, y);
            }
        }
        if (points.npoints > 0 && roi.getType() != Roi.POLYLINE) {
            path.closePath();
        }
        return path;
    }
}
