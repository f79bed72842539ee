package endorama.report;

import endorama.core.mosaic.FrameRow;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Two curves over the frames, one below the other, with uncertain and missing frames and the panoramas behind them. */
final class FrameStrip {
    /** Size of a curve and the space around it, px of the drawing. */
    private static final int WIDTH = 920;
    private static final int HEIGHT = 120;
    private static final int LEFT = 56;
    private static final int TOP = 26;
    private static final int BELOW = 26;
    /** Points of a curve at most: of longer sequences each is the worst of several frames. */
    private static final int POINTS = 1800;
    private static final int TICKS = 8;
    /** End of the scale of uncertainties where all are small, px. */
    private static final double LEAST_SCALE = 1;
    /** Width of the name of a panorama. */
    private static final int LABEL = 90;
    /** Least width of a band, so that a single frame of a long sequence can be seen. */
    private static final double LEAST = 2;

    private final List<FrameRow> rows;
    private final List<Stretch> stretches;
    private final Html html = new Html();

    FrameStrip(List<FrameRow> rows, List<Stretch> stretches) {
        this.rows = rows;
        this.stretches = stretches;
    }

    /** The drawing, as SVG. */
    Html draw() {
        html.add("<svg class=\"strip\" role=\"img\" viewBox=\"0 0 %s %s\"><title>Match and uncertainty of every frame</title>",
                LEFT + WIDTH + 8, 2 * (TOP + HEIGHT) + BELOW);
        html.add("<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\""
                + " patternTransform=\"rotate(45)\"><rect class=\"missing\" width=\"3\" height=\"6\"/></pattern></defs>");
        double largest = largest();
        curve(TOP, "Match with the frame before (1: perfect)", 1, row -> row.registered ? row.quality : Double.NaN, false);
        curve(2 * TOP + HEIGHT, "Uncertainty of the position, pixels (standard deviation)", largest,
                row -> row.registered ? row.deviation : Double.NaN, true);
        ticks(2 * (TOP + HEIGHT) + 16);
        return html.add("</svg>");
    }

    /** The upper end of the scale of uncertainties: 1, 2 or 5 times a power of ten. */
    private double largest() {
        double most = LEAST_SCALE;
        for (FrameRow row : rows) {
            most = row.registered && row.deviation > most ? row.deviation : most;
        }
        double power = Math.pow(10, Math.floor(Math.log10(most)));
        return most <= power ? power : most <= 2 * power ? 2 * power : most <= 5 * power ? 5 * power : 10 * power;
    }

    private double x(double frame) {
        return LEFT + (frame + 0.5) * WIDTH / rows.size();
    }

    private void curve(int top, String title, double most, ToDoubleFunction<FrameRow> value, boolean highIsWorse) {
        html.add("<text class=\"title\" x=\"%s\" y=\"%s\">%s</text>", LEFT, top - 8, title);
        html.add("<rect class=\"paper\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/>", LEFT, top, WIDTH, HEIGHT);
        bands(top);
        for (int i = 0; i <= 2; i++) {
            double y = top + HEIGHT - i * HEIGHT / 2.0;
            html.add("<path class=\"grid\" d=\"M%s %sh%s\"/>", LEFT, y, WIDTH);
            html.add("<text class=\"scale\" x=\"%s\" y=\"%s\">%s</text>", LEFT - 6, y + 4, number(i * most / 2));
        }
        html.add("<path class=\"curve\" d=\"%s\"/>", line(top, most, value, highIsWorse));
    }

    /** The curve; it breaks where a frame has no value, and where another panorama begins. */
    private String line(int top, double most, ToDoubleFunction<FrameRow> value, boolean highIsWorse) {
        StringBuilder line = new StringBuilder();
        int step = (rows.size() + POINTS - 1) / POINTS;
        char pen = 'M';
        for (int i = 0; i < rows.size(); i += step) {
            double worst = worst(i, Math.min(rows.size(), i + step), value, highIsWorse);
            pen = i > 0 && rows.get(i).part != rows.get(i - 1).part ? 'M' : pen;
            if (!Double.isNaN(worst)) {
                // A frame between two without a value is a dot.
                line.append(pen).append(Html.tenths(x(i + (step - 1) / 2.0))).append(' ')
                        .append(Html.tenths(top + HEIGHT * (1 - Math.max(0, Math.min(1, worst / most)))))
                        .append(pen == 'M' ? "h0.1" : "");
            }
            pen = Double.isNaN(worst) ? 'M' : 'L';
        }
        return line.toString();
    }

    /** The worst value of the frames first to end - 1; NaN: none has one. */
    private double worst(int first, int end, ToDoubleFunction<FrameRow> value, boolean highIsWorse) {
        double worst = Double.NaN;
        for (FrameRow row : rows.subList(first, end)) {
            double now = value.applyAsDouble(row);
            worst = Double.isNaN(worst) || (highIsWorse ? now > worst : now < worst) ? now : worst;
        }
        return worst;
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value >= 10 || value == 0 ? "%.0f" : value >= 0.5 ? "%.1f" : "%.2f", value);
    }

    private void bands(int top) {
        int part = 0;
        double free = LEFT;
        for (Stretch s : stretches) {
            double left = x(s.first - 0.5);
            double width = Math.max(LEAST, x(s.last + 0.5) - left);
            if (s.fate != Stretch.Fate.PLACED) {
                html.add("<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/>",
                        s.fate == Stretch.Fate.MISSING ? "hatched" : "doubt", Html.tenths(left), top, Html.tenths(width), HEIGHT);
            }
            if (part > 0 && s.part > 0 && s.part != part) {
                html.add("<path class=\"border\" d=\"M%s %sv%s\"/>", Html.tenths(left), top - 4, HEIGHT + 4);
                if (left >= free) {
                    html.add("<text class=\"part\" x=\"%s\" y=\"%s\">panorama %s</text>", Html.tenths(left + 4), top + 12, s.part);
                    free = left + LABEL;
                }
            }
            part = s.part > 0 ? s.part : part;
        }
    }

    private void ticks(int y) {
        int step = Math.max(1, rows.size() / TICKS);
        int power = (int) Math.pow(10, Math.floor(Math.log10(step)));
        step = step <= power ? power : step <= 2 * power ? 2 * power : step <= 5 * power ? 5 * power : 10 * power;
        for (int frame = step; frame <= rows.size(); frame += step) {
            html.add("<text class=\"tick\" x=\"%s\" y=\"%s\">%s</text>", Html.tenths(x(frame - 1)), y,
                    rows.get(frame - 1).frame);
        }
        html.add("<text class=\"scale\" x=\"%s\" y=\"%s\">frame</text>", LEFT - 6, y);
    }
}
