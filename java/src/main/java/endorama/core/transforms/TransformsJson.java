package endorama.core.transforms;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import endorama.core.files.FileFormatException;
import endorama.core.files.TextFile;
import endorama.jni.NativeLibrary;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Transforms as JSON, with the options, the version and the back end of the run that made them. */
final class TransformsJson {
    /** The whole file. */
    private static final class Run {
        private String software = "Endorama";
        private String version = NativeLibrary.VERSION;
        private String backend;
        private String convention = TransformsFile.CONVENTION;
        private Map<String, Object> options;
        private List<Entry> transforms;
    }

    /** One frame. */
    private static final class Entry {
        private int frame;
        private Boolean registered;
        private Double[] matrix;
        /** Only for homographies. */
        private Double[] homography;
        private Integer part;
        private Double deviation;
        private Boolean key;
        private Double[] chained;
        private Double[] chainedHomography;
        private Boolean doubtful;
    }

    private TransformsJson() {
    }

    static String text(Transforms transforms, Map<String, Object> options, String backend) {
        Run run = new Run();
        run.backend = backend;
        run.options = withLens(options, transforms.lens());
        run.convention += transforms.haveHomographies() ? TransformsFile.PERSPECTIVE : "";
        run.transforms = new ArrayList<Entry>();
        for (Map.Entry<Integer, Transform> e : transforms.matrices().entrySet()) {
            Entry entry = new Entry();
            entry.frame = e.getKey();
            entry.registered = transforms.isRegistered(e.getKey());
            entry.matrix = boxed(transforms.affine(entry.frame).affine());
            entry.homography = homography(e.getValue());
            addSolution(entry, transforms);
            run.transforms.add(entry);
        }
        return new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(run) + "\n";
    }

    /** The options, with the lens distortion that was found and corrected. */
    private static Map<String, Object> withLens(Map<String, Object> options, double percent) {
        if (options == null || percent == 0) {
            return options;
        }
        Map<String, Object> all = new LinkedHashMap<String, Object>(options);
        all.put(TransformsFile.LENS, percent);
        return all;
    }

    private static void addSolution(Entry entry, Transforms transforms) {
        Transforms.Solution solution = transforms.solution(entry.frame);
        if (solution != null) {
            entry.part = transforms.component(entry.frame);
            entry.deviation = Double.isNaN(solution.deviation) ? null : Double.valueOf(solution.deviation);
            entry.key = solution.keyFrame;
            entry.chained = boxed(transforms.affine(solution.chained).affine());
            entry.chainedHomography = homography(solution.chained);
            entry.doubtful = solution.doubtful;
        }
    }

    private static Double[] homography(Transform matrix) {
        return matrix.isHomography() ? boxed(matrix.eight()) : null;
    }

    static Map<String, Object> readOptions(File file) throws IOException {
        Run run = run(file);
        if (run == null || run.options == null) {
            throw new FileFormatException(file + ": holds no \"options\" of a run");
        }
        return run.options;
    }

    private static Run run(File file) throws IOException {
        try {
            return new Gson().fromJson(String.join("\n", TextFile.lines(file)), Run.class);
        } catch (JsonParseException | NumberFormatException e) {
            throw new FileFormatException(file + ": not JSON of a run, or truncated: " + TextFile.jsonProblem(e), e);
        }
    }

    static Transforms read(File file) throws IOException {
        Run run = run(file);
        if (run == null || run.transforms == null || run.transforms.isEmpty()) {
            throw new FileFormatException(file + ": holds no \"transforms\"");
        }
        Transforms transforms = new Transforms();
        transforms.lens(TransformsFile.lens(run.options));
        for (int i = 0; i < run.transforms.size(); i++) {
            Entry entry = run.transforms.get(i);
            String where = file + ", transform " + (i + 1) + ": ";
            Transform matrix = entry == null ? null : matrix(entry.matrix, entry.homography);
            if (matrix == null) {
                throw new FileFormatException(where + "\"matrix\" must be six numbers, and \"homography\", where there is one,"
                        + " eight");
            }
            boolean registered = entry.registered == null || entry.registered;
            TransformsFile.add(transforms, entry.frame, matrix, registered, where);
            if (entry.part != null) {
                TransformsFile.setComponent(transforms, entry.frame, entry.part, where);
            }
            readSolution(entry, transforms, where);
        }
        return transforms;
    }

    private static void readSolution(Entry entry, Transforms transforms, String where) throws FileFormatException {
        Transform chained = matrix(entry.chained, entry.chainedHomography);
        if (chained != null) {
            double deviation = entry.deviation == null ? Double.NaN : entry.deviation;
            boolean key = Boolean.TRUE.equals(entry.key);
            boolean doubtful = Boolean.TRUE.equals(entry.doubtful);
            TransformsFile.setSolution(transforms, entry.frame,
                    new Transforms.Solution(chained, deviation, key, doubtful), where);
        }
    }

    private static Double[] boxed(double[] numbers) {
        Double[] boxed = new Double[numbers.length];
        for (int i = 0; i < boxed.length; i++) {
            boxed[i] = numbers[i];
        }
        return boxed;
    }

    /** The homography, if there is one, else the affine map; null unless the count of numbers is right. */
    private static Transform matrix(Double[] affine, Double[] homography) {
        double[] six = unboxed(affine, 6);
        double[] eight = unboxed(homography, 8);
        if (six == null || homography != null && eight == null) {
            return null;
        }
        return eight != null ? Transform.ofEight(eight) : Transform.of(six);
    }

    /** The numbers; null unless there are count of them. */
    private static double[] unboxed(Double[] numbers, int count) {
        if (numbers == null || numbers.length != count) {
            return null;
        }
        double[] unboxed = new double[numbers.length];
        for (int i = 0; i < unboxed.length; i++) {
            if (numbers[i] == null) {
                return null;
            }
            unboxed[i] = numbers[i];
        }
        return unboxed;
    }
}
