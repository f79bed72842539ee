package endorama.core.fourier;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.frames.PixelType;
import endorama.core.frames.StretchedFrames;
import endorama.core.transforms.Rect;
import endorama.core.transforms.Selection;

/**
 * What Fourier registration compares: of every frame the part that was selected, and behind the last frame the image
 * that they are registered onto, if it is another one. All are of one type and lie in the top left corner of arrays of
 * one size; 16 bit is spread over 8, each image by itself.
 */
final class ComparedFrames implements FrameSource {
    private final FrameSource frames;
    private final FrameSource onto;
    private final Rect part;
    private final Rect ontoPart;

    ComparedFrames(FrameSource frames, FourierParameters parameters) {
        this.frames = StretchedFrames.of(frames);
        this.part = part(frames, parameters.part());
        FrameSource other = parameters.onto();
        this.onto = other == null ? null : StretchedFrames.of(other);
        this.ontoPart = other == null ? part : part(other, parameters.ontoPart());
    }

    private static Rect part(FrameSource source, Selection selection) {
        return selection == null ? new Rect(0, 0, source.width(), source.height()) : selection.bounds;
    }

    /** The part of a frame that is compared. */
    Rect part(int index) {
        return index < frames.count() ? part : ontoPart;
    }

    /** Every image fills its array. */
    boolean isOneSize() {
        return part.width() == ontoPart.width() && part.height() == ontoPart.height();
    }

    @Override
    public int count() {
        return frames.count() + (onto == null ? 0 : 1);
    }

    @Override
    public int width() {
        return Math.max(part.width(), ontoPart.width());
    }

    @Override
    public int height() {
        return Math.max(part.height(), ontoPart.height());
    }

    @Override
    public PixelType type() {
        return onto == null || onto.type() == frames.type() ? frames.type() : PixelType.RGB32;
    }

    @Override
    public String label(int index) {
        return index < frames.count() ? frames.label(index) : onto.label(0);
    }

    @Override
    public Object pixels(int index) throws FrameReadException {
        FrameSource source = index < frames.count() ? frames : onto;
        Object pixels = Frames.pixels(source, source == frames ? index : 0);
        Rect from = part(index);
        boolean whole = from.width() == source.width() && from.height() == source.height();
        if (whole && isOneSize() && source.type() == type()) {
            return pixels;
        }
        Object compared = type().array(width() * height());
        for (int y = 0; y < from.height(); y++) {
            int start = (from.top + y) * source.width() + from.left;
            if (source.type() == type()) {
                System.arraycopy(pixels, start, compared, y * width(), from.width());
            } else {
                colour((byte[]) pixels, start, from.width(), (int[]) compared, y * width());
            }
        }
        return compared;
    }

    private static void colour(byte[] grey, int from, int n, int[] colours, int to) {
        for (int i = 0; i < n; i++) {
            colours[to + i] = 0xff000000 | (grey[from + i] & 0xff) * 0x010101;
        }
    }
}
