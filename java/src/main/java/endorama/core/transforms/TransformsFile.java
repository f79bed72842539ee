package endorama.core.transforms;

import endorama.core.files.AtomicFile;
import endorama.core.files.Csv;
import endorama.core.files.FileFormatException;
import endorama.core.files.TextFile;
import endorama.core.options.MosaicParameters;
import endorama.core.options.OptionException;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Transforms in files. The name decides the format: JSON (.json), positions for Fiji's Stitching (TileConfiguration*.txt,
 * {@link TileConfiguration}), landmarks of TurboReg (TurboReg*.txt, one pair) or MultiStackReg (any other .txt, {@link
 * LandmarkFile}), else CSV; a file that is no .json is read by its content. CSV has one row a frame, numbered from 1, with the
 * columns {@code frame,m00,m01,m02,m10,m11,m12}; further columns may follow. Numbers read back equal, in every locale. The
 * column {@code registered} is 0 where a matrix is only predicted, and {@code part} the number of the panorama that the frame
 * is in. Files of a mosaic also have {@code deviation}, {@code key}, the matrix along the chain, {@code c00} to {@code c12},
 * and {@code doubtful}, which is 1 where no sure pairs tie the frame to the others. {@code lens} is there where the distortion of a lens
 * was corrected, percent, the same in all rows. Where there are homographies, {@code h00} to {@code h21} stand at the end, and
 * of a mosaic {@code ch00} to {@code ch21} along the chain; h22 and ch22 are 1. These are then read; m00 to m12 and c00 to c12
 * are the affine maps nearest to them over the frame.
 */
public final class TransformsFile {
    /** The definition of the numbers, written into every JSON file. */
    public static final String CONVENTION = "x' = m00*x + m01*y + m02, y' = m10*x + m11*y + m12 takes the centre of a"
            + " pixel of the frame to coordinates of the first registered frame; x right, y down, the centre of the"
            + " first pixel is (0, 0), the unit is one pixel; frames are numbered from 1";
    /** Continuation of {@link #CONVENTION} in files with homographies. */
    static final String PERSPECTIVE = "; where a frame has a homography, h00 h01 h02 h10 h11 h12 h20 h21, that is what takes it"
            + " there: x' = (h00*x + h01*y + h02) / w, y' = (h10*x + h11*y + h12) / w, w = h20*x + h21*y + 1; its matrix is the"
            + " affine map nearest to that over the frame";
    /** The columns that a CSV must begin with. */
    static final List<String> COLUMNS = Arrays.asList("frame", "m00", "m01", "m02", "m10", "m11", "m12");
    private static final String REGISTERED = "registered";
    private static final String PART = "part";
    private static final String DEVIATION = "deviation";
    private static final String KEY = "key";
    /** Column that files of older versions lack. */
    private static final String DOUBTFUL = "doubtful";
    /** Column of files whose frames had a lens distortion corrected. */
    static final String LENS = "lens";
    /** Columns of a mosaic. */
    static final List<String> SOLUTION =
            Arrays.asList(PART, DEVIATION, KEY, "c00", "c01", "c02", "c10", "c11", "c12");

    /** Columns of homographies, whose last number is 1. */
    public static final List<String> HOMOGRAPHY = Arrays.asList("h00", "h01", "h02", "h10", "h11", "h12", "h20", "h21");
    /** Columns of homographies along the chain. */
    public static final List<String> CHAINED_HOMOGRAPHY =
            Arrays.asList("ch00", "ch01", "ch02", "ch10", "ch11", "ch12", "ch20", "ch21");
    private static final List<String> LAST_ROW = Arrays.asList("m20", "m21", "m22");
    /** Limit of the numbers in a file, beyond which arithmetic on a map would be meaningless. */
    private static final double LARGEST = 1e15;
    private static final List<String> MATRIX = COLUMNS.subList(1, COLUMNS.size());
    private static final List<String> CHAINED = SOLUTION.subList(3, SOLUTION.size());

    private TransformsFile() {
    }

    /** Reads any of these formats. */
    public static Transforms read(File file) throws IOException {
        return isJson(file) ? TransformsJson.read(file) : readText(file);
    }

