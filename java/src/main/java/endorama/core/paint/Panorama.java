package endorama.core.paint;

import endorama.core.frames.PixelType;
import endorama.core.transforms.Rect;
import endorama.core.transforms.Transform;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * A painted picture, and where it lies. Its pixels are in Java's memory or, where that would not hold them and there is a
 * folder for it, on the disk until it is closed.
 */
public final class Panorama implements Closeable {
    private final PixelType type;
    private final int width;
    private final int height;
    private final double scale;
    private final Transform place;
    private final PixelRows pixels;
    private final PixelRows painted;
    private final PixelRows coverage;
    private final PixelRows uncertainty;

    Panorama(PixelType type, Rect rect, Object pixels, byte[] painted) {
        this(rect, 1, PanoramaRows.of(type, rect, pixels, painted));
    }

    /** With so many pixels along one of the first frame; rect: of these pixels. */
    Panorama(Rect rect, double scale, PanoramaRows rows) {
        this.type = rows.pixels.type;
        this.width = rect.width();
        this.height = rect.height();
        this.scale = scale;
        this.place = Transform.translation(-rect.left, -rect.top).multiply(Transform.scaling(scale));
        this.pixels = rows.pixels;
        this.painted = rows.painted;
        this.coverage = rows.coverage;
        this.uncertainty = rows.uncertainty;
    }

    /** Type of the pixels, that of the frames. */
    public PixelType type() {
        return type;
    }

    /** Width, px. */
    public int width() {
        return width;
    }

    /** Height, px. */
    public int height() {
        return height;
    }

    /** Column of the panorama in which the first frame's pixel (0, 0) lies; may be outside. */
    public int originX() {
        return (int) Math.round(place.applyX(0, 0));
    }

    /** Row of the panorama in which the first frame's pixel (0, 0) lies; may be outside. */
    public int originY() {
        return (int) Math.round(place.applyY(0, 0));
    }

    /** Pixels along one of the first frame. */
    public double scale() {
        return scale;
    }

    /** First frame -&gt; panorama, px. */
    public Transform place() {
        return place;
    }

    /**
     * byte[], short[] or int[] by type, width*height; not copied if they are in memory.
     *
     * @throws UncheckedIOException if they are on the disk and cannot be read
     * @throws OutOfMemoryError if they are on the disk, and Java's memory does not hold them
     */
    public Object pixels() {
        return all(pixels);
    }

    /** width*height bytes, -1 (255) where painted, 0 elsewhere; as {@link #pixels}. */
    public byte[] painted() {
        return (byte[]) all(painted);
    }

    /** How many frames reach a pixel, width*height; null if it was not asked for. */
    public short[] coverage() {
        return (short[]) all(coverage);
    }

    /**
     * Standard deviation of the place, of that frame among those that reach a pixel whose place is known best: in
     * {@link #UNCERTAINTY_STEP} pixels of the first frame, 1..65534; 65535 where it is not known, 0 where nothing is
     * painted. Null if it was not asked for.
     */
    public short[] uncertainty() {
        return (short[]) all(uncertainty);
    }

    /** Unit of {@link #uncertainty}, px of the first frame. */
    public static final double UNCERTAINTY_STEP = 0.01;

    /** n rows of the pixels from one on; not to be changed. */
    public Object rows(int first, int n) throws IOException {
        return pixels.get(first, n);
    }

    /** The same of what is painted. */
    byte[] paintedRows(int first, int n) throws IOException {
        return (byte[]) painted.get(first, n);
    }

    /** Rows that are best read at once. */
    int band() {
        return pixels.band();
    }

    /** The pictures beside it that were asked for: {@link #coverage} or {@link #uncertainty}, by rows; null: none. */
    public PyramidTiff.Rows coverageRows() {
        return coverage == null ? null : coverage::get;
    }

    /** The same for the uncertainty. */
    public PyramidTiff.Rows uncertaintyRows() {
        return uncertainty == null ? null : uncertainty::get;
    }

    private static Object all(PixelRows rows) {
        try {
            return rows == null ? null : rows.all();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Gives back what it takes on the disk. */
    @Override
    public void close() throws IOException {
        for (PixelRows rows : new PixelRows[] {pixels, painted, coverage, uncertainty}) {
            if (rows != null) {
                rows.close();
            }
        }
    }
}
