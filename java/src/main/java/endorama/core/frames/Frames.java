package endorama.core.frames;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;

/** Reads frames with every check that the library would otherwise have to make. */
public final class Frames {
    private Frames() {
    }

    /** The pixels of a frame, checked to have the source's type and size. */
    public static Object pixels(FrameSource source, int frame) throws FrameReadException {
        Object pixels;
        try {
            pixels = source.pixels(frame);
        } catch (FrameReadException e) {
            throw e;
        } catch (RuntimeException | LinkageError e) {
            throw FrameReadException.because(name(source, frame), e);
        }
        int area = source.width() * source.height();
        int length = source.type().length(pixels);
        if (length != area) {
            String has = length < 0 ? "pixels of another type" : length + " pixels";
            throw new FrameReadException(name(source, frame) + " has " + has + ", the sequence "
                    + source.width() + " x " + source.height() + ", " + source.type().words());
        }
        return pixels;
    }

    /** "frame 7 (b.png)". */
    public static String name(FrameSource source, int frame) {
        String label = source.label(frame);
        return "frame " + source.number(frame) + (label == null || label.isEmpty() ? "" : " (" + label + ")");
    }

    /** Checks that a panorama can be made of the sequence. */
    public static void checkSequence(FrameSource source) throws FrameReadException {
        if (source.count() < 2) {
            throw new FrameReadException("a sequence of at least 2 frames is needed, this has " + source.count()
                    + (source.count() == 1 ? ": " + name(source, 0) : ""));
        }
    }

    /** Index of the frame of a number; -1: there is none. */
    public static int index(FrameSource source, int number) {
        int first = 0;
        int last = source.count() - 1;
        while (first < last) {
            int middle = (first + last) >>> 1;
            if (source.number(middle) < number) {
                first = middle + 1;
            } else {
                last = middle;
            }
        }
        return last >= 0 && source.number(first) == number ? first : -1;
    }

    /** "frames 4-5, frame 9": those of n frames, whose numbers are given by index, that fulfil the predicate; "" for none. */
    public static String ranges(int n, IntUnaryOperator number, IntPredicate meant) {
        List<String> ranges = new ArrayList<String>();
        for (int i = 0; i < n; i++) {
            int first = i;
            while (i < n && meant.test(i)) {
                i++;
            }
            if (i > first) {
                ranges.add(range(number.applyAsInt(first), number.applyAsInt(i - 1)));
            }
        }
        return String.join(", ", ranges);
    }

    /** "frame 4" or "frames 4-9", of numbers of frames. */
    public static String range(int first, int last) {
        return first == last ? "frame " + first : "frames " + first + "-" + last;
    }
}