    /**
     * Writes the format that the name asks for; the file is there whole or not at all.
     *
     * @param options of the run, for JSON; may be null
     * @param backend that computed, for JSON; may be null
     */
    public static void write(File file, Transforms transforms, Map<String, Object> options, String backend)
            throws IOException {
        transforms.lens(lens(options));
        AtomicFile.write(file, isJson(file) ? TransformsJson.text(transforms, options, backend) : text(file, transforms));
    }

    /** The lens distortion in the options of a run, which may be null. */
    static double lens(Map<String, Object> options) {
        Object lens = options == null ? null : options.get(LENS);
        if (lens instanceof String && ((String) lens).matches("-?\\d.*")) {
            return Double.parseDouble((String) lens);
        }
        return lens instanceof Number ? ((Number) lens).doubleValue() : 0;
    }

    /** The text of the format that other programs use for a file of this name. */
    private static String text(File file, Transforms transforms) {
        String name = file.getName().toLowerCase(Locale.ROOT);
        if (!name.endsWith(".txt")) {
            return csv(transforms);
        }
        return name.startsWith("tileconfiguration") ? TileConfiguration.text(transforms)
                : isPair(file) ? LandmarkFile.pair(transforms) : LandmarkFile.stack(transforms);
    }

    private static boolean isPair(File file) {
        String name = file.getName().toLowerCase(Locale.ROOT);
        return name.startsWith("turboreg") && name.endsWith(".txt");
    }

    /**
     * Checks, before anything is computed, that the format of the file can hold so many frames.
     *
     * @param key the option that names the file
     * @throws OptionException if it does not
     */
    public static void check(String key, File file, int frames) {
        if (isPair(file) && frames > LandmarkFile.PAIR_FRAMES) {
            throw new OptionException(key, key + " " + file + ": " + LandmarkFile.tooMany(frames));
        }
    }

    /** Writes transforms with the options of a run, which may be null. */
    public static void write(File file, Transforms transforms, MosaicParameters parameters, String backend)
            throws IOException {
        write(file, transforms, parameters == null ? null : parameters.options(), backend);
    }

    /** Writes JSON whatever the name is. */
    public static void writeJson(File file, Transforms transforms, Map<String, Object> options, String backend)
            throws IOException {
        AtomicFile.write(file, TransformsJson.text(transforms, options, backend));
    }

    /**
     * The options of the run that saved a JSON file, by key.
     *
     * @throws FileFormatException if it holds none
     */
    public static Map<String, Object> readOptions(File file) throws IOException {
        return TransformsJson.readOptions(file);
    }

    private static boolean isJson(File file) {
        return file.getName().toLowerCase(Locale.ROOT).endsWith(".json");
    }

    private static String csv(Transforms transforms) {
        StringBuilder text = new StringBuilder();
        boolean solved = !transforms.matrices().isEmpty() && transforms.solution(transforms.lastFrame()) != null;
        boolean projective = transforms.haveHomographies();
        Csv.line(text, columns(solved, projective, transforms.lens() != 0));
        for (int frame : transforms.matrices().keySet()) {
            List<Object> cells = cells(transforms, frame, solved);
            if (projective) {
                addNumbers(cells, transforms.get(frame).eight());
            }
            if (projective && solved) {
                addNumbers(cells, transforms.solution(frame).chained.eight());
            }
            Csv.line(text, cells);
        }
        return text.toString();
    }

    private static List<String> columns(boolean solved, boolean projective, boolean distorted) {
        List<String> columns = new ArrayList<String>(COLUMNS);
        columns.add(REGISTERED);
        if (solved) {
            columns.addAll(SOLUTION);
            columns.add(DOUBTFUL);
        }
        columns.addAll(distorted ? Collections.singletonList(LENS) : Collections.<String>emptyList());
        columns.addAll(projective ? HOMOGRAPHY : Collections.<String>emptyList());
        columns.addAll(projective && solved ? CHAINED_HOMOGRAPHY : Collections.<String>emptyList());
        return columns;
    }

