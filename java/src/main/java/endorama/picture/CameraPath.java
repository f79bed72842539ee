package endorama.picture;

import endorama.core.frames.Frames;
import endorama.core.mosaic.FrameRow;
import endorama.core.mosaic.MosaicResult;
import endorama.core.paint.Panorama;
import endorama.core.transforms.Transform;
import ij.gui.OvalRoi;
import ij.gui.Overlay;
import ij.gui.PolygonRoi;
import ij.gui.Roi;
import java.awt.Color;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * The overlay of a panorama: the path of the frames' centres, from green (first) to red (last), orange where their position is
 * uncertain, and optionally the outline of what every frame shows. Coordinates of transforms count from the middle of a pixel,
 * those of an overlay from its corner, hence the halves.
 */
public final class CameraPath {
    private static final Color PATH = new Color(255, 221, 0);
    private static final Color FIRST = new Color(0, 200, 83);
    private static final Color LAST = new Color(229, 57, 53);
    private static final Color OUTLINE = new Color(255, 255, 255, 96);
    private static final Color UNCERTAIN = new Color(255, 128, 0);

    private CameraPath() {
    }

    /** Frame -&gt; panorama, px, one a frame; null for a frame of another component; components are numbered from 1. */
    public static List<Transform> poses(MosaicResult result, int component) {
        List<Transform> poses = new ArrayList<Transform>();
        Panorama panorama = result.panoramas().get(component - 1);
        Transform origin = panorama.transform();
        for (FrameRow row : result.rows()) {
            poses.add(row.registered && row.part == component ? origin.multiply(row.transform) : null);
        }
        return poses;
    }

    /** The overlay of a component of a run over frames of a size, px. */
    public static Overlay of(MosaicResult result, int component, int width, int height, boolean outlines) {
        List<Transform> poses = poses(result, component);
        List<FrameRow> rows = result.rows();
        Overlay overlay = draw(poses, i -> rows.get(i).frame, width, height,
                outlines ? FieldOutline.of(result.mask(), width, height) : null);
        for (int first = 0; first < poses.size();) {
            int end = first + 1;
            if (poses.get(first) != null && rows.get(first).isUncertain()) {
                List<double[]> middles = new ArrayList<double[]>();
                middles.add(middle(poses.get(first), width, height));
                while (end < poses.size() && poses.get(end) != null && rows.get(end).isUncertain()) {
                    middles.add(middle(poses.get(end++), width, height));
                }
                String name = "uncertain " + Frames.range(rows.get(first).frame, rows.get(end - 1).frame);
                add(overlay, end == first + 1 ? dot(middles.get(0), 3) : polygon(middles, Roi.POLYLINE), UNCERTAIN,
                        end == first + 1 ? 0 : 4, name);
                colour(overlay, rows.subList(first, end));
            }
            first = end;
        }
        return overlay;
    }

    /** Colours the outlines of frames, where they are drawn. */
    private static void colour(Overlay overlay, List<FrameRow> rows) {
        for (FrameRow row : rows) {
            Roi outline = overlay.get("frame " + row.frame);
            if (outline != null) {
                outline.setStrokeColor(UNCERTAIN);
            }
        }
    }

    /**
     * The overlay of frames with poses.
     *
     * @param poses frame to panorama pixels; null for a frame not painted
     * @param number of a frame, by its index
     * @param outline corners of what a frame shows, px; null: no outlines are drawn
     */
    public static Overlay draw(List<Transform> poses, IntUnaryOperator number, int width, int height, List<double[]> outline) {
        Overlay overlay = new Overlay();
        List<double[]> middles = new ArrayList<double[]>();
        for (int i = 0; i < poses.size(); i++) {
            Transform m = poses.get(i);
            if (m != null) {
                middles.add(middle(m, width, height));
                if (outline != null) {
                    List<double[]> corners = new ArrayList<double[]>();
                    for (double[] corner : outline) {
                        corners.add(map(m, corner[0], corner[1]));
                    }
                    add(overlay, polygon(corners, Roi.POLYGON), OUTLINE, 1, "frame " + number.applyAsInt(i));
                }
            }
        }
        if (middles.size() > 1) {
            add(overlay, polygon(middles, Roi.POLYLINE), PATH, 2, "camera path");
            add(overlay, dot(middles.get(middles.size() - 1), 5), LAST, 0, "last frame");
        }
        if (!middles.isEmpty()) {
            add(overlay, dot(middles.get(0), 5), FIRST, 0, "first frame");
        }
        return overlay;
    }

    private static double[] middle(Transform m, int width, int height) {
        return map(m, (width - 1) / 2.0, (height - 1) / 2.0);
    }

    private static double[] map(Transform m, double x, double y) {
        return new double[] {m.applyX(x, y) + 0.5, m.applyY(x, y) + 0.5};
    }

    private static Roi polygon(List<double[]> points, int type) {
        float[] x = new float[points.size()];
        float[] y = new float[points.size()];
        for (int i = 0; i < x.length; i++) {
            x[i] = (float) points.get(i)[0];
            y[i] = (float) points.get(i)[1];
        }
        return new PolygonRoi(x, y, type);
    }

    private static Roi dot(double[] point, double radius) {
        return new OvalRoi(point[0] - radius, point[1] - radius, 2 * radius, 2 * radius);
    }

    /** Adds a shape; width 0: filled. */
    private static void add(Overlay overlay, Roi roi, Color color, double width, String name) {
        if (width > 0) {
            roi.setStrokeColor(color);
            roi.setStrokeWidth(width);
        } else {
            roi.setFillColor(color);
        }
        roi.setName(name);
        overlay.add(roi);
    }
}
