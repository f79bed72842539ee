package endorama.core.frames;

import endorama.core.options.OptionException;
import endorama.core.options.OptionValues;
import java.util.BitSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A selection of the frames of a sequence: "1-10,100-900:2" is 1, 2 ... 10, 100, 102 ... 900, numbered from 1. */
public final class FrameRange {
    /** The key of the option that says which frames are taken. */
    public static final String KEY = "frames";
    /** The key of the option that says which of them are left out. */
    public static final String EXCLUDE = "exclude";
    private static final Pattern WORDS = Pattern.compile("(\\d{1,9})?(-)?(\\d{1,9})?(?::(\\d{1,9}))?");

    private final String key;
    private final String text;

    /**
     * From "first-last:step", "first-last", "first-" (to the end), "-last", ":step" or one number, or a list of these; "" is
     * all.
     *
     * @throws OptionException if it is none of these, or holds no frame
     */
    public FrameRange(String text) {
        this(KEY, text);
    }

    private FrameRange(String key, String text) {
        this.key = key;
        this.text = text.trim();
        mark(new BitSet(), Integer.MAX_VALUE);
    }

    /**
     * The frames of a sequence that the values of a command select; the sequence itself if all are selected.
     *
     * @throws OptionException that names the option, if the sequence has not got the frames, or none is left
     */
    public static FrameSource chosen(OptionValues values, FrameSource source) {
        if (!values.table().has(KEY)) {
            return source;
        }
        FrameRange taken = new FrameRange(values.getText(KEY));
        String left = values.table().has(EXCLUDE) ? values.getText(EXCLUDE).trim() : "";
        return taken.of(source, left.isEmpty() ? null : new FrameRange(EXCLUDE, left));
    }

    /** The range selects every frame. */
    public boolean isAll() {
        return text.matches("1?-?(:1)?") && !text.equals("1") && !text.equals("1:1");
    }

    /**
     * The selected frames of a sequence; the sequence itself if all are selected.
     *
     * @throws OptionException if the sequence has not got them
     */
    public FrameSource of(FrameSource source) {
        return of(source, null);
    }

    private FrameSource of(FrameSource source, FrameRange without) {
        if (isAll() && without == null) {
            return source;
        }
        BitSet taken = new BitSet();
        BitSet excluded = new BitSet();
        mark(taken, source.count());
        if (without != null) {
            without.mark(excluded, source.count());
            excluded.and(taken);
            taken.andNot(excluded);
        }
        if (taken.isEmpty()) {
            throw without.wrong("no frame is left");
        }
        return new SelectedFrames(source, taken.stream().toArray(), excluded.stream().map(source::number).toArray());
    }

    /** Marks the indices, from 0, of the frames among so many; of a number without bound only the words are checked. */
    private void mark(BitSet frames, int count) {
        for (String part : text.split(",", -1)) {
            mark(part.trim(), frames, count);
        }
    }

    private void mark(String part, BitSet frames, int count) {
        Matcher words = WORDS.matcher(part);
        if (!words.matches() || part.isEmpty() && !text.isEmpty()) {
            throw wrong("must be first-last or first-last:step, such as 100-900:2, or several with commas");
        }
        int first = number(words.group(1), 1);
        boolean open = words.group(2) != null || words.group(1) == null;
        int last = open ? number(words.group(3), Integer.MAX_VALUE) : first;
        int step = number(words.group(4), 1);
        if (first < 1 || step < 1 || last < first) {
            throw wrong("frames are numbered from 1, the last is not before the first, and the step is at least 1");
        }
        if (count == Integer.MAX_VALUE) {
            return;
        }
        if (first > count || last != Integer.MAX_VALUE && last > count) {
            throw wrong("the sequence has " + count + (count == 1 ? " frame" : " frames"));
        }
        for (long i = first; i <= Math.min(last, count); i += step) {
            frames.set((int) i - 1);
        }
    }

    private static int number(String digits, int otherwise) {
        return digits == null ? otherwise : Integer.parseInt(digits);
    }

    private OptionException wrong(String why) {
        return new OptionException(key, key + " " + text + ": " + why);
    }
}