    /** The cells of a row without those of homographies. */
    private static List<Object> cells(Transforms transforms, int frame, boolean solved) {
        List<Object> cells = new ArrayList<Object>(Collections.<Object>singletonList(frame));
        addNumbers(cells, transforms.affine(frame).affine());
        cells.add(transforms.isRegistered(frame) ? 1 : 0);
        if (solved) {
            Transforms.Solution s = transforms.solution(frame);
            cells.addAll(Arrays.<Object>asList(transforms.component(frame), s.deviation, s.keyFrame ? 1 : 0));
            addNumbers(cells, transforms.affine(s.chained).affine());
            cells.add(s.doubtful ? 1 : 0);
        }
        if (transforms.lens() != 0) {
            cells.add(transforms.lens());
        }
        return cells;
    }

    public static void addNumbers(List<Object> cells, double[] numbers) {
        for (double number : numbers) {
            cells.add(number);
        }
    }

    private static Transforms readText(File file) throws IOException {
        List<String> lines = TextFile.lines(file);
        if (LandmarkFile.isOne(lines)) {
            return LandmarkFile.parse(lines, file.toString());
        }
        return TileConfiguration.isOne(lines) ? TileConfiguration.parse(lines, file.toString())
                : parse(lines, file.toString());
    }

    /**
     * Parses the lines of a CSV file.
     *
     * @param file its name, for messages
     * @throws FileFormatException that names the line
     */
    public static Transforms parse(List<String> lines, String file) throws FileFormatException {
        if (lines.isEmpty()) {
            throw new FileFormatException(file + ": empty; the first line must be " + header());
        }
        List<String> columns = Csv.split(lines.get(0));
        if (columns.size() < COLUMNS.size() || !columns.subList(0, COLUMNS.size()).equals(COLUMNS)) {
            throw new FileFormatException(file + ", line 1: not a file of transforms: it begins with \""
                    + TextFile.excerpt(lines.get(0)) + "\", must begin with " + header() + wrong(columns) + "; also read are"
                    + " JSON of a run (.json), TileConfiguration.txt (Stitching), and landmarks of MultiStackReg and"
                    + " TurboReg");
        }
        Transforms transforms = new Transforms();
        for (int i = 1; i < lines.size(); i++) {
            if (!lines.get(i).trim().isEmpty()) {
                addRow(transforms, columns, Csv.split(lines.get(i)), file + ", line " + (i + 1) + ": ");
            }
        }
        if (transforms.size() == 0) {
            throw new FileFormatException(file + ": holds no transform; the file may be truncated");
        }
        return transforms;
    }

    /** The missing columns of a nearly correct header; "" for any other. */
    private static String wrong(List<String> columns) {
        List<String> missing = new ArrayList<String>(COLUMNS);
        missing.removeAll(columns);
        if (missing.isEmpty()) {
            return " in this order";
        }
        return missing.size() < COLUMNS.size() ? " (missing here: " + String.join(", ", missing) + ")" : "";
    }

    private static String header() {
        return String.join(",", COLUMNS);
    }

    private static void addRow(Transforms transforms, List<String> columns, List<String> cells, String where)
            throws FileFormatException {
        if (cells.size() != columns.size()) {
            throw new FileFormatException(where + cells.size() + " columns, needed " + columns.size()
                    + "; the file may be truncated");
        }
        checkLastRow(columns, cells, where);
        Transform m = matrix(columns, cells, MATRIX, HOMOGRAPHY, where);
        int column = columns.indexOf(REGISTERED);
        boolean registered = column < 0 || !cells.get(column).matches("0(\\.0)?");
        double frame = number(cells.get(0), where + "frame");
        add(transforms, frame, m, registered, where);
        int component = columns.indexOf(PART);
        if (component >= 0) {
            setComponent(transforms, (int) frame, number(cells.get(component), where + PART), where);
        }
        int lens = columns.indexOf(LENS);
        if (lens >= 0) {
            transforms.lens(number(cells.get(lens), where + LENS));
        }
        if (columns.containsAll(SOLUTION)) {
            setSolution(transforms, (int) frame, columns, cells, where);
        }
    }

    /** The matrix from the columns of a homography, if there are any; else from those of an affine map. */
    private static Transform matrix(List<String> columns, List<String> cells, List<String> affine, List<String> homography,
            String where) throws FileFormatException {
        boolean projective = columns.containsAll(homography);
        List<String> names = projective ? homography : affine;
        double[] m = new double[names.size()];
        for (int i = 0; i < m.length; i++) {
            m[i] = number(cells.get(columns.indexOf(names.get(i))), where + names.get(i));
        }
        return projective ? Transform.ofEight(m) : Transform.of(m);
    }

