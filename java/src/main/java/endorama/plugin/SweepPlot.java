package endorama.plugin;

import endorama.core.mosaic.Sweep;
import endorama.core.options.Option;
import ij.gui.Plot;
import java.awt.Color;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Plot of a measure of a sweep over the option with the most values, with a curve for each combination of the others, or only
 * their mean and best where there are too many curves to tell apart.
 */
final class SweepPlot {
    private static final int MOST_CURVES = 8;
    private static final Color[] COLORS = {new Color(31, 119, 180), new Color(255, 127, 14),
        new Color(44, 160, 44), new Color(214, 39, 40), new Color(148, 103, 189), new Color(140, 86, 75),
        new Color(227, 119, 194), new Color(90, 90, 90)};

    private SweepPlot() {
    }

    static Plot draw(Sweep sweep, String measure, String title) {
        String key = widest(sweep);
        Plot plot = new Plot("Sweep of " + title + ": " + measure, key,
                measure.equals("time_ms") ? "ms a pair" : measure);
        Map<String, Map<Double, Double>> curves = curves(sweep, key, measure);
        if (curves.size() > MOST_CURVES) {
            curves = meanAndBest(curves, measure.equals("quality"));
        }
        StringBuilder legend = new StringBuilder();
        int i = 0;
        for (Map.Entry<String, Map<Double, Double>> curve : curves.entrySet()) {
            // The second colour is that of the line between the circles.
            Color color = COLORS[i++ % COLORS.length];
            plot.setColor(color, color);
            plot.setLineWidth(2);
            plot.addPoints(new ArrayList<Double>(curve.getValue().keySet()),
                    new ArrayList<Double>(curve.getValue().values()), Plot.CONNECTED_CIRCLES);
            legend.append(curve.getKey()).append('\n');
        }
        plot.setColor(Color.BLACK);
        plot.setLineWidth(1);
        if (curves.size() > 1) {
            plot.addLegend(legend.toString().trim());
        }
        plot.setLimitsToFit(true);
        return plot;
    }

    private static String widest(Sweep sweep) {
        Map<String, List<Object>> seen = new LinkedHashMap<String, List<Object>>();
        for (Sweep.Row row : sweep.rows()) {
            for (Map.Entry<String, Object> option : row.options.entrySet()) {
                List<Object> values = seen.computeIfAbsent(option.getKey(), k -> new ArrayList<Object>());
                if (!values.contains(option.getValue())) {
                    values.add(option.getValue());
                }
            }
        }
        String widest = "";
        for (String key : seen.keySet()) {
            widest = widest.isEmpty() || seen.get(key).size() > seen.get(widest).size() ? key : widest;
        }
        return widest;
    }

    private static Map<String, Map<Double, Double>> curves(Sweep sweep, String key, String measure) {
        Map<String, Map<Double, Double>> curves = new LinkedHashMap<String, Map<Double, Double>>();
        for (Sweep.Row row : sweep.rows()) {
            StringBuilder others = new StringBuilder();
            for (Map.Entry<String, Object> option : row.options.entrySet()) {
                if (!option.getKey().equals(key)) {
                    others.append(option.getKey()).append(' ').append(Option.plain(option.getValue())).append("  ");
                }
            }
            double y = measure.equals("quality") ? row.meanQuality() : row.timePerPair();
            if (!Double.isNaN(y)) {
                curves.computeIfAbsent(others.toString().trim(), k -> new LinkedHashMap<Double, Double>())
                        .put(((Number) row.options.get(key)).doubleValue(), y);
            }
        }
        return curves;
    }

    private static Map<String, Map<Double, Double>> meanAndBest(Map<String, Map<Double, Double>> curves,
            boolean moreIsBetter) {
        Map<Double, Double> mean = new LinkedHashMap<Double, Double>();
        Map<Double, Double> best = new LinkedHashMap<Double, Double>();
        Map<Double, Integer> count = new LinkedHashMap<Double, Integer>();
        for (Map<Double, Double> curve : curves.values()) {
            for (Map.Entry<Double, Double> point : curve.entrySet()) {
                mean.merge(point.getKey(), point.getValue(), Double::sum);
                best.merge(point.getKey(), point.getValue(), moreIsBetter ? Math::max : Math::min);
                count.merge(point.getKey(), 1, Integer::sum);
            }
        }
        mean.replaceAll((x, sum) -> sum / count.get(x));
        Map<String, Map<Double, Double>> both = new LinkedHashMap<String, Map<Double, Double>>();
        both.put("mean of " + curves.size() + " combinations", mean);
        both.put("best of them", best);
        return both;
    }
}
