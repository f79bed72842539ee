package endorama.core.mosaic;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import endorama.core.common.LoggedProgress;
import endorama.core.common.Progress;
import endorama.core.files.AtomicFile;
import endorama.core.files.FileFormatException;
import endorama.core.files.TextFile;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.frames.PixelType;
import endorama.core.options.Commands;
import endorama.core.options.MosaicParameters;
import endorama.core.options.Option;
import endorama.core.options.OptionValues;
import endorama.core.transforms.Transform;
import endorama.core.transforms.Transforms;
import endorama.jni.NativeLibrary;
import endorama.jni.NativeMosaic;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * The file between two stages of a mosaic, as JSON: after registration the frames and all edges; after solving the frames with
 * their poses. Only the version that wrote a file reads it. With the same options and frames, the three stages give the bytes
 * of one run.
 */
public final class StageFile {
    /** Stage: all pairs are registered. */
    public static final String PAIRS = "pairs";
    /** Stage: all poses are solved for. */
    public static final String POSES = "places";
    /** Number of frames, spread over the sequence, whose pixels are compared with those that were registered. */
    private static final int SAMPLES = 8;
    /** Limit of the numbers of a file: pixels and the elements of poses. */
    private static final double LARGEST = 1e12;

    private String software = "Endorama";
    private String version = NativeLibrary.VERSION;
    private String stage;
    private String backend;
    private int width;
    private int height;
    private PixelType type;
    private Map<String, Object> options;
    /** Warnings about the poses, in the order in which to solve them. */
    private List<String> warnings = Collections.emptyList();
    private List<FrameRow> rows;
    /** Names of the frames. */
    private List<String> names;
    /** Numbers of the frames that were left out by hand, ascending. */
    private int[] excluded;
    private List<Edge> edges;
    /** Root mean square distance of the field's pixels from the middle of the frame, px. */
    private double spread;
    /** Indices, from 0, of sampled readable frames, and check sums of their pixels. */
    private int[] sampled;
    private long[] sums;

    private StageFile() {
    }

    private static Gson gson() {
        return new GsonBuilder().serializeSpecialFloatingPointValues().disableHtmlEscaping().create();
    }

    /** The file after registration. */
    static StageFile of(FrameSource source, Map<String, Object> options, NativeMosaic mosaic) {
        double[] spread = new double[1];
        mosaic.field(source.width() * source.height(), spread);
        StageFile file = new StageFile();
        file.stage = PAIRS;
        file.backend = mosaic.backend();
        file.width = source.width();
        file.height = source.height();
        file.type = source.type();
        file.options = new LinkedHashMap<String, Object>(options);
        file.options.put("lens", mosaic.lens());
        file.rows = FrameRow.of(mosaic.frames());
        file.names = new ArrayList<String>();
        for (int i = 0; i < file.rows.size(); i++) {
            file.names.add(source.label(i));
        }
        file.excluded = source.excluded();
        file.edges = Edge.of(mosaic.edges());
        file.spread = spread[0];
        file.sample(source);
        return file;
    }

    /** A file of its own with the same content, to be solved for with other links. */
    public StageFile copy() {
        return gson().fromJson(text(), StageFile.class);
    }

    String text() {
        return gson().toJson(this) + "\n";
    }

    private void sample(FrameSource source) {
        Map<Integer, Long> found = new LinkedHashMap<Integer, Long>();
        for (int i = 0; i < SAMPLES; i++) {
            int frame = (int) ((long) i * (source.count() - 1) / (SAMPLES - 1));
            try {
                found.put(frame, sum(source, frame));
            } catch (FrameReadException e) {
                continue; // The run has reported it.
            }
        }
        sampled = found.keySet().stream().mapToInt(Integer::intValue).toArray();
        sums = found.values().stream().mapToLong(Long::longValue).toArray();
    }

    /** CRC-32 of the pixels of a frame, big-endian. */
    private static long sum(FrameSource source, int frame) throws FrameReadException {
        Object pixels = Frames.pixels(source, frame);
        ByteBuffer bytes = ByteBuffer.allocate(source.width() * source.height() * source.type().bytes());
        switch (source.type()) {
            case GREY8: bytes.put((byte[]) pixels); break;
            case GREY16: bytes.asShortBuffer().put((short[]) pixels); break;
            default: bytes.asIntBuffer().put((int[]) pixels);
        }
        CRC32 sum = new CRC32();
        sum.update(bytes.array());
        return sum.getValue();
    }

    /** Writes the text of {@link MosaicSession#pairs} or {@link #solved}; the file is there whole or not at all. */
    public static void write(File file, String text) throws IOException {
        AtomicFile.write(file, text);
    }

    // ----------------------------------------------------------------- solving

