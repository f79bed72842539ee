package endorama.core.zarr;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelSize;
import endorama.core.frames.PixelType;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The largest level of an OME-Zarr (NGFF 0.1 to 0.5) as frames: along the axis t, or along z where t is one point. Three channels
 * of 8 bit are colours; of others the first is taken.
 */
public final class ZarrFrames implements FrameSource {
    private static final int MOST_FRAMES = 1 << 24;
    /** Axes where the metadata name none, before NGFF 0.3. */
    private static final List<String> OLD_AXES = Arrays.asList("t", "c", "z", "y", "x");

    private final File folder;
    private final ZarrArray array;
    private final int along;
    private final int channel;
    private final int width;
    private final int height;
    private final int count;
    private final PixelType type;
    private final String warning;
    private final PixelSize size;

    /** @throws FrameReadException that names the file, the key, the value and what is allowed */
    public ZarrFrames(File folder) throws FrameReadException {
        this.folder = folder;
        ZarrJson multiscale = multiscale(folder.toPath());
        List<String> axes = axes(multiscale);
        ZarrJson largest = multiscale.objects("datasets").get(0);
        array = new ZarrArray(folder.toPath().resolve(inside(largest)));
        long[] shape = array.shape();
        if (shape.length != axes.size()) {
            throw multiscale.wrong("axes", shape.length + " axes, as the array has");
        }
        int t = axes.indexOf("t");
        int z = axes.indexOf("z");
        channel = axes.indexOf("c");
        along = t >= 0 && (shape[t] > 1 || z < 0 || shape[z] == 1) ? t : z;
        if (along == t && z >= 0 && shape[z] > 1) {
            throw new FrameReadException(folder + ": has " + shape[t] + " points of time of " + shape[z] + " planes; frames lie"
                    + " along one axis: give an image of one plane");
        }
        height = side(shape[shape.length - 2], shape);
        width = side(shape[shape.length - 1], shape);
        count = along < 0 ? 1 : (int) Math.min(MOST_FRAMES + 1, shape[along]);
        if (count > MOST_FRAMES || (long) width * height > Integer.MAX_VALUE - 8) {
            throw new FrameReadException(folder + ": its shape is " + Arrays.toString(shape) + "; must be at most " + MOST_FRAMES
                    + " frames of 2^31 pixels");
        }
        long channels = channel < 0 ? 1 : shape[channel];
        type = array.bytes() == 2 ? PixelType.GREY16 : channels == 3 ? PixelType.RGB32 : PixelType.GREY8;
        warning = channels == 1 || type == PixelType.RGB32 ? null
                : folder + " has " + channels + " channels; the first one is taken";
        size = size(multiscale, largest, axes);
    }

    private int side(long length, long[] shape) throws FrameReadException {
        if (length > Integer.MAX_VALUE) {
            throw new FrameReadException(folder + ": its shape is " + Arrays.toString(shape) + "; frames have at most 2^31"
                    + " pixels");
        }
        return (int) length;
    }

    /** The folder is a Zarr, by its name or by what is in it. */
    public static boolean isZarr(File folder) {
        if (!folder.isDirectory()) {
            return false;
        }
        for (String name : new String[] {".zgroup", ".zattrs", ".zarray", "zarr.json"}) {
            if (new File(folder, name).exists()) {
                return true;
            }
        }
        return folder.getName().toLowerCase(Locale.ROOT).endsWith(".zarr");
    }

    // ---------------------------------------------------------------- metadata

    /** The first multiscale image of a group. */
    private static ZarrJson multiscale(Path folder) throws FrameReadException {
        ZarrJson group = ZarrJson.read(folder.resolve(Files.exists(folder.resolve("zarr.json")) ? "zarr.json" : ".zattrs"));
        if (group.has("attributes")) {
            group = group.object("attributes");
            group = group.has("ome") ? group.object("ome") : group;
        }
        if (!group.has("multiscales")) {
            String hint = group.has("bioformats2raw.layout") ? ": it holds several images; give one of them, such as "
                    + folder.resolve("0") : group.has("plate") || group.has("well") ? ": it is a plate; give one of its fields"
                    : "";
            throw new FrameReadException(group.file() + ": multiscales is missing, so it is no OME-Zarr image" + hint);
        }
        return group.objects("multiscales").get(0);
    }

