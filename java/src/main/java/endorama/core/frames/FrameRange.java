package endorama.core.frames;

import endorama.core.options.OptionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A selection of the frames of a sequence: "100-900:2" is 100, 102 ... 900, numbered from 1. */
public final class FrameRange {
    /** The key of the option. */
    public static final String KEY = "frames";
    private static final Pattern WORDS = Pattern.compile("(\\d{1,9})?(-)?(\\d{1,9})?(?::(\\d{1,9}))?");

    private final String text;
    private final int first;
    private final int last;
    private final int step;

    /**
     * From "first-last:step", "first-last", "first-" (to the end), "-last", ":step" or one number; "" is all.
     *
     * @throws OptionException if it is none of these, or holds no frame
     */
    public FrameRange(String text) {
        this.text = text.trim();
        Matcher words = WORDS.matcher(this.text);
        if (!words.matches()) {
            throw wrong("must be first-last or first-last:step, such as 100-900:2");
        }
        first = number(words.group(1), 1);
        boolean open = words.group(2) != null || words.group(1) == null;
        last = open ? number(words.group(3), Integer.MAX_VALUE) : first;
        step = number(words.group(4), 1);
        if (first < 1 || step < 1 || last < first) {
            throw wrong("frames are numbered from 1, the last is not before the first, and the step is at least 1");
        }
    }

    private static int number(String digits, int otherwise) {
        return digits == null ? otherwise : Integer.parseInt(digits);
    }

    private OptionException wrong(String why) {
        return new OptionException(KEY, KEY + " " + text + ": " + why);
    }

    /** The range selects every frame. */
    public boolean isAll() {
        return first == 1 && last == Integer.MAX_VALUE && step == 1;
    }

    /** The number, from 1, in the whole sequence of the selected frame index, from 0. */
    public int number(int index) {
        return first + index * step;
    }

    /**
     * The selected frames of a sequence; the sequence itself if all are selected.
     *
     * @throws OptionException if the sequence has not got them
     */
    public FrameSource of(FrameSource source) {
        if (isAll()) {
            return source;
        }
        boolean open = last == Integer.MAX_VALUE;
        if (first > source.count() || !open && last > source.count()) {
            throw wrong("the sequence has " + source.count() + " frames");
        }
        int end = Math.min(last, source.count());
        return new SelectedFrames(source, first - 1, step, (end - first) / step + 1);
    }
}
