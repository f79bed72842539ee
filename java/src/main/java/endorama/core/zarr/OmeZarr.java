package endorama.core.zarr;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import endorama.core.files.AtomicFolder;
import endorama.core.files.StoppedException;
import endorama.core.frames.PixelSize;
import endorama.core.frames.PixelType;
import endorama.core.paint.Panorama;
import endorama.core.paint.Pyramid;
import endorama.core.transforms.Transform;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;

/**
 * Writes panoramas as OME-Zarr: axes c, y, x; colours as three channels; smaller levels as means of 2 x 2 pixels; coverage and
 * uncertainty, where they were asked for, as labels (their smaller levels are single pixels, as labels have no mean). Coordinates
 * are those of the first frame, in its unit of length or in pixels. The folder is there whole or not at all, and a run that was
 * ended goes on with what is there. A few rows of chunks are in memory at a time.
 */
public final class OmeZarr {
    private static final int MOST_THREADS = 16;
    private static final String[] COLOURS = {"FF0000", "00FF00", "0000FF"};
    private static final String[] NAMES = {"red", "green", "blue"};
    private static final String LABELS = "labels";

    private final Ngff version;
    private final PixelSize size;
    private final int threads;

    /** One multiscale image, while it is written. */
    private final class Image {
        final Path folder;
        final Pyramid pyramid;
        final boolean means;
        final List<ChunkFiles> levels = new ArrayList<ChunkFiles>();
        /** Smallest and largest value of the smallest level, 0 apart. */
        int darkest = Integer.MAX_VALUE;
        int brightest;

        Image(Path folder, PixelType type, int width, int height, boolean means, ExecutorService pool, Callable<?> watch) {
            this.folder = folder;
            this.means = means;
            pyramid = new Pyramid(type, width, height, means, this::take);
            for (int i = 0; i < pyramid.levels(); i++) {
                levels.add(new ChunkFiles(folder.resolve(i + ""), version == Ngff.V05, pyramid.width(i), pyramid.height(i),
                        pyramid.samples(), pyramid.bytes(), pool, watch));
            }
        }

        private void take(int level, byte[] band, int rows) throws IOException {
            if (level == pyramid.levels() - 1) {
                int step = pyramid.bytes();
                for (int i = 0; i < rows * pyramid.width(level) * pyramid.samples() * step; i += step) {
                    int value = step == 1 ? band[i] & 255 : band[i] & 255 | (band[i + 1] & 255) << 8;
                    darkest = value > 0 ? Math.min(darkest, value) : darkest;
                    brightest = Math.max(brightest, value);
                }
            }
            levels.get(level).write(band, rows);
        }
    }

    /**
     * A writer.
     *
     * @param size of the pixels of the frames; null: coordinates are pixels
     * @param threads that compress; 0: as many as there are processors
     */
    public OmeZarr(Ngff version, PixelSize size, int threads) {
        this.version = version;
        this.size = size;
        this.threads = Math.min(MOST_THREADS, threads == 0 ? Runtime.getRuntime().availableProcessors() : threads);
    }

    /** The name is that of an OME-Zarr. */
    public static boolean isName(File file) {
        return file.getName().toLowerCase(Locale.ROOT).endsWith(".zarr");
    }

    /** @throws IOException that says why the folder cannot be written: what stands there is not of this class, for example */
    public static void check(File folder) throws IOException {
        AtomicFolder.check(folder, OmeZarr::isKnown);
    }

    private static boolean isKnown(String path) {
        return path.matches("(labels/)?(\\.zgroup|\\.zattrs|zarr\\.json|coverage|uncertainty)|labels|\\d+(/.*)?");
    }

    /**
     * Writes a panorama with its extra pictures.
     *
     * @param stopped asked before every chunk: true ends the writing
     * @throws StoppedException if it was stopped; what is written stays for the next run
     * @throws IOException that names the folder
     */
    public void write(File folder, Panorama panorama, BooleanSupplier stopped) throws IOException {
        Map<String, Pyramid.Rows> labels = new LinkedHashMap<String, Pyramid.Rows>();
        labels.put("coverage", panorama.coverageRows());
        labels.put("uncertainty", panorama.uncertaintyRows());
        labels.values().removeIf(rows -> rows == null);
        write(folder, panorama.type(), panorama.width(), panorama.height(), panorama::rows, labels, panorama.transform(),
                stopped);
    }

