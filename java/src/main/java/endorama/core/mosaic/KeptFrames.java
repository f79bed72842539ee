package endorama.core.mosaic;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelSize;
import endorama.core.frames.PixelType;
import endorama.core.frames.SizedFrames;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The frames that a live run has kept: their numbers and names. Their pixels are the library's, and are not given again. */
final class KeptFrames extends SizedFrames {
    private final PixelSize pixelSize;
    private final List<Integer> numbers = new ArrayList<Integer>();
    private final List<String> labels = new ArrayList<String>();
    private boolean lastIsUnsure;

    KeptFrames(int width, int height, PixelType type, PixelSize pixelSize) {
        super(0, width, height, type);
        this.pixelSize = pixelSize;
    }

    /** Adds a frame that is kept, or, unless another such one follows, may be: the first frame is when the second one fits. */
    void add(int number, String label, boolean sure) {
        if (!sure && lastIsUnsure) {
            numbers.remove(numbers.size() - 1);
            labels.remove(labels.size() - 1);
        }
        numbers.add(number);
        labels.add(label);
        lastIsUnsure = !sure;
    }

    /** Removes the frames without a row; those of rows that are not here have no name. */
    void retain(List<FrameRow> rows) {
        List<String> names = new ArrayList<String>();
        for (FrameRow row : rows) {
            int at = Collections.binarySearch(numbers, row.frame);
            names.add(at < 0 ? "" : labels.get(at));
        }
        numbers.clear();
        rows.forEach(row -> numbers.add(row.frame));
        labels.clear();
        labels.addAll(names);
    }

    @Override
    public int count() {
        return numbers.size();
    }

    @Override
    public String label(int index) {
        return labels.get(index);
    }

    @Override
    public int number(int index) {
        return numbers.get(index);
    }

    @Override
    public PixelSize pixelSize() {
        return pixelSize;
    }

    @Override
    public boolean isLasting() {
        return false;
    }

    @Override
    public Object pixels(int index) throws FrameReadException {
        throw new FrameReadException("frame " + number(index) + ": a live run does not give frames again");
    }
}