    private static void setSolution(Transforms transforms, int frame, List<String> columns, List<String> cells,
            String where) throws FileFormatException {
        Transform chained = matrix(columns, cells, CHAINED, CHAINED_HOMOGRAPHY, where);
        String deviation = cells.get(columns.indexOf(DEVIATION));
        boolean key = number(cells.get(columns.indexOf(KEY)), where + KEY) != 0;
        int doubtful = columns.indexOf(DOUBTFUL);
        boolean doubted = doubtful >= 0 && number(cells.get(doubtful), where + DOUBTFUL) != 0;
        double known = "NaN".equals(deviation) ? Double.NaN : number(deviation, where + DEVIATION);
        setSolution(transforms, frame, new Transforms.Solution(chained, known, key, doubted), where);
    }

    /** Sets the solution of an existing frame; where: beginning of the message. */
    static void setSolution(Transforms transforms, int frame, Transforms.Solution solution, String where)
            throws FileFormatException {
        checkNumbers(solution.chained, where + "along the chain, ");
        if (solution.deviation < 0) {
            throw new FileFormatException(where + DEVIATION + " " + solution.deviation + ": must be 0 or more, or NaN");
        }
        transforms.put(frame, solution);
    }

    /** Sets the panorama number of an existing frame; where: beginning of the message. */
    static void setComponent(Transforms transforms, int frame, double component, String where) throws FileFormatException {
        if (component != Math.rint(component) || component < 0 || component > Integer.MAX_VALUE) {
            throw new FileFormatException(where + PART + " " + component + ": must be a whole number from 0");
        }
        transforms.put(frame, transforms.get(frame), transforms.isRegistered(frame), (int) component);
    }

    private static void checkNumbers(Transform matrix, String where) throws FileFormatException {
        for (double number : matrix.toArray()) {
            if (!(Math.abs(number) <= LARGEST)) {
                throw new FileFormatException(where + "the matrix " + matrix + " holds " + number + ": must be within +-" + LARGEST);
            }
        }
    }

    /** Adds one transform after checking it; where: beginning of the message. */
    static void add(Transforms transforms, double frame, Transform matrix, boolean registered, String where)
            throws FileFormatException {
        if (frame != Math.rint(frame) || frame < 1 || frame > Integer.MAX_VALUE) {
            throw new FileFormatException(where + "frame " + frame + ": must be a whole number from 1");
        }
        if (transforms.get((int) frame) != null) {
            throw new FileFormatException(where + "frame " + (int) frame + " is there twice");
        }
        checkNumbers(matrix, where);
        if (!matrix.isInvertible()) {
            throw new FileFormatException(where + "the matrix " + matrix + " cannot be inverted");
        }
        transforms.put((int) frame, matrix, registered);
    }

    /**
     * Checks the columns of a last row, which foreign files may have for a homography: homographies are read from h00 to h21
     * only, so these must be those of an affine map.
     */
    private static void checkLastRow(List<String> columns, List<String> cells, String where) throws FileFormatException {
        for (int i = 0; i < LAST_ROW.size(); i++) {
            int column = columns.indexOf(LAST_ROW.get(i));
            double wanted = i == 2 ? 1 : 0;
            if (column >= 0 && number(cells.get(column), where + LAST_ROW.get(i)) != wanted) {
                throw new FileFormatException(where + LAST_ROW.get(i) + " is " + TextFile.excerpt(cells.get(column))
                        + ": must be " + (int) wanted + "; homographies are read from the columns h00 to h21");
            }
        }
    }

    /** A finite number; where: beginning of the message. */
    static double number(String text, String where) throws FileFormatException {
        try {
            double value = Double.parseDouble(text);
            if (!Double.isNaN(value) && !Double.isInfinite(value)) {
                return value;
            }
        } catch (NumberFormatException e) {
            // reported below with the text
        }
        throw new FileFormatException(where + " is \"" + TextFile.excerpt(text) + "\": not a number");
    }
}