    /** The links of a file of {@link #PAIRS}, as they were registered. */
    public Links links() {
        List<Link> links = new ArrayList<Link>();
        for (Edge edge : edges) {
            links.add(edge.link(rows));
        }
        return new Links(links);
    }

    /**
     * Solves for the poses of all frames, and returns the text of the file. Changes the rows of this one.
     *
     * @param mended links that count in the place of those of registration; null: those count
     * @throws IllegalArgumentException if the links are not of these frames
     */
    public String solved(Links mended, Progress progress) throws FrameReadException {
        solve(mended, progress);
        return text();
    }

    /** As {@link #solved}, without the text. */
    public void solve(Links mended, Progress progress) throws FrameReadException {
        if (mended != null) {
            edges = mended(mended);
        }
        Engine engine = new Engine(null, MosaicParameters.of(values()), new LoggedProgress(progress), MosaicListener.NONE);
        try {
            NativeMosaic.Records frames = FrameRow.records(rows);
            RuntimeException ended = engine.run(mosaic -> mosaic.solve(width, height, spread, frames, Edge.records(edges)));
            if (ended != null) {
                throw ended;
            }
            for (int i = 0; i < rows.size(); i++) {
                rows.get(i).take(frames, i);
            }
            warnings = engine.warnings();
        } finally {
            engine.close();
        }
        stage = POSES;
        edges = null;
    }

    /** The edges of the links in use: those of registration as they were, in their order, then the others. */
    private List<Edge> mended(Links mended) {
        check(mended);
        Map<List<Integer>, List<Link>> listed = new LinkedHashMap<List<Integer>, List<Link>>();
        for (Link link : mended.inUse(excluded)) {
            listed.computeIfAbsent(link.frames(), frames -> new ArrayList<Link>()).add(link);
        }
        List<Edge> used = new ArrayList<Edge>();
        for (Edge edge : edges) {
            Link registered = edge.link(rows);
            List<Link> others = listed.getOrDefault(registered.frames(), Collections.<Link>emptyList());
            Link same = others.stream().filter(registered::isLike).findFirst().orElse(null);
            if (same != null) {
                others.remove(same);
                used.add(edge);
            }
        }
        for (List<Link> others : listed.values()) {
            for (Link link : others) {
                used.add(Edge.of(link, rows));
            }
        }
        return used;
    }

    // ----------------------------------------------------------------- reading

    /** @param stage that must have written it: {@link #PAIRS} or {@link #POSES} */
    public static StageFile read(File file, String stage) throws IOException {
        StageFile read;
        try {
            read = gson().fromJson(String.join("\n", TextFile.lines(file)), StageFile.class);
        } catch (JsonParseException | IllegalArgumentException e) { // the latter of a null among numbers, too
            throw new FileFormatException(file + ": not a file that register or solve writes, or truncated: "
                    + TextFile.jsonProblem(e), e);
        }
        String wrong = read == null ? "it is empty" : read.wrong(stage);
        if (wrong != null) {
            throw new FileFormatException(file + ": not a file of " + stage + ": " + wrong);
        }
        return read;
    }

    /** The first error of the file; null if it has none. */
    private String wrong(String wanted) {
        if (!NativeLibrary.VERSION.equals(version) || rows == null || rows.isEmpty() || options == null || backend == null
                || type == null || warnings == null || names == null || names.size() != rows.size()
                || excluded == null || !isAscending(excluded)
                || width < 1 || height < 1 || !(spread >= 0 && spread <= LARGEST) || !hasSamples()) {
            return "it was written by another version, or is damaged";
        }
        if (!wanted.equals(stage)) {
            return "it is one of " + TextFile.excerpt(String.valueOf(stage));
        }
        for (int i = 0; i < rows.size(); i++) {
            if (rows.get(i) == null || rows.get(i).frame <= (i == 0 ? 0 : rows.get(i - 1).frame)
                    || rows.get(i).frame == Integer.MAX_VALUE || !isWhole(rows.get(i))) {
                return "row " + (i + 1) + " is damaged";
            }
        }
        return wanted.equals(PAIRS) && wrongEdge() != null ? wrongEdge() : wrongOption();
    }

    /** The numbers of frames grow, from 1. */
    private static boolean isAscending(int[] frames) {
        boolean grow = frames.length == 0 || frames[0] >= 1;
        for (int i = 1; grow && i < frames.length; i++) {
            grow = frames[i] > frames[i - 1];
        }
        return grow;
    }

    private boolean hasSamples() {
        boolean whole = sampled != null && sums != null && sampled.length == sums.length;
        for (int i = 0; whole && i < sampled.length; i++) {
            whole = isFrame(sampled[i]);
        }
        return whole;
    }

