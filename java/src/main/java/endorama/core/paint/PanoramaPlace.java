package endorama.core.paint;

import endorama.core.frames.PixelType;
import endorama.core.options.MosaicParameters;
import endorama.core.transforms.Rect;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Where the panoramas of a run are kept: in Java's memory as far as that holds them, else in a folder, if there is one. */
final class PanoramaPlace {
    private final File folder;
    private final boolean coverage;
    private final boolean uncertainty;
    /** For tests: nothing is kept in memory. */
    private final boolean always;

    /** faults: what tests ask for. */
    PanoramaPlace(MosaicParameters parameters, MosaicFaults faults) {
        folder = parameters.scratch();
        coverage = parameters.wantsCoverage();
        uncertainty = parameters.wantsUncertainty();
        always = folder != null && faults.onDisk;
    }

    private int bytes(PixelType type) {
        return type.bytes() + 1 + (coverage ? 2 : 0) + (uncertainty ? 2 : 0);
    }

    /** Pixels that Java's heap has room for, with all that goes with them, leaving two fifths to everything else. */
    private long heapLimit(PixelType type) {
        Runtime runtime = Runtime.getRuntime();
        long free = runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory();
        return Math.min(Integer.MAX_VALUE - 8L, Math.max(1, free / 5 * 3 / bytes(type)));
    }

    /** The largest area of a panorama, pixels, of which more is not asked for. */
    long limit(PixelType type, long asked) {
        return folder != null ? asked : Math.min(asked, heapLimit(type));
    }

    /** The pixels and marks of one painted picture, all 0. */
    PanoramaRows create(PixelType type, Rect rect) {
        return create(type, rect, false, false);
    }

    /** The same with the pictures beside it that are asked for. */
    PanoramaRows createWithExtras(PixelType type, Rect rect) {
        return create(type, rect, coverage, uncertainty);
    }

    private PanoramaRows create(PixelType type, Rect rect, boolean withCoverage, boolean withUncertainty) {
        int width = rect.width();
        int height = rect.height();
        try {
            if (folder == null || !always && rect.area() <= heapLimit(type)) {
                return PanoramaRows.make(type, one -> PixelRows.inMemory(one, width, height), withCoverage,
                        withUncertainty);
            }
            checkRoom(rect, rect.area() * bytes(type));
            return PanoramaRows.make(type, one -> PixelRows.onDisk(one, width, height, folder), withCoverage,
                    withUncertainty);
        } catch (IOException e) {
            throw noRoom(rect, e);
        }
    }

    /** It is better to know this before everything is computed. 0 is also what Java says where nobody knows. */
    private void checkRoom(Rect rect, long bytes) throws IOException {
        long free = folder.getUsableSpace();
        if (free > 0 && free < bytes) {
            throw new IOException(String.format(java.util.Locale.ROOT, "%.2f GB are free, %.2f are needed", 1e-9 * free,
                    1e-9 * bytes));
        }
    }

    /** What a disk's failure means for a run. */
    UncheckedIOException noRoom(Rect rect, IOException e) {
        return new UncheckedIOException(new IOException(folder + " does not hold the panorama of " + rect.width() + " x "
                + rect.height() + " px while it is made: " + e.getMessage() + "; the transforms are complete", e));
    }
}
