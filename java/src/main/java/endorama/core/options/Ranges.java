package endorama.core.options;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Ranges of options: {@code template=15-47:2 cthresh=0.70-0.90:0.05 landmarks=6-10 cross=2,4,8}. The default step is 1. */
public final class Ranges {
    /** Options that can vary over the same store of frames. */
    static final List<String> KEYS = Collections.unmodifiableList(Arrays.asList("template", "cross", "landmarks",
            "cthresh", "uthresh", "guarantee"));
    /** Most combinations of a sweep. */
    static final int MOST = 20000;

    private static final String NUMBER = "(-?[0-9]*\\.?[0-9]+)";
    private static final Pattern RANGE = Pattern.compile(NUMBER + "-" + NUMBER + "(?::" + NUMBER + ")?");

    private Ranges() {
    }

    /** Every combination, each as key -&gt; value; the last key varies fastest. */
    public static List<Map<String, Object>> combinations(String text) {
        List<Map<String, Object>> all = new ArrayList<Map<String, Object>>();
        all.add(new LinkedHashMap<String, Object>());
        for (String part : text.trim().split("\\s+")) {
            int equals = part.indexOf('=');
            String key = equals < 0 ? part : part.substring(0, equals);
            if (equals < 0 || !KEYS.contains(key)) {
                throw new IllegalArgumentException("ranges " + part + ": must be key=from-to:step or key=a,b,c, with"
                        + " key one of " + String.join(", ", KEYS));
            }
            if (all.get(0).containsKey(key)) {
                throw new IllegalArgumentException("ranges " + part + ": " + key + " is there twice");
            }
            all = multiply(all, key, values(part, part.substring(equals + 1)));
        }
        return all;
    }

    private static List<Map<String, Object>> multiply(List<Map<String, Object>> all, String key, List<Object> values) {
        if ((long) all.size() * values.size() > MOST) {
            throw new IllegalArgumentException("ranges: " + (long) all.size() * values.size()
                    + " combinations and more; at most " + MOST);
        }
        List<Map<String, Object>> product = new ArrayList<Map<String, Object>>();
        for (Map<String, Object> one : all) {
            for (Object value : values) {
                Map<String, Object> next = new LinkedHashMap<String, Object>(one);
                next.put(key, value);
                product.add(next);
            }
        }
        return product;
    }

    private static List<Object> values(String part, String text) {
        List<Object> values = new ArrayList<Object>();
        Matcher range = RANGE.matcher(text);
        if (range.matches()) {
            BigDecimal from = new BigDecimal(range.group(1));
            BigDecimal to = new BigDecimal(range.group(2));
            BigDecimal step = range.group(3) == null ? BigDecimal.ONE : new BigDecimal(range.group(3));
            if (step.signum() <= 0 || from.compareTo(to) > 0) {
                throw new IllegalArgumentException("ranges " + part + ": from must not be above to, step"
                        + " must be above 0");
            }
            for (BigDecimal v = from; v.compareTo(to) <= 0 && values.size() <= MOST; v = v.add(step)) {
                values.add(v.doubleValue());
            }
            return values;
        }
        for (String item : text.split(",", -1)) {
            if (!item.matches(NUMBER)) {
                throw new IllegalArgumentException("ranges " + part + ": must be key=from-to:step or key=a,b,c");
            }
            values.add(Double.valueOf(item));
        }
        return values;
    }
}
