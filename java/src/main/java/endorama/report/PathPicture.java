package endorama.report;

import endorama.core.mosaic.FrameRow;
import endorama.core.mosaic.MosaicResult;
import endorama.core.paint.Panorama;
import endorama.core.paint.SmallPanorama;
import endorama.core.transforms.Transform;
import endorama.picture.CameraPath;
import endorama.picture.Drawing;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A panorama with the path of the frames' middles over it, as a drawing that stays sharp on paper. */
final class PathPicture {
    /** Longest side of the picture, px. */
    private static final int SIDE = 1400;
    /** Longer side that a small panorama is enlarged to, px. */
    private static final int SHOWN = 720;
    /** Numbers of frames that are written along the path, and the size of text and dots, as shares of the longer side. */
    private static final int LABELS = 8;
    private static final double TEXT = 1 / 42.0;
    private static final double DOT = 1 / 110.0;
    /** Least distance of two numbers, in sizes of the text. */
    private static final double APART = 2.2;

    private final SmallPanorama small;
    private final List<FrameRow> rows;
    private final List<Transform> poses;
    private final double frameWidth;
    private final double frameHeight;
    /** Indices of the frames of the panorama. */
    private final List<Integer> frames = new ArrayList<Integer>();
    private final Html html = new Html();

    /** The picture of a panorama of a run, numbered from 1. */
    PathPicture(MosaicResult result, Panorama panorama, int component) {
        small = SmallPanorama.of(panorama, SIDE);
        rows = result.rows();
        poses = CameraPath.poses(result, component);
        frameWidth = result.width();
        frameHeight = result.height();
        for (int i = 0; i < poses.size(); i++) {
            if (poses.get(i) != null) {
                frames.add(i);
            }
        }
    }

    /** The drawing, as SVG. */
    Html draw(String name) throws IOException {
        String address = Html.address(
                Drawing.picture(small.pixels(), small.width(), small.height(), small.width(), small.height()));
        html.add("<svg class=\"panorama\" role=\"img\" viewBox=\"0 0 %s %s\" style=\"max-width:%spx\"><title>%s</title>",
                small.width(), small.height(), Math.round(small.width() * enlarged()), name);
        html.add("<image href=\"%s\" width=\"%s\" height=\"%s\"/>", address, small.width(), small.height());
        lines("casing", 0);
        lines("sure", 1);
        lines("gap", 2);
        lines("uncertain", 3);
        labels();
        return html.add("</svg>");
    }

    /** Small panoramas are shown larger than they are, up to a side that shows the path well. */
    private double enlarged() {
        return Math.max(1, (double) SHOWN / Math.max(small.width(), small.height()));
    }

    /** Draws the pieces of the path of a kind: 0 all, 1 between sure frames, 2 over frames left out, 3 beside uncertain ones. */
    private void lines(String style, int kind) {
        StringBuilder path = new StringBuilder();
        for (int i = 1; i < frames.size(); i++) {
            int from = frames.get(i - 1);
            int to = frames.get(i);
            int is = rows.get(from).isUncertain() || rows.get(to).isUncertain() ? 3 : to > from + 1 ? 2 : 1;
            if (kind == 0 || kind == is) {
                path.append('M').append(point(from)).append('L').append(point(to));
            }
        }
        if (path.length() > 0) {
            html.add("<path class=\"%s\" d=\"%s\"/>", style, path);
        }
    }

    private double x(int frame) {
        return (poses.get(frame).applyX((frameWidth - 1) / 2, (frameHeight - 1) / 2) + 0.5) / small.step();
    }

    private double y(int frame) {
        return (poses.get(frame).applyY((frameWidth - 1) / 2, (frameHeight - 1) / 2) + 0.5) / small.step();
    }

    private String point(int frame) {
        return Html.tenths(x(frame)) + " " + Html.tenths(y(frame));
    }

    /** Dots and numbers of some frames, the first and the last among them; none where they would hide each other. */
    private void labels() {
        double side = Math.max(small.width(), small.height());
        int n = Math.min(LABELS, frames.size());
        List<Integer> shown = new ArrayList<Integer>();
        label(frames.get(0), "first", side, shown);
        if (n > 1) {
            label(frames.get(frames.size() - 1), "last", side, shown);
        }
        for (int i = 1; i < n - 1; i++) {
            label(frames.get((int) Math.round((double) i * (frames.size() - 1) / (n - 1))), "between", side, shown);
        }
    }

    private void label(int frame, String style, double side, List<Integer> shown) {
        boolean isEnd = !style.equals("between");
        for (int other : shown) {
            if (!isEnd && Math.hypot(x(other) - x(frame), y(other) - y(frame)) < APART * TEXT * side) {
                return;
            }
        }
        shown.add(frame);
        html.add("<circle class=\"%s\" cx=\"%s\" cy=\"%s\" r=\"%s\"/>", style, Html.tenths(x(frame)), Html.tenths(y(frame)),
                Html.tenths(DOT * side * (isEnd ? 1 : 0.6)));
        html.add("<text class=\"number\" x=\"%s\" y=\"%s\" font-size=\"%s\">%s</text>", Html.tenths(x(frame) + 1.5 * DOT * side),
                Html.tenths(y(frame) + (style.equals("last") ? 1.2 * TEXT * side : -DOT * side)), Html.tenths(TEXT * side),
                rows.get(frame).frame);
    }
}
