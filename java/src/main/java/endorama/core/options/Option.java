package endorama.core.options;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * One option of a command: what the dialog, the macro line, the command line, the saved run and the
 * user guide need to know about it. Immutable.
 */
public final class Option {
    public enum Type { INTEGER, NUMBER, CHOICE, FLAG, TEXT, FILE, IMAGE }

    /** What an integer must be besides lying in its range. */
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
    private final String help;
    private final String unit;
    private final double min;
    private final double max;
    final boolean aboveMin;
    final boolean orZero;
    final long least;
    final Rule rule;
    private final List<String> choices;
    private final double sliderEnd;
    private final boolean output;
    private final String ending;
    private final boolean required;
    final boolean path;
    private final Need need;
    private final Object fallback;
    private final Group group;
    private final String shown;
    private final String when;

    private Option(Builder b) {
        label = b.label;
        key = firstWord(b.label);
        type = b.type;
        help = b.help;
        unit = b.unit;
        min = b.min;
        max = b.max;
        aboveMin = b.aboveMin;
        orZero = b.orZero;
        least = b.least;
        rule = b.rule;
        choices = Collections.unmodifiableList(new ArrayList<String>(b.choices));
        sliderEnd = b.sliderEnd;
        output = b.output;
        ending = b.ending;
        required = b.required;
        path = b.path;
        need = b.need;
        fallback = b.fallback;
        group = b.group;
        shown = b.shown;
        when = b.when;
    }

    /** ImageJ's own rule: the key of a dialog field is its label up to a blank or colon, lower case. */
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

    /** The first choice is the default. */
    public static Builder choice(String label, String... choices) {
        Builder b = new Builder(label, Type.CHOICE, choices[0]);
        b.choices = Arrays.asList(choices);
        return b;
    }

    /** Off by default: in a macro an absent checkbox means false. */
    public static Builder flag(String label) {
        return new Builder(label, Type.FLAG, Boolean.FALSE);
    }

    /** On by default, in a macro too: there {@code key=false} turns it off, in a shell {@code --no-key}. */
    public static Builder flagOn(String label) {
        return new Builder(label, Type.FLAG, Boolean.TRUE);
    }

    public static Builder text(String label, String fallback) {
        return new Builder(label, Type.TEXT, fallback);
    }

    /** One of some words, of which the first is the default, or a whole number. */
    public static Builder wordOrNumber(String label, long min, long max, String... words) {
        Builder b = new Builder(label, Type.TEXT, words[0]).range(min, max);
        b.choices = Arrays.asList(words);
        return b;
    }

    /** One of some words, of which the first is the default, or a path. */
    public static Builder wordOrFile(String label, String... words) {
        Builder b = new Builder(label, Type.TEXT, words[0]);
        b.choices = Arrays.asList(words);
        b.path = true;
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

    /** Where it stands in the dialog. */
    public Group group() { return group; }

    /** What the dialog calls it, in plain words; the label if it has no other name there. */
    public String shown() { return shown == null ? label : shown; }

    /** When to change it, for the help of the dialog; "" if nothing is said. */
    public String when() { return when; }

    public Type type() { return type; }

    public String help() { return help; }

    /** "" if it has none. */
    public String unit() { return unit; }

    public double min() { return min; }

    public double max() { return max; }

    /** Every other whole number of the range is meant. */
    public boolean isOdd() { return rule == Rule.ODD; }

    /** Where the slider beside the field of the dialog begins. */
    public double sliderStart() { return orZero ? 0 : min; }

    /** Where that slider ends; 0 if there is none. What is typed may lie beyond. */
    public double sliderEnd() { return sliderEnd; }

    /** Of a text: the words that it may be, besides a whole number or a path; none if it is free. */
    public List<String> choices() { return choices; }

    /** A text that may be long: it is free, and has no other words for it. */
    public boolean isLong() { return type == Type.TEXT && choices.isEmpty() && required; }

    /** A text that is a path unless it is one of the words. */
    public boolean isWordOrFile() { return path; }

    /** A file that the command writes; otherwise one that it reads. */
    public boolean isOutput() { return output; }

    /** What the name of a file that is written usually ends in. */
    public String ending() { return ending; }

    /** The command cannot work without it; it has no usable default. */
    public boolean isRequired() { return required; }

    /** Of an image: none need be chosen. single: the current one has one slice. */
    public boolean canBeNone(boolean single) { return need == Need.NEVER || need == Need.WHERE_SINGLE && !single; }

    /** Long, Double, Boolean or String, by type. */
    public Object fallback() { return fallback; }

    /** What may be given, in words: "0, or an odd number 3..255". */
    public String allowed() {
        return new OptionReader(this).allowed();
    }

    /** Reads a value as it stands in a macro or on the command line. */
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

    /** Collects what describes an option. */
    public static final class Builder {
        private final String label;
        private final Type type;
        private final Object fallback;
        private String help = "";
        private String unit = "";
        private double min;
        private double max;
        private long least = Long.MIN_VALUE;
        private boolean aboveMin;
        private boolean orZero;
        private Rule rule = Rule.NONE;
        private List<String> choices = Collections.emptyList();
        private double sliderEnd;
        private boolean output;
        private String ending = ".csv";
        private boolean required;
        private boolean path;
        private Need need = Need.WHERE_SINGLE;
        private Group group = Group.MAIN;
        private String shown;
        private String when = "";

        private Builder(String label, Type type, Object fallback) {
            this.label = label;
            this.type = type;
            this.fallback = fallback;
        }

        private Builder range(double from, double to) {
            min = from;
            max = to;
            return this;
        }

        public Builder unit(String name) {
            unit = name;
            return this;
        }

        /** The lower bound itself is not allowed. */
        public Builder aboveMin() {
            aboveMin = true;
            return this;
        }

        /** A number of the range, or 0. */
        public Builder orZero() {
            orZero = true;
            return this;
        }

        public Builder odd() {
            rule = Rule.ODD;
            return this;
        }

        /** Odd and at least this, or 0. */
        public Builder oddFrom(long smallest) {
            rule = Rule.ODD_OR_ZERO;
            least = smallest;
            return this;
        }

        public Builder powerOfTwo() {
            rule = Rule.POWER_OF_TWO;
            return this;
        }

        /** A slider in the dialog, up to here. */
        public Builder slider(double end) {
            sliderEnd = end;
            return this;
        }

        /** A file that is written, a table unless its usual ending is said. */
        public Builder output() {
            output = true;
            return this;
        }

        public Builder output(String usualEnding) {
            ending = usualEnding;
            return output();
        }

        public Builder required() {
            required = true;
            return this;
        }

        /** Of an image: when it is needed; where the current one is single if this is not said. */
        public Builder needed(Need when) {
            need = when;
            return this;
        }

        /** In the dialog behind the button of registration. */
        public Builder registration() {
            group = Group.REGISTRATION;
            return this;
        }

        /** In the dialog behind the button of the picture. */
        public Builder picture() {
            group = Group.PICTURE;
            return this;
        }

        /** In the dialog behind the button of what computes. */
        public Builder computing() {
            group = Group.COMPUTING;
            return this;
        }

        /** Its name in the dialog, where that says more than the label, whose first word is the key. */
        public Builder shown(String name) {
            shown = name;
            return this;
        }

        /** When to change it: "Frames are lost where the scope turns: Fourier." */
        public Builder when(String advice) {
            when = advice;
            return this;
        }

        public Option help(String line) {
            help = line;
            return new Option(this);
        }
    }
}
