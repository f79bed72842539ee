package endorama.core.mutual;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import endorama.core.files.AtomicFile;
import endorama.core.files.FileFormatException;
import endorama.core.files.TextFile;
import endorama.core.frames.FrameReadException;
import endorama.core.transforms.Transform;
import endorama.core.transforms.Transforms;
import endorama.core.transforms.TransformsFile;
import endorama.core.volumes.Affine3;
import endorama.core.volumes.Grid;
import endorama.core.volumes.ItkTransform;
import endorama.core.volumes.Volume;
import endorama.jni.NativeLibrary;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The transforms of registration by mutual information in files: .json (voxels and millimetres), .tfm ({@link ItkTransform}),
 * or .csv ({@link TransformsFile}; of images). Also read as the start of another registration.
 */
public final class MutualTransforms {
    /** The definition of the numbers, written into every JSON file. */
    static final String CONVENTION = "voxels and millimetres are 4 x 4 matrices, row by row, from the fixed to the moving"
            + " image: of voxels, whose first one's centre is (0, 0, 0), and of their worlds (LPS: left, back, head; of an"
            + " image without a position right, down and along the slices from its first voxel). matrix, of images, leads"
            + " back: " + TransformsFile.CONVENTION.replace("first registered frame", "fixed image");

    /** The whole file. */
    private static final class Run {
        private String software = "Endorama";
        private String version = NativeLibrary.VERSION;
        private String backend;
        private String convention = CONVENTION;
        private Map<String, Object> options;
        private int dimensions;
        private Side fixed;
        private Side moving;
        private List<Entry> transforms = new ArrayList<Entry>();
    }

    /** One of the two images. */
    private static final class Side {
        private final String name;
        private final int[] size;
        private final double[] world;

        Side(Volume volume, boolean planar) {
            Grid grid = planar ? volume.grid().plane() : volume.grid();
            name = volume.name();
            size = new int[] {grid.width, grid.height, volume.grid().depth};
            world = grid.world();
        }
    }

    /** One registration. */
    private static final class Entry {
        private int frame;
        private boolean registered;
        private String status;
        private Double before;
        private Double after;
        private double overlap;
        private double certainty;
        private double[] voxels;
        private double[] millimetres;
        private double[] matrix;
    }

    private final int dimensions;
    /** The transform of each registration, mm; null where it is in pixels. */
    private final List<double[]> worlds = new ArrayList<double[]>();
    /** Moving -&gt; fixed, pixels; null: all transforms are in mm. */
    private Transforms pixels;

    private MutualTransforms(int dimensions) {
        this.dimensions = dimensions;
    }

    // ----------------------------------------------------------------- writing

    /**
     * Checks a file name before anything is computed.
     *
     * @param single one transform will be written
     * @throws IllegalArgumentException if the name of a file says that what is found does not go there
     */
    public static void checkName(File file, boolean planar, boolean single) {
        String kind = kind(file);
        if (kind.isEmpty()) {
            throw new IllegalArgumentException("transforms " + file + ": must end in .json, .tfm or .csv");
        }
        if (kind.equals("csv") && !planar) {
            throw new IllegalArgumentException("transforms " + file + ": CSV holds transforms of images; for volumes take"
                    + " .json or .tfm");
        }
        if (kind.equals("tfm") && !single) {
            throw new IllegalArgumentException("transforms " + file + ": holds one transform, and several are computed;"
                    + " take .json");
        }
    }

    /** The format by the file name: json, tfm or csv; "" for any other name. */
    private static String kind(File file) {
        String name = file.getName().toLowerCase(Locale.ROOT);
        for (String kind : new String[] {"json", "tfm", "csv"}) {
            if (name.endsWith("." + kind)) {
                return kind;
            }
        }
        return "";
    }

    /** Writes the format by the file name; the file is there whole or not at all. */
    public static void write(File file, MutualOutcome outcome, Map<String, Object> options) throws IOException {
        switch (kind(file)) {
            case "csv":
                TransformsFile.write(file, planes(outcome), options, outcome.backend());
                break;
            case "tfm":
                AtomicFile.write(file, ItkTransform.text(outcome.rows().get(0).world(), outcome.planar()));
                break;
            default:
                AtomicFile.write(file, json(outcome, options));
        }
    }

