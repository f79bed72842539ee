package endorama.core.paint;

import endorama.core.frames.PixelType;
import endorama.core.transforms.Rect;
import java.io.Closeable;
import java.io.IOException;

/** The pictures of a panorama that is being made: its pixels, where it is painted, and what was asked for beside them. */
final class PanoramaRows implements Closeable {
    /** Makes one of the pictures. */
    interface Maker {
        PixelRows make(PixelType type) throws IOException;
    }

    final PixelRows pixels;
    final PixelRows painted;
    /** Null: not asked for. */
    final PixelRows coverage;
    final PixelRows uncertainty;

    private PanoramaRows(PixelRows pixels, PixelRows painted, PixelRows coverage, PixelRows uncertainty) {
        this.pixels = pixels;
        this.painted = painted;
        this.coverage = coverage;
        this.uncertainty = uncertainty;
    }

    /** Of arrays that are full. */
    static PanoramaRows of(PixelType type, Rect rect, Object pixels, byte[] painted) {
        PixelRows rows = PixelRows.inMemory(type, rect.width(), rect.height());
        PixelRows marks = PixelRows.inMemory(PixelType.GREY8, rect.width(), rect.height());
        try {
            rows.put(0, rect.height(), pixels);
            marks.put(0, rect.height(), painted);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return new PanoramaRows(rows, marks, null, null);
    }

    /** All 0, each made by the maker. */
    static PanoramaRows make(PixelType type, Maker maker, boolean coverage, boolean uncertainty) throws IOException {
        return new PanoramaRows(maker.make(type), maker.make(PixelType.GREY8),
                coverage ? maker.make(PixelType.GREY16) : null, uncertainty ? maker.make(PixelType.GREY16) : null);
    }

    @Override
    public void close() throws IOException {
        for (PixelRows rows : new PixelRows[] {pixels, painted, coverage, uncertainty}) {
            if (rows != null) {
                rows.close();
            }
        }
    }
}