    private boolean isWhole(FrameRow row) {
        return !(row.deviation < 0 || row.deviation > LARGEST) && row.status != null && row.hasBackend() && row.hasHidden() && isWhole(row.transform)
                && (row.chained == null || isWhole(row.chained)) && row.part >= 0 && row.part <= rows.size()
                && row.chain >= 0 && row.chain <= rows.size()
                && (row.reference == 0 || FrameRow.index(rows, row.reference) >= 0);
    }

    private static boolean isWhole(Transform transform) {
        boolean whole = transform != null && transform.kind != null && transform.isInvertible();
        for (int i = 0; whole && i < 9; i++) {
            whole = Math.abs(transform.toArray()[i]) <= LARGEST;
        }
        return whole;
    }

    private String wrongEdge() {
        if (edges == null) {
            return "it has no pairs";
        }
        for (int i = 0; i < edges.size(); i++) {
            Edge edge = edges.get(i);
            boolean whole = edge != null && isFrame(edge.reference) && isFrame(edge.current)
                    && edge.reference != edge.current && isWhole(edge.transform) && edge.deviation > 0
                    && edge.deviation <= LARGEST && rows.get(edge.reference).registered
                    && rows.get(edge.current).registered;
            if (!whole) {
                return "pair " + (i + 1) + " is damaged";
            }
        }
        return null;
    }

    private String wrongOption() {
        try {
            values();
            return null;
        } catch (IllegalArgumentException e) {
            return "its option " + e.getMessage();
        }
    }

    private boolean isFrame(int frame) {
        return frame >= 0 && frame < rows.size();
    }

    /** @throws FrameReadException unless these are the frames that were registered */
    public void check(FrameSource source) throws FrameReadException {
        if (source.width() != width || source.height() != height || source.count() != rows.size()
                || source.type() != type) {
            throw new FrameReadException("the places are of " + rows.size() + " frames of " + width + " x " + height + ", "
                    + type + ", the input has " + source.count() + " of " + source.width() + " x " + source.height() + ", "
                    + source.type());
        }
        for (int i = 0; i < rows.size(); i++) {
            if (source.number(i) != rows.get(i).frame) {
                throw new FrameReadException("place " + (i + 1) + " is of frame " + rows.get(i).frame + ", the input has frame "
                        + source.number(i) + " there; take the frames that were registered (options frames, exclude)");
            }
        }
        for (int i = 0; i < sampled.length; i++) {
            if (sum(source, sampled[i]) != sums[i]) {
                throw new FrameReadException(Frames.name(source, sampled[i]) + " is not the frame that was registered as number "
                        + rows.get(sampled[i]).frame + ": its pixels differ; give the same frames in the same order");
            }
        }
    }

    /** @throws IllegalArgumentException if one of the links is of a frame that the sequence has not got */
    void check(Links links) {
        links.check(rows.stream().mapToInt(row -> row.frame).toArray(), excluded);
    }

    /** @throws IllegalArgumentException unless the distortion of the same lens is taken out of the frames */
    public void check(MosaicParameters parameters) {
        double lens = lens();
        if (parameters.lens() != lens) {
            throw new IllegalArgumentException("lens " + Option.plain(parameters.options().get("lens")) + ": the frames were"
                    + " registered with lens " + Option.plain(lens));
        }
    }

    /** The options that the frames were registered with. */
    public OptionValues values() {
        Map<String, String> given = new LinkedHashMap<String, String>();
        for (Map.Entry<String, Object> saved : options.entrySet()) {
            given.put(saved.getKey(), Option.plain(saved.getValue()));
        }
        return Commands.MOSAIC.parseArguments(given);
    }

    /** Distortion of the lens that was taken out of the frames, percent; 0: none. */
    double lens() {
        return MosaicParameters.of(values()).lens();
    }

    /** Width of the frames, px. */
    public int width() {
        return width;
    }

    /** Height of the frames, px. */
    public int height() {
        return height;
    }

    /** One row a frame. */
    public List<FrameRow> rows() {
        return rows;
    }

    /** The rows with those of the frames that were left out by hand, for tables. */
    public List<FrameRow> allRows() {
        return FrameRow.with(excluded, rows);
    }

    /** Warnings about the poses, for people, in the order in which to solve them. */
    public List<String> warnings() {
        return warnings;
    }

    /** Description of the back end: {@code cpu (avx512, 2 threads)}. */
    public String backend() {
        return backend;
    }

    /** The transforms with the metadata of their file. */
    public Transforms saved() {
        Transforms transforms = MosaicResult.saved(rows, width, height).named(frame -> names.get(FrameRow.index(rows, frame)));
        transforms.onto(width, height);
        transforms.lens(lens());
        return transforms;
    }

    /** Whether a panorama of these poses can be used, why not, and what to do next. */
    public Verdict verdict() {
        return Verdict.of(rows, warnings, null, false, false);
    }
}
