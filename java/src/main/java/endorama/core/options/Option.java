package endorama.core.options;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * One option of a command, with everything that dialog, macro line, command line, saved run and user guide need of it.
 * Immutable once it is built.
 */
public final class Option {
    public enum Type { INTEGER, NUMBER, CHOICE, FLAG, TEXT, FILE, IMAGE }

    /** A restriction of an integer besides its range. */
    public enum Rule {
        NONE("a whole number"), ODD("an odd number"), ODD_OR_ZERO("0, or an odd number"),
        POWER_OF_TWO("a power of two");

        final String words;

        Rule(String words) {
            this.words = words;
        }

        boolean admits(long value) {
            switch (this) {
                case ODD: return (value & 1) == 1;
                case ODD_OR_ZERO: return value == 0 || (value & 1) == 1;
                case POWER_OF_TWO: return value > 0 && (value & (value - 1)) == 0;
                default: return true;
            }
        }
    }

    /** When a command needs another image than the current one. */
    public enum Need { ALWAYS, WHERE_SINGLE, NEVER }

    private final String key;
    private final String label;
    private final Type type;
    private final Object fallback;
    private String help;
    private String unit = "";
    private double min;
    private double max;
    boolean aboveMin;
    boolean orZero;
    long least = Long.MIN_VALUE;
    Rule rule = Rule.NONE;
    private List<String> choices = Collections.emptyList();
    private double sliderEnd;
    private boolean output;
    private String ending = ".csv";
    private boolean required;
    boolean path;
    boolean decimal;
    private Need need = Need.WHERE_SINGLE;
    private Group group = Group.MAIN;
    private String shown;
    private String when = "";

    private Option(String label, Type type, Object fallback) {
        key = firstWord(label);
        this.label = label;
        this.type = type;
        this.fallback = fallback;
    }

    /** ImageJ's rule: the key of a dialog field is its label up to a blank or colon, lower case. */
    public static String firstWord(String label) {
        int end = 0;
        while (end < label.length() && label.charAt(end) != ' ' && label.charAt(end) != ':') {
            end++;
        }
        return label.substring(0, end).toLowerCase(Locale.ROOT);
    }

    public static Builder integer(String label, long fallback, long min, long max) {
        return new Builder(label, Type.INTEGER, Long.valueOf(fallback)).range(min, max);
    }

    public static Builder number(String label, double fallback, double min, double max) {
        return new Builder(label, Type.NUMBER, Double.valueOf(fallback)).range(min, max);
    }

    /** A choice; the first one is the default. */
    public static Builder choice(String label, String... choices) {
        return new Builder(label, Type.CHOICE, choices[0]).words(choices);
    }

    /** A flag that is off by default: in a macro an absent checkbox means false. */
    public static Builder flag(String label) {
        return new Builder(label, Type.FLAG, Boolean.FALSE);
    }

    /** A flag that is on by default, in a macro too: there {@code key=false} turns it off, in a shell {@code --no-key}. */
    public static Builder flagOn(String label) {
        return new Builder(label, Type.FLAG, Boolean.TRUE);
    }

    public static Builder text(String label, String fallback) {
        return new Builder(label, Type.TEXT, fallback);
    }

    /** One of some words, the first being the default, or a whole number. */
    public static Builder wordOrNumber(String label, long min, long max, String... words) {
        return new Builder(label, Type.TEXT, words[0]).range(min, max).words(words);
    }

    /** One of some words, the first being the default, or a number with decimals. */
    public static Builder wordOrDecimal(String label, double min, double max, String... words) {
        Builder b = new Builder(label, Type.TEXT, words[0]).range(min, max).words(words);
        b.option.decimal = true;
        return b;
    }

    /** One of some words, the first being the default, or a path. */
    public static Builder wordOrFile(String label, String... words) {
        Builder b = new Builder(label, Type.TEXT, words[0]).words(words);
        b.option.path = true;
        return b;
    }

    /** The title of an open image, "" meaning none. */
    public static Builder image(String label) {
        return new Builder(label, Type.IMAGE, "");
    }

    /** A path, "" meaning none. */
    public static Builder file(String label) {
        return new Builder(label, Type.FILE, "");
    }

    public String key() { return key; }

    public String label() { return label; }

    /** Group in the dialog. */
    public Group group() { return group; }

    /** Name in the dialog, in plain words; the label if it has no other. */
    public String shown() { return shown == null ? label : shown; }

    /** When to change it, for the help of the dialog; "" if nothing is said. */
    public String when() { return when; }

    public Type type() { return type; }

    public String help() { return help; }

    /** Unit; "" if it has none. */
    public String unit() { return unit; }

