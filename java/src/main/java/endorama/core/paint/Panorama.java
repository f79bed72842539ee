package endorama.core.paint;

import endorama.core.frames.PixelType;
import endorama.core.transforms.Transform;
import endorama.jni.EndoramaException;
import endorama.jni.NativeMosaic;
import java.io.Closeable;

/** A painted picture, and where it lies. The library keeps it, in memory or on the disk, until that is closed. */
public final class Panorama implements Closeable {
    /** Unit of {@link #uncertainty}, px of the first frame. */
    public static final double UNCERTAINTY_STEP = 0.01;
    /** Pixels of it that are best read at once. */
    private static final int BAND = 1 << 22;

    private final NativeMosaic mosaic;
    private final int component;
    private final PixelType type;
    private final NativeMosaic.Description shape;
    private final int extras;
    private final Transform place;

    private Panorama(NativeMosaic mosaic, int component, PixelType type, int extras, NativeMosaic.Description shape) {
        this.mosaic = mosaic;
        this.component = component;
        this.type = type;
        this.extras = extras;
        this.shape = shape;
        Transform scaling = Transform.scaling(shape.scale);
        this.place = Transform.translation(shape.originX - scaling.applyX(0, 0), shape.originY - scaling.applyY(0, 0))
                .multiply(scaling);
    }

    /**
     * That of a component of a mosaic, or 0: its last snapshot; null if nothing is painted.
     *
     * @param extras pictures beside it: sum of {@link endorama.jni.MosaicOptions#COVERAGE} and
     *     {@link endorama.jni.MosaicOptions#UNCERTAINTY}
     */
    public static Panorama of(NativeMosaic mosaic, int component, PixelType type, int extras) {
        NativeMosaic.Description shape = mosaic.describe(component);
        return shape.width == 0 ? null : new Panorama(mosaic, component, type, extras, shape);
    }

    /** Type of the pixels, that of the frames. */
    public PixelType type() {
        return type;
    }

    /** Width, px. */
    public int width() {
        return shape.width;
    }

    /** Height, px. */
    public int height() {
        return shape.height;
    }

    /** Column of the panorama in which the first frame's pixel (0, 0) lies; may be outside. */
    public int originX() {
        return (int) Math.round(shape.originX);
    }

    /** Row of the panorama in which the first frame's pixel (0, 0) lies; may be outside. */
    public int originY() {
        return (int) Math.round(shape.originY);
    }

    /** Pixels along one of the first frame. */
    public double scale() {
        return shape.scale;
    }

    /** First frame -&gt; panorama, px. */
    public Transform place() {
        return place;
    }

    /**
     * byte[], short[] or int[] by type, width*height.
     *
     * @throws EndoramaException if Java's memory does not hold them, or they cannot be read from the disk
     */
    public Object pixels() {
        return read(type, 0, height(), 0);
    }

    /** width*height bytes, -1 (255) where painted, 0 elsewhere; as {@link #pixels}. */
    public byte[] painted() {
        return (byte[]) read(PixelType.GREY8, 0, height(), 1);
    }

    /** How many frames reach a pixel, width*height; null if it was not asked for. */
    public short[] coverage() {
        return (extras & 1) == 0 ? null : (short[]) read(PixelType.GREY16, 0, height(), 2);
    }

    /**
     * Standard deviation of the pose, of that frame among those that reach a pixel whose pose is known best: in
     * {@link #UNCERTAINTY_STEP} pixels of the first frame, 1..65534; 65535 where it is not known, 0 where nothing is
     * painted. Null if it was not asked for.
     */
    public short[] uncertainty() {
        return (extras & 2) == 0 ? null : (short[]) read(PixelType.GREY16, 0, height(), 3);
    }

    /** n rows of the pixels from one on. */
    public Object rows(int first, int n) {
        return read(type, first, n, 0);
    }

    /** n rows of what is painted. */
    byte[] paintedRows(int first, int n) {
        return (byte[]) read(PixelType.GREY8, first, n, 1);
    }

    /** Rows that are best read at once. */
    int band() {
        return Math.max(1, Math.min(height(), BAND / width()));
    }

    /** {@link #coverage} by rows; null if it was not asked for. */
    public PyramidTiff.Rows coverageRows() {
        return (extras & 1) == 0 ? null : (first, n) -> read(PixelType.GREY16, first, n, 2);
    }

    /** {@link #uncertainty} by rows; null if it was not asked for. */
    public PyramidTiff.Rows uncertaintyRows() {
        return (extras & 2) == 0 ? null : (first, n) -> read(PixelType.GREY16, first, n, 3);
    }

    /** picture: 0 pixels, 1 painted, 2 coverage, 3 uncertainty. */
    private Object read(PixelType wanted, int first, int n, int picture) {
        Object[] pictures = new Object[4];
        pictures[picture] = array(wanted, n);
        mosaic.read(component, first, n, width(), type.code(), pictures[0], (byte[]) pictures[1], (short[]) pictures[2],
                (short[]) pictures[3]);
        return pictures[picture];
    }

    private Object array(PixelType wanted, int rows) {
        long pixels = (long) width() * rows;
        try {
            if (pixels <= Integer.MAX_VALUE - 8) {
                return wanted.array((int) pixels);
            }
        } catch (OutOfMemoryError e) {
            // Said below: the transforms are there, and a file can be written.
        }
        throw new EndoramaException(EndoramaException.Status.MEMORY, "Java's memory does not hold the panorama of " + width()
                + " x " + height() + " px; the transforms are complete: start Java with more memory (-Xmx), set max_canvas, or"
                + " write it as .ome.tif from a shell");
    }

    /** Gives back the mosaic that it is of, with all other panoramas. */
    @Override
    public void close() {
        mosaic.close();
    }
}
