package endorama.core.paint;

import endorama.core.frames.PixelType;
import endorama.core.transforms.Transform;
import endorama.jni.EndoramaException;
import endorama.jni.MosaicOptions;
import endorama.jni.NativeMosaic;
import java.io.Closeable;
import java.lang.ref.SoftReference;
import java.util.EnumMap;
import java.util.Map;

/** A painted panorama and its position. The library keeps it, in memory or on the disk, until it is closed. */
public final class Panorama implements Closeable {
    /** Unit of {@link #uncertainty}, px of the first frame. */
    public static final double UNCERTAINTY_STEP = 0.01;
    /** Pixels to read in one call. */
    private static final int BAND = 1 << 22;

    /** The pictures of a panorama. */
    enum Picture {
        PIXELS, PAINTED, COVERAGE, UNCERTAINTY
    }

    /** Reads rows of a picture. */
    interface Rows {
        /** n*width values from a row on, into an array of the picture's type. */
        void read(Picture picture, int first, int n, Object into);
    }

    private final PixelType type;
    private final int width;
    private final int height;
    private final Transform transform;
    private final double scale;
    private final int extras;
    private final Rows rows;
    /** Whole pictures that were asked for, while Java has the memory. */
    private final Map<Picture, SoftReference<Object>> whole = new EnumMap<Picture, SoftReference<Object>>(Picture.class);
    /** The mosaic that holds the panorama; null: nothing has to be closed. */
    private final NativeMosaic mosaic;

    /** A panorama of rows from anywhere, without further pictures. */
    Panorama(PixelType type, int width, int height, Rows rows) {
        this.type = type;
        this.width = width;
        this.height = height;
        this.transform = Transform.IDENTITY;
        this.scale = 1;
        this.extras = 0;
        this.rows = rows;
        this.mosaic = null;
    }

    private Panorama(NativeMosaic mosaic, int component, PixelType type, NativeMosaic.Description shape) {
        Transform scaling = Transform.scaling(shape.scale);
        this.type = type;
        this.width = shape.width;
        this.height = shape.height;
        this.transform = Transform.translation(shape.originX - scaling.applyX(0, 0), shape.originY - scaling.applyY(0, 0))
                .multiply(scaling);
        this.scale = shape.scale;
        this.extras = shape.extras;
        this.rows = (picture, first, n, into) -> mosaic.read(component, first, n, shape.width, type.code(),
                picture == Picture.PIXELS ? into : null, picture == Picture.PAINTED ? (byte[]) into : null,
                picture == Picture.COVERAGE ? (short[]) into : null,
                picture == Picture.UNCERTAINTY ? (short[]) into : null);
        this.mosaic = mosaic;
    }

    /** The panorama of a component of a mosaic, or 0: its last snapshot; null if nothing is painted. */
    public static Panorama of(NativeMosaic mosaic, int component, PixelType type) {
        NativeMosaic.Description shape = mosaic.describe(component);
        return shape.width == 0 ? null : new Panorama(mosaic, component, type, shape);
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
        return (int) Math.round(transform.applyX(0, 0));
    }

    /** Row of the panorama in which the first frame's pixel (0, 0) lies; may be outside. */
    public int originY() {
        return (int) Math.round(transform.applyY(0, 0));
    }

    /** Pixels of the panorama along one of the first frame. */
    public double scale() {
        return scale;
    }

    /** First frame -&gt; panorama, px. */
    public Transform transform() {
        return transform;
    }

    /**
     * byte[], short[] or int[] by type, width*height.
     *
     * @throws EndoramaException if Java's memory does not hold them, or they cannot be read from the disk
     */
    public Object pixels() {
        return all(Picture.PIXELS);
    }

    /** width*height bytes, -1 (255) where painted, 0 elsewhere; throws like {@link #pixels}. */
    public byte[] painted() {
        return (byte[]) all(Picture.PAINTED);
    }

    /** Number of frames that reach each pixel, width*height; null if it was not asked for. */
    public short[] coverage() {
        return has(MosaicOptions.COVERAGE) ? (short[]) all(Picture.COVERAGE) : null;
    }

    /**
     * Standard deviation of the pose at each pixel, the least of the frames that reach it: in {@link #UNCERTAINTY_STEP} pixels
     * of the first frame, 1..65534; 65535 where it is not known, 0 where nothing is painted. Null if it was not asked for.
     */
    public short[] uncertainty() {
        return has(MosaicOptions.UNCERTAINTY) ? (short[]) all(Picture.UNCERTAINTY) : null;
    }

    /** n rows of the pixels from first on. */
    public Object rows(int first, int n) {
        return read(Picture.PIXELS, first, n);
    }

    /** n rows of {@link #painted} from first on. */
    byte[] paintedRows(int first, int n) {
        return (byte[]) read(Picture.PAINTED, first, n);
    }

    /** Number of rows to read in one call. */
    int band() {
        return Math.max(1, Math.min(height, BAND / width));
    }

    /** The rows of {@link #coverage}; null if it was not asked for. */
    public Pyramid.Rows coverageRows() {
        return has(MosaicOptions.COVERAGE) ? (first, n) -> read(Picture.COVERAGE, first, n) : null;
    }

    /** The rows of {@link #uncertainty}; null if it was not asked for. */
    public Pyramid.Rows uncertaintyRows() {
        return has(MosaicOptions.UNCERTAINTY) ? (first, n) -> read(Picture.UNCERTAINTY, first, n) : null;
    }

    private boolean has(int extra) {
        return (extras & extra) != 0;
    }

    private Object all(Picture picture) {
        SoftReference<Object> before = whole.get(picture);
        Object there = before == null ? null : before.get();
        if (there == null) {
            there = read(picture, 0, height);
            whole.put(picture, new SoftReference<Object>(there));
        }
        return there;
    }

    private Object read(Picture picture, int first, int n) {
        PixelType wanted = picture == Picture.PIXELS ? type : picture == Picture.PAINTED ? PixelType.GREY8 : PixelType.GREY16;
        Object into = array(wanted, n);
        rows.read(picture, first, n, into);
        return into;
    }

    private Object array(PixelType wanted, int n) {
        long pixels = (long) width * n;
        try {
            if (pixels <= Integer.MAX_VALUE - 8) {
                return wanted.array((int) pixels);
            }
        } catch (OutOfMemoryError e) {
            // The error below tells that the transforms are there, and that a file can be written.
        }
        throw new EndoramaException(EndoramaException.Status.MEMORY, "Java's memory does not hold the panorama of " + width
                + " x " + height + " px; the transforms are complete: start Java with more memory (-Xmx), set max_canvas, or"
                + " write it as .ome.tif from a shell");
    }

    /** Closes its mosaic, with all other panoramas of it. */
    @Override
    public void close() {
        if (mosaic != null) {
            mosaic.close();
        }
    }
}