    public double min() { return min; }

    public double max() { return max; }

    /** Only odd whole numbers are allowed. */
    public boolean isOdd() { return rule == Rule.ODD; }

    /** Lower end of the slider beside the dialog's field. */
    public double sliderStart() { return orZero ? 0 : min; }

    /** Upper end of the slider; 0 if there is none. Typed values may lie beyond. */
    public double sliderEnd() { return sliderEnd; }

    /** The words that a text may be, besides a number or a path; none if it is free. */
    public List<String> choices() { return choices; }

    /** A free text that may be long. */
    public boolean isLong() { return type == Type.TEXT && choices.isEmpty() && required; }

    /** A text that is a path unless it is one of the words. */
    public boolean isWordOrFile() { return path; }

    /** The command writes the file, rather than reads it. */
    public boolean isOutput() { return output; }

    /** The usual ending of an output file. */
    public String ending() { return ending; }

    /** The command cannot work without it; it has no usable default. */
    public boolean isRequired() { return required; }

    /** An image option may stay empty; single: the current image has one slice. */
    public boolean canBeNone(boolean single) { return need == Need.NEVER || need == Need.WHERE_SINGLE && !single; }

    /** The default: Long, Double, Boolean or String, by type. */
    public Object fallback() { return fallback; }

    /** The allowed values, in words: "0, or an odd number 3..255". */
    public String allowed() {
        return new OptionReader(this).allowed();
    }

    /** Parses a value of a macro or of the command line. */
    public Object parse(String text) {
        return new OptionReader(this).parse(text.trim());
    }

    /** A value as text, the shortest that reads back equal: "4", "0.85". */
    public static String plain(Object value) {
        if (value instanceof Double) {
            double number = (Double) value;
            if (number == Math.rint(number) && Math.abs(number) < 1e15) {
                return Long.toString((long) number);
            }
        }
        return String.valueOf(value);
    }

    /** Builds an option. */
    public static final class Builder {
        private Option option;

        private Builder(String label, Type type, Object fallback) {
            option = new Option(label, type, fallback);
        }

        private Builder range(double from, double to) {
            option.min = from;
            option.max = to;
            return this;
        }

        private Builder words(String... words) {
            option.choices = Collections.unmodifiableList(Arrays.asList(words));
            return this;
        }

        public Builder unit(String name) {
            option.unit = name;
            return this;
        }

        /** Excludes the lower bound. */
        public Builder aboveMin() {
            option.aboveMin = true;
            return this;
        }

        /** Allows 0 besides the range. */
        public Builder orZero() {
            option.orZero = true;
            return this;
        }

        public Builder odd() {
            option.rule = Rule.ODD;
            return this;
        }

        /** Allows 0, or odd numbers from smallest on. */
        public Builder oddFrom(long smallest) {
            option.rule = Rule.ODD_OR_ZERO;
            option.least = smallest;
            return this;
        }

        public Builder powerOfTwo() {
            option.rule = Rule.POWER_OF_TWO;
            return this;
        }

        /** Adds a slider to the dialog, up to this end. */
        public Builder slider(double end) {
            option.sliderEnd = end;
            return this;
        }

        /** Makes it an output file, a table unless another usual ending is set. */
        public Builder output() {
            option.output = true;
            return this;
        }

        public Builder output(String usualEnding) {
            option.ending = usualEnding;
            return output();
        }

        public Builder required() {
            option.required = true;
            return this;
        }

        /** Sets when an image is needed; where the current one is single if this is not called. */
        public Builder needed(Need when) {
            option.need = when;
            return this;
        }

        /** Puts it behind the dialog's button of frames. */
        public Builder ofFrames() {
            option.group = Group.FRAMES;
            return this;
        }

        /** Puts it behind the dialog's button of registration. */
        public Builder registration() {
            option.group = Group.REGISTRATION;
            return this;
        }

        /** Puts it behind the dialog's button of the picture. */
        public Builder picture() {
            option.group = Group.PICTURE;
            return this;
        }

        /** Puts it behind the dialog's button of computing. */
        public Builder computing() {
            option.group = Group.COMPUTING;
            return this;
        }

        /** Sets its name in the dialog, if clearer than the label, whose first word is the key. */
        public Builder shown(String name) {
            option.shown = name;
            return this;
        }

        /** Sets when to change it: "Frames are lost where the scope turns: Fourier." */
        public Builder when(String advice) {
            option.when = advice;
            return this;
        }

        /** Ends the building. */
        public Option help(String line) {
            Option made = option;
            made.help = line;
            option = null;
            return made;
        }
    }
}