    private static List<String> axes(ZarrJson multiscale) throws FrameReadException {
        List<String> axes = new ArrayList<String>();
        if (!multiscale.has("axes")) {
            axes.addAll(OLD_AXES);
        } else {
            axes.addAll(multiscale.names("axes", "name"));
        }
        int n = axes.size();
        boolean known = OLD_AXES.containsAll(axes) && n == axes.stream().distinct().count();
        if (!known || n < 2 || !axes.get(n - 2).equals("y") || !axes.get(n - 1).equals("x")) {
            throw multiscale.wrong("axes", "some of t, c, z, and at the end y, x");
        }
        return axes;
    }

    /** The path of the array, which must stay in the folder. */
    private static String inside(ZarrJson dataset) throws FrameReadException {
        String path = dataset.text("path");
        for (String name : path.split("/", -1)) {
            if (name.isEmpty() || name.equals(".") || name.equals("..") || name.indexOf('\\') >= 0 || name.indexOf(':') >= 0
                    || name.indexOf('\0') >= 0) {
                throw dataset.wrong("path", "names of folders in this one, with / between them");
            }
        }
        return path;
    }

    /** The pixel size; null where it, or its unit, is not said or not understood: frames need none. */
    private static PixelSize size(ZarrJson multiscale, ZarrJson dataset, List<String> axes) {
        try {
            List<String> units = multiscale.names("axes", "unit");
            for (ZarrJson transformation : dataset.objects("coordinateTransformations")) {
                if (transformation.text("type").equals("scale")) {
                    double[] scale = transformation.numbers("scale");
                    int n = axes.size();
                    return scale.length != n || !units.get(n - 1).equals(units.get(n - 2)) ? null
                            : PixelSize.of(scale[n - 1], scale[n - 2], units.get(n - 1));
                }
            }
            return null;
        } catch (FrameReadException e) {
            return null;
        }
    }

    // ------------------------------------------------------------------ frames

    @Override
    public int count() {
        return count;
    }

    @Override
    public int width() {
        return width;
    }

    @Override
    public int height() {
        return height;
    }

    @Override
    public PixelType type() {
        return type;
    }

    @Override
    public String warning() {
        return warning;
    }

    @Override
    public PixelSize pixelSize() {
        return size;
    }

    @Override
    public Object pixels(int index) throws FrameReadException {
        try {
            Object pixels = type.array(width * height);
            long[] place = new long[array.shape().length];
            if (along >= 0) {
                place[along] = index;
            }
            for (int c = 0; c < (type == PixelType.RGB32 ? 3 : 1); c++) {
                if (channel >= 0) {
                    place[channel] = c;
                }
                int shift = 16 - 8 * c;
                array.read(place, (chunk, from, n, row, column) -> put(pixels, row * width + column, chunk, from, n, shift));
            }
            return pixels;
        } catch (IOException | RuntimeException | LinkageError | OutOfMemoryError e) {
            throw FrameReadException.because("frame " + (index + 1) + " of " + folder, e);
        }
    }

    private void put(Object pixels, int to, byte[] chunk, int from, int n, int shift) {
        for (int i = 0; i < n; i++) {
            int value = array.sample(chunk, from + i * array.bytes());
            switch (type) {
                case GREY8: ((byte[]) pixels)[to + i] = (byte) value; break;
                case GREY16: ((short[]) pixels)[to + i] = (short) value; break;
                default: ((int[]) pixels)[to + i] |= 0xff000000 | value << shift;
            }
        }
    }
}
