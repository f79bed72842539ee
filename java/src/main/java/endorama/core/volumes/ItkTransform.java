package endorama.core.volumes;

import endorama.core.files.FileFormatException;
import endorama.core.files.TextFile;
import endorama.core.options.Option;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * A transform in ITK's text format, as used by 3D Slicer and ITK-SNAP: fixed to moving, millimetres, LPS. An affine one is
 * written; the usual linear kinds are read. x' = M (x - c) + t + c, with c in the line of fixed parameters.
 */
public final class ItkTransform {
    /** Limit of parameters, mm or the elements of linear maps. */
    private static final double LARGEST = 1e9;
    private static final String FIRST_LINE = "#Insight Transform File V1.0";

    /** Number of dimensions, 2 or 3. */
    public final int dimensions;
    /** Fixed -&gt; moving, mm: 16 numbers, row by row. */
    public final double[] world;

    private ItkTransform(int dimensions, double[] world) {
        this.dimensions = dimensions;
        this.world = world;
    }

    /** The text of a file with one transform. */
    public static String text(double[] world, boolean planar) {
        int n = planar ? 2 : 3;
        StringBuilder text = new StringBuilder(FIRST_LINE + "\n#Transform 0\nTransform: AffineTransform_double_" + n + "_"
                + n + "\nParameters:");
        for (int row = 0; row < n; row++) {
            for (int column = 0; column < n; column++) {
                text.append(' ').append(plain(world[4 * row + column]));
            }
        }
        for (int row = 0; row < n; row++) {
            text.append(' ').append(plain(world[4 * row + 3]));
        }
        return text.append("\nFixedParameters:").append(planar ? " 0 0" : " 0 0 0").append('\n').toString();
    }

    private static String plain(double number) {
        return Option.plain(number == 0 ? 0.0 : number);
    }

    /** @throws FileFormatException that says what is wrong with it */
    public static ItkTransform read(File file) throws IOException {
        List<String> lines = TextFile.lines(file);
        if (lines.isEmpty() || !lines.get(0).startsWith("#Insight Transform File")) {
            throw new FileFormatException(file + ": does not begin with " + FIRST_LINE);
        }
        String kind = value(file, lines, "Transform:");
        double[] p = numbers(file, "Parameters:", value(file, lines, "Parameters:"));
        double[] fixed = numbers(file, "FixedParameters:", value(file, lines, "FixedParameters:"));
        int n = kind.endsWith("_3_3") ? 3 : kind.endsWith("_2_2") ? 2 : 0;
        String type = kind.replaceFirst("_(double|float)_\\d_\\d$", "");
        double[] linear = n == 0 ? null : linear(type, n, p);
        if (linear == null) {
            throw new FileFormatException(file + ": " + TextFile.excerpt(kind) + " with " + p.length
                    + " parameters: must be an affine, rigid, similarity, Euler, versor or translation transform of 2 or 3"
                    + " dimensions");
        }
        double[] world = centred(linear, n, p, fixed);
        if (!Affine3.isInvertible(world)) {
            throw new FileFormatException(file + ": the transform cannot be inverted");
        }
        return new ItkTransform(n, world);
    }

    /** The first value of a key in the file. */
    private static String value(File file, List<String> lines, String key) throws FileFormatException {
        String found = null;
        for (String line : lines) {
            if (line.startsWith(key)) {
                if (found != null) {
                    throw new FileFormatException(file + ": holds several transforms; one is needed");
                }
                found = line.substring(key.length()).trim();
            }
        }
        if (found == null) {
            throw new FileFormatException(file + ": no line begins with " + key);
        }
        return found;
    }

    private static double[] numbers(File file, String key, String text) throws FileFormatException {
        String[] words = text.isEmpty() ? new String[0] : text.split("\\s+");
        double[] numbers = new double[words.length];
        for (int i = 0; i < numbers.length; i++) {
            try {
                numbers[i] = Double.parseDouble(words[i]);
            } catch (NumberFormatException e) {
                numbers[i] = Double.NaN;
            }
            if (Math.abs(numbers[i]) > LARGEST) {
                throw new FileFormatException(file + ": " + key + " " + TextFile.excerpt(words[i]) + ": must be within +-"
                        + LARGEST);
            }
            if (Double.isNaN(numbers[i])) {
                throw new FileFormatException(file + ": " + key + " \"" + TextFile.excerpt(words[i])
                        + "\" is not a number");
            }
        }
        return numbers;
    }