    /** Moving -&gt; fixed, the direction of all transforms of frames. */
    private static Transforms planes(MutualOutcome outcome) {
        Transforms transforms = new Transforms();
        for (MutualRow row : outcome.rows()) {
            transforms.put(row.frame, plane(row), row.isRegistered());
        }
        return transforms;
    }

    private static Transform plane(MutualRow row) {
        return Affine3.plane(row.voxels()).inverse();
    }

    private static String json(MutualOutcome outcome, Map<String, Object> options) {
        Run run = new Run();
        run.backend = outcome.backend();
        run.options = options;
        run.dimensions = outcome.planar() ? 2 : 3;
        run.fixed = new Side(outcome.fixed(), outcome.planar());
        run.moving = new Side(outcome.moving(), outcome.planar());
        for (MutualRow row : outcome.rows()) {
            run.transforms.add(entry(row, outcome.planar()));
        }
        return new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(run) + "\n";
    }

    private static Entry entry(MutualRow row, boolean planar) {
        Entry entry = new Entry();
        entry.frame = row.frame;
        entry.registered = row.isRegistered();
        entry.status = row.status.toString();
        entry.before = Double.isNaN(row.before) ? null : (Double) row.before;
        entry.after = Double.isNaN(row.after) ? null : (Double) row.after;
        entry.overlap = row.overlap;
        entry.certainty = row.certainty;
        entry.voxels = row.voxels();
        entry.millimetres = row.world();
        entry.matrix = planar ? plane(row).affine() : null;
        return entry;
    }

    // ----------------------------------------------------------------- reading

    /** @throws IOException that says why the file holds no transform */
    public static MutualTransforms read(File file) throws IOException {
        switch (kind(file)) {
            case "tfm":
                ItkTransform found = ItkTransform.read(file);
                MutualTransforms one = new MutualTransforms(found.dimensions);
                one.worlds.add(found.world);
                return one;
            case "csv":
                return inPixels(file);
            case "json": return readJson(file);
            default: throw new FileFormatException("initial " + file + ": must be one of Header, Centre, Moments, Fourier,"
                    + " or a file that ends in .json, .tfm or .csv");
        }
    }

    private static MutualTransforms inPixels(File file) throws IOException {
        MutualTransforms table = new MutualTransforms(2);
        table.pixels = TransformsFile.read(file);
        if (table.pixels.haveHomographies()) {
            throw new FileFormatException(file + ": holds homographies; a registration begins from affine transforms");
        }
        return table;
    }

    private static MutualTransforms readJson(File file) throws IOException {
        Run run;
        try {
            run = new Gson().fromJson(String.join("\n", TextFile.lines(file)), Run.class);
        } catch (JsonParseException | NumberFormatException e) {
            throw new FileFormatException(file + ": not a JSON file of transforms, or truncated: " + TextFile.jsonProblem(e), e);
        }
        if (run == null || run.transforms == null || run.transforms.isEmpty()) {
            throw new FileFormatException(file + ": holds no \"transforms\"");
        }
        if (run.dimensions == 0) {
            return inPixels(file);
        }
        MutualTransforms read = new MutualTransforms(run.dimensions);
        for (Entry entry : run.transforms) {
            double[] world = entry == null ? null : entry.millimetres;
            if (world == null || world.length != 16 || !Affine3.isInvertible(world)) {
                throw new FileFormatException(file + ", transform " + (read.worlds.size() + 1)
                        + ": \"millimetres\" must be the 16 numbers of a matrix that can be inverted");
            }
            read.worlds.add(world);
        }
        return read;
    }

    /** The file's transforms are of images, or of volumes, as asked. */
    boolean suits(boolean planar) {
        return dimensions == (planar ? 2 : 3);
    }

    /** Fixed -&gt; moving, voxels, of registration index, from 0; the last transform if there are fewer. */
    double[] voxels(int index, MutualPair pair) throws FrameReadException {
        if (pixels == null) {
            return pair.inVoxels(worlds.get(Math.min(index, worlds.size() - 1)));
        }
        int frame = Math.min(index + 1, pixels.lastFrame());
        if (pixels.get(frame) == null) {
            throw new FrameReadException("the initial transforms have none for frame " + frame);
        }
        return Affine3.of(pixels.get(frame).inverse());
    }
}