    /** Writes a picture and labels of 16 bit by their names; transform: first frame -> picture, a scaling and a shift. */
    void write(File folder, PixelType type, int width, int height, Pyramid.Rows rows, Map<String, Pyramid.Rows> labels,
            Transform transform, BooleanSupplier stopped) throws IOException {
        String kind = version + " " + type + " " + width + " x " + height + " " + labels.keySet();
        AtomicFolder.write(folder, kind, OmeZarr::isKnown, part -> {
            ExecutorService pool = Executors.newFixedThreadPool(threads);
            Callable<?> watch = () -> {
                if (stopped.getAsBoolean()) {
                    throw new StoppedException(folder + ": interrupted while it was written; the same command goes on with "
                            + folder.getName() + ".part");
                }
                return null;
            };
            try {
                // Labels are written before the panorama, whose metadata say that the folder is whole.
                for (Map.Entry<String, Pyramid.Rows> label : labels.entrySet()) {
                    Image image = new Image(part.resolve(LABELS).resolve(label.getKey()), PixelType.GREY16, width, height,
                            false, pool, watch);
                    write(image, label.getValue(), label.getKey(), transform, labelled());
                }
                if (!labels.isEmpty()) {
                    group(part.resolve(LABELS), Collections.singletonMap(LABELS, labels.keySet()));
                }
                Image image = new Image(part, type, width, height, true, pool, watch);
                write(image, rows, folder.getName().replaceFirst("(?i)(\\.ome)?\\.zarr$", ""), transform, null);
            } finally {
                pool.shutdownNow();
            }
        });
    }

    private void write(Image image, Pyramid.Rows rows, String name, Transform transform, Map<String, Object> label)
            throws IOException {
        image.pyramid.read(rows);
        for (int level = 0; level < image.pyramid.levels(); level++) {
            array(image, level);
        }
        Map<String, Object> attributes = new LinkedHashMap<String, Object>();
        attributes.put("multiscales", Collections.singletonList(multiscale(image, name, transform)));
        if (label == null) {
            attributes.put("omero", omero(image));
        } else {
            attributes.put("image-label", label);
        }
        group(image.folder, attributes);
    }

    // ---------------------------------------------------------------- metadata

    private static Map<String, Object> map(Object... keysAndValues) {
        Map<String, Object> map = new LinkedHashMap<String, Object>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return map;
    }

