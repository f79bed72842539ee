package endorama.core.volumes;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.frames.PixelType;
import endorama.core.frames.SizedFrames;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A volume, or a time series of volumes of one grid: slices of pixels, read on demand, and their positions. */
public final class Volume {
    private final String name;
    private final FrameSource source;
    private final int first;
    private final Grid grid;
    private final int frames;
    private final RealValues values;
    private final boolean measured;
    private final List<String> notes;

    private Volume(String name, FrameSource source, int first, Grid grid, int frames, RealValues values,
            boolean measured, List<String> notes) {
        this.name = name;
        this.source = source;
        this.first = first;
        this.grid = grid;
        this.frames = frames;
        this.values = values;
        this.measured = measured;
        this.notes = notes;
    }

    /**
     * All slices of a source, one volume after another.
     *
     * @param name for people
     * @param grid of one volume
     * @param frames volumes of grid.depth slices each
     * @param measured sizes of voxels are lengths; false: somebody has to assume what a pixel is
     * @param notes what had to be assumed, for people
     */
    public static Volume of(String name, FrameSource source, Grid grid, int frames, RealValues values,
            boolean measured, List<String> notes) {
        if (grid.depth * (long) frames != source.count() || grid.width != source.width()
                || grid.height != source.height()) {
            throw new IllegalArgumentException(name + ": " + frames + " volumes of " + grid.width + " x " + grid.height
                    + " x " + grid.depth + " do not fit " + source.count() + " slices of " + source.width() + " x "
                    + source.height());
        }
        return new Volume(name, source, 0, grid, frames, values, measured,
                Collections.unmodifiableList(new ArrayList<String>(notes)));
    }

    /** Name for people. */
    public String name() {
        return name;
    }

    /** Grid of one volume. */
    public Grid grid() {
        return grid;
    }

    /** Number of volumes. */
    public int frames() {
        return frames;
    }

    /** Type of the pixels. */
    public PixelType type() {
        return source.type();
    }

    /** The map from pixels to values. */
    public RealValues values() {
        return values;
    }

    /** The voxel sizes are lengths. */
    public boolean isMeasured() {
        return measured;
    }

    /** Assumptions that had to be made, for people. */
    public List<String> notes() {
        return notes;
    }

    /** One volume of a series, from 0. */
    public Volume frame(int index) {
        return new Volume(name, source, first + index * grid.depth, grid, 1, values, measured, notes);
    }

    /** One slice, from 0, as an image. */
    public Volume slice(int index) {
        return new Volume(name, source, first + index, grid.plane(), 1, values, measured, notes);
    }

    /** Number of slices of all volumes. */
    public int slices() {
        return grid.depth * frames;
    }

    /** Pixels of a slice: byte[], short[] or int[] by type. */
    public Object pixels(int slice) throws FrameReadException {
        return Frames.pixels(source, first + slice);
    }

    /** Name of a slice; may be empty. */
    public String label(int slice) {
        return source.label(first + slice);
    }

    /** The slices as a sequence of frames. */
    public FrameSource images() {
        return new SizedFrames(slices(), grid.width, grid.height, source.type()) {
            @Override
            public String label(int index) {
                return Volume.this.label(index);
            }

            @Override
            public Object pixels(int index) throws FrameReadException {
                return Volume.this.pixels(index);
            }
        };
    }
}