    /** M as n*n numbers; null for an unknown kind, or a wrong number of parameters. */
    private static double[] linear(String type, int n, double[] p) {
        switch (type + " " + n + " " + p.length) {
            case "TranslationTransform 2 2": return new double[] {1, 0, 0, 1};
            case "TranslationTransform 3 3": return new double[] {1, 0, 0, 0, 1, 0, 0, 0, 1};
            case "AffineTransform 2 6":
            case "MatrixOffsetTransformBase 2 6": return Arrays.copyOf(p, 4);
            case "AffineTransform 3 12":
            case "MatrixOffsetTransformBase 3 12": return Arrays.copyOf(p, 9);
            case "Euler2DTransform 2 3":
            case "CenteredRigid2DTransform 2 3":
            case "Rigid2DTransform 2 3": return turn2(p[0], 1);
            case "Similarity2DTransform 2 4": return turn2(p[1], p[0]);
            case "Euler3DTransform 3 6": return euler(p[0], p[1], p[2]);
            case "VersorRigid3DTransform 3 6": return versor(p[0], p[1], p[2], 1);
            case "Similarity3DTransform 3 7": return versor(p[0], p[1], p[2], p[6]);
            default: return null;
        }
    }

    private static double[] turn2(double angle, double scale) {
        double c = scale * Math.cos(angle);
        double s = scale * Math.sin(angle);
        return new double[] {c, -s, s, c};
    }

    /** The rotation matrix Rz Rx Ry of ITK's Euler angles. */
    private static double[] euler(double x, double y, double z) {
        double[] rz = {Math.cos(z), -Math.sin(z), 0, Math.sin(z), Math.cos(z), 0, 0, 0, 1};
        double[] rx = {1, 0, 0, 0, Math.cos(x), -Math.sin(x), 0, Math.sin(x), Math.cos(x)};
        double[] ry = {Math.cos(y), 0, Math.sin(y), 0, 1, 0, -Math.sin(y), 0, Math.cos(y)};
        return product(product(rz, rx), ry);
    }

    private static double[] product(double[] a, double[] b) {
        double[] m = new double[9];
        for (int i = 0; i < 9; i++) {
            int row = i / 3 * 3;
            m[i] = a[row] * b[i % 3] + a[row + 1] * b[3 + i % 3] + a[row + 2] * b[6 + i % 3];
        }
        return m;
    }

    /** The rotation matrix of a unit quaternion, given by its vector part, times the scale. */
    private static double[] versor(double x, double y, double z, double scale) {
        double w = Math.sqrt(Math.max(0, 1 - x * x - y * y - z * z));
        double[] m = {
            w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y),
            2 * (x * y + w * z), w * w + y * y - x * x - z * z, 2 * (y * z - w * x),
            2 * (x * z - w * y), 2 * (y * z + w * x), w * w + z * z - x * x - y * y};
        for (int i = 0; i < 9; i++) {
            m[i] *= scale;
        }
        return m;
    }

    /** The map with its translation, which stands at the end of the parameters, or before a scale. */
    private static double[] centred(double[] linear, int n, double[] p, double[] fixed) {
        int shift = linear.length == 9 && p.length == 7 ? 3 : p.length - n;
        double[] world = Affine3.identity();
        for (int row = 0; row < n; row++) {
            double moved = p[shift + row] + (row < fixed.length ? fixed[row] : 0);
            for (int k = 0; k < n; k++) {
                world[4 * row + k] = linear[n * row + k];
                moved -= linear[n * row + k] * (k < fixed.length ? fixed[k] : 0);
            }
            world[4 * row + 3] = moved;
        }
        return world;
    }
}