    private static void json(Path file, Object content) throws IOException {
        Gson gson = new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().serializeNulls().create();
        Files.createDirectories(file.getParent());
        Files.write(file, (gson.toJson(content) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private void group(Path folder, Map<String, ?> attributes) throws IOException {
        if (version == Ngff.V04) {
            json(folder.resolve(".zgroup"), map("zarr_format", 2));
            json(folder.resolve(".zattrs"), attributes);
            return;
        }
        Map<String, Object> ome = map("version", version.toString());
        ome.putAll(attributes);
        json(folder.resolve("zarr.json"), map("zarr_format", 3, "node_type", "group", "attributes", map("ome", ome)));
    }

    private void array(Image image, int level) throws IOException {
        Path folder = image.folder.resolve(level + "");
        int channels = image.pyramid.samples();
        boolean wide = image.pyramid.bytes() == 2;
        int side = ChunkFiles.SIDE;
        List<Integer> shape = Arrays.asList(channels, image.pyramid.height(level), image.pyramid.width(level));
        List<Integer> chunk = Arrays.asList(1, side, side);
        Map<String, Object> gzip = map("level", Gzip.LEVEL);
        if (version == Ngff.V04) {
            gzip.put("id", "gzip");
            json(folder.resolve(".zarray"), map("zarr_format", 2, "shape", shape, "chunks", chunk,
                    "dtype", wide ? "<u2" : "|u1", "compressor", gzip, "fill_value", 0, "order", "C", "filters", null,
                    "dimension_separator", "/"));
            return;
        }
        Map<String, Object> endian = codec("bytes", map("endian", "little"));
        Map<String, Object> shard = map("chunk_shape", chunk,
                "codecs", Arrays.asList(wide ? endian : map("name", "bytes"), codec("gzip", gzip)),
                "index_codecs", Arrays.asList(endian, map("name", "crc32c")), "index_location", "end");
        int outer = side * ChunkFiles.ACROSS;
        json(folder.resolve("zarr.json"), map("zarr_format", 3, "node_type", "array", "shape", shape,
                "data_type", wide ? "uint16" : "uint8",
                "chunk_grid", codec("regular", map("chunk_shape", Arrays.asList(channels, outer, outer))),
                "chunk_key_encoding", codec("default", map("separator", "/")), "fill_value", 0,
                "codecs", Collections.singletonList(codec("sharding_indexed", shard)),
                "dimension_names", Arrays.asList("c", "y", "x"), "attributes", map()));
    }

    private static Map<String, Object> codec(String name, Map<String, Object> configuration) {
        return map("name", name, "configuration", configuration);
    }

    private Map<String, Object> multiscale(Image image, String name, Transform transform) {
        List<Object> datasets = new ArrayList<Object>();
        for (int level = 0; level < image.pyramid.levels(); level++) {
            datasets.add(map("path", level + "", "coordinateTransformations", places(image, level, transform)));
        }
        Map<String, Object> multiscale = new LinkedHashMap<String, Object>();
        if (version == Ngff.V04) {
            multiscale.put("version", version.toString());
        }
        multiscale.putAll(map("name", name, "axes", Arrays.asList(map("name", "c", "type", "channel"), axis("y"), axis("x")),
                "datasets", datasets, "type", image.means ? "mean" : "nearest",
                "metadata", map("description", image.means ? "each level is the one before by means of 2 x 2 pixels"
                        : "each level is the first of 2 x 2 pixels of the one before")));
        return multiscale;
    }

    private Map<String, Object> axis(String name) {
        Map<String, Object> axis = map("name", name, "type", "space");
        if (size != null) {
            axis.put("unit", size.unit);
        }
        return axis;
    }

    /** Pixel of a level -> place in the first frame, in its unit or its pixels. */
    private List<Object> places(Image image, int level, Transform transform) {
        Transform back = transform.inverse();
        double step = Math.pow(2, level);
        double middle = image.means ? (step - 1) / 2 : 0;
        double width = size == null ? 1 : size.width;
        double height = size == null ? 1 : size.height;
        return Arrays.asList(
                map("type", "scale", "scale", Arrays.asList(1.0, height * back.m11 * step, width * back.m00 * step)),
                map("type", "translation", "translation", Arrays.asList(0.0, height * back.applyY(middle, middle),
                        width * back.applyX(middle, middle))));
    }

    private Map<String, Object> omero(Image image) {
        boolean colour = image.pyramid.samples() == 3;
        boolean wide = image.pyramid.bytes() == 2;
        int most = wide ? 65535 : 255;
        boolean ranged = wide && image.darkest < image.brightest;
        Map<String, Object> window = map("min", 0, "max", most, "start", ranged ? image.darkest : 0, "end",
                ranged ? image.brightest : most);
        List<Object> channels = new ArrayList<Object>();
        for (int c = 0; c < image.pyramid.samples(); c++) {
            channels.add(map("label", colour ? NAMES[c] : "grey", "color", colour ? COLOURS[c] : "FFFFFF", "active", true,
                    "coefficient", 1, "family", "linear", "inverted", false, "window", window));
        }
        return map("channels", channels, "rdefs", map("model", colour ? "color" : "greyscale"));
    }

    private Map<String, Object> labelled() {
        Map<String, Object> source = map("source", map("image", "../../"));
        if (version == Ngff.V04) {
            source.put("version", version.toString());
        }
        return source;
    }
}
