package endorama.core.transforms;

import endorama.core.files.FileFormatException;
import endorama.core.files.TextFile;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads one file of landmarks, line by line, in the format of {@link LandmarkFile}. */
final class LandmarkReader {
    private static final Pattern IMAGES = Pattern.compile("Source img:\\s*(\\d{1,9})\\s+Target img:\\s*(\\d{1,9})");

    private final List<String> lines;
    private final String file;
    private final List<String> kinds;
    private final int[] points;
    private final Transforms transforms = new Transforms();
    /** Index of the next line, from 0. */
    private int at;

    LandmarkReader(List<String> lines, String file, List<String> kinds, int[] points) {
        this.lines = lines;
        this.file = file;
        this.kinds = kinds;
        this.points = points;
    }

    /** stack: a file of MultiStackReg; else of TurboReg, whose source is frame 2 and whose target is frame 1. */
    Transforms read(boolean stack) throws FileFormatException {
        line("the kind of file");
        if (stack) {
            readStack();
        } else {
            readPair();
        }
        return transforms;
    }

    private void readStack() throws FileFormatException {
        must("File Version .*", "File Version 1.0");
        boolean apart = must("[01]", "0 or 1").equals("1");
        while (more()) {
            int kind = kind();
            Matcher images = IMAGES.matcher(line("Source img: 2 Target img: 1"));
            if (!images.matches()) {
                throw wrong("must be \"Source img: 2 Target img: 1\"");
            }
            String where = where();
            int frame = Integer.parseInt(images.group(1));
            int anchor = Integer.parseInt(images.group(2));
            Transform step = step(kind, landmarks(3), landmarks(3), where);
            TransformsFile.add(transforms, frame, apart ? step : chained(frame, anchor, step, where), true, where);
        }
        if (transforms.size() == 0) {
            throw new FileFormatException(file + ": holds no transform; the file may be truncated");
        }
    }

    /** The pose of a frame through the one beside it. */
    private Transform chained(int frame, int anchor, Transform step, String where) throws FileFormatException {
        if (transforms.size() == 0) {
            TransformsFile.add(transforms, anchor, Transform.IDENTITY, true, where);
        }
        int beside = frame < anchor ? frame + 1 : frame - 1;
        Transform onto = transforms.get(beside);
        if (onto == null) {
            throw new FileFormatException(where + "frame " + frame + " comes before frame " + beside
                    + ", which it is registered onto");
        }
        return onto.multiply(step);
    }

    private void readPair() throws FileFormatException {
        int kind = kind();
        must("Source size", "Source size");
        must("\\d+\\s+\\d+", "width and height");
        must("Target size", "Target size");
        must("\\d+\\s+\\d+", "width and height");
        must("Refined source landmarks", "Refined source landmarks");
        String where = where();
        double[][] source = landmarks(points[kind]);
        must("Target landmarks", "Target landmarks");
        Transform step = step(kind, source, landmarks(points[kind]), where);
        TransformsFile.add(transforms, 1, Transform.IDENTITY, true, where);
        TransformsFile.add(transforms, 2, step, true, where);
    }

    // ------------------------------------------------------------------- lines

    private boolean more() {
        while (at < lines.size() && lines.get(at).trim().isEmpty()) {
            at++;
        }
        return at < lines.size();
    }

    private String line(String needed) throws FileFormatException {
        if (!more()) {
            throw new FileFormatException(file + ": ends where " + needed + " must follow; the file may be truncated");
        }
        return lines.get(at++).trim();
    }

    private String must(String pattern, String needed) throws FileFormatException {
        String line = line(needed);
        if (!line.matches(pattern)) {
            throw wrong("must be " + needed);
        }
        return line;
    }

    /** Position of the last line, for messages. */
    private String where() {
        return file + ", line " + at + ": ";
    }

    private FileFormatException wrong(String needed) {
        return new FileFormatException(where() + "\"" + TextFile.excerpt(lines.get(at - 1)) + "\": " + needed);
    }

    private int kind() throws FileFormatException {
        int kind = kinds.indexOf(line(kinds.get(0)));
        if (kind < 0) {
            throw wrong("must be one of " + String.join(", ", kinds));
        }
        return kind;
    }

    private double[][] landmarks(int n) throws FileFormatException {
        double[][] read = new double[n][];
        for (int i = 0; i < n; i++) {
            String[] cells = line("a landmark").split("\\s+");
            if (cells.length != 2) {
                throw wrong("must be x and y of a landmark");
            }
            read[i] = new double[] {TransformsFile.number(cells[0], where() + "x"),
                TransformsFile.number(cells[1], where() + "y")};
        }
        return read;
    }

    // -------------------------------------------------------------- transforms

    /** The transform that takes the first landmarks to the others. */
    private static Transform step(int kind, double[][] from, double[][] onto, String where) throws FileFormatException {
        double[] linear = linear(kind, from, onto);
        double[] m = {linear[0], linear[1], onto[0][0] - linear[0] * from[0][0] - linear[1] * from[0][1],
            linear[2], linear[3], onto[0][1] - linear[2] * from[0][0] - linear[3] * from[0][1]};
        Transform step = Transform.of(m);
        if (!step.isInvertible()) {
            throw new FileFormatException(where + "the landmarks lie on a line or coincide; they tell no transform");
        }
        return step;
    }

    private static double[] linear(int kind, double[][] from, double[][] onto) {
        switch (kind) {
            case 0: return new double[] {1, 0, 0, 1};
            case 1: return turn(from[1], from[2], onto[1], onto[2], true);
            case 2: return turn(from[0], from[1], onto[0], onto[1], false);
            default: return affine(from, onto);
        }
    }

    /** Rotation, and unless rigid scale, that take a - b to c - d. */
    private static double[] turn(double[] a, double[] b, double[] c, double[] d, boolean rigid) {
        double x = b[0] - a[0];
        double y = b[1] - a[1];
        double u = d[0] - c[0];
        double v = d[1] - c[1];
        double by = rigid ? Math.hypot(x, y) * Math.hypot(u, v) : x * x + y * y;
        double cos = (x * u + y * v) / by;
        double sin = (x * v - y * u) / by;
        return new double[] {cos, -sin, sin, cos};
    }

    private static double[] affine(double[][] from, double[][] onto) {
        double x1 = from[1][0] - from[0][0];
        double y1 = from[1][1] - from[0][1];
        double x2 = from[2][0] - from[0][0];
        double y2 = from[2][1] - from[0][1];
        double d = x1 * y2 - x2 * y1;
        double[] linear = new double[4];
        for (int i = 0; i < 2; i++) {
            double u1 = onto[1][i] - onto[0][i];
            double u2 = onto[2][i] - onto[0][i];
            linear[2 * i] = (u1 * y2 - u2 * y1) / d;
            linear[2 * i + 1] = (u2 * x1 - u1 * x2) / d;
        }
        return linear;
    }
}
