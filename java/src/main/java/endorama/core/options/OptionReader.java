package endorama.core.options;

/** Parses the values of an option, and describes the allowed ones. */
final class OptionReader {
    private final Option option;

    OptionReader(Option option) {
        this.option = option;
    }

    /** The allowed values, in words: "0, or an odd number 3..255". */
    String allowed() {
        switch (option.type()) {
            case CHOICE: return "one of " + quoted();
            case FLAG: return option.fallback().equals(Boolean.TRUE) ? "given, or `false`" : "given or not";
            case IMAGE: return "the title of an open image";
            case TEXT: return option.choices().isEmpty() ? "text" : "one of " + quoted() + ", or " + (option.path
                    ? "a file to read" : (option.decimal ? "a number, " : "a whole number, ") + span(option.min()));
            case FILE: return option.isOutput() ? "a file to write" : "a file to read";
            default: return rangeInWords();
        }
    }

    private String quoted() {
        StringBuilder s = new StringBuilder();
        for (String choice : option.choices()) {
            s.append(s.length() == 0 ? "" : ", ").append(choice);
        }
        return s.toString();
    }

    private String rangeInWords() {
        String range = option.aboveMin
                ? "above " + Option.plain(option.min()) + ", at most " + Option.plain(option.max())
                : span(Math.max(option.least, option.min()));
        if (option.orZero) {
            return "0, or a number " + range;
        }
        return (option.type() == Option.Type.INTEGER ? option.rule.words : "a number")
                + (option.rule == Option.Rule.ODD_OR_ZERO ? " " : ", ") + range;
    }

    private String span(double least) {
        return Option.plain(least) + ".." + Option.plain(option.max());
    }

    /** Parses a value without blanks around it. */
    Object parse(String value) {
        switch (option.type()) {
            case INTEGER: return checked(parseInteger(value), value);
            case NUMBER: return checked(parseNumber(value), value);
            case CHOICE: return parseChoice(value);
            case FLAG: return parseFlag(value);
            default: return option.choices().isEmpty() ? parseText(value) : parseWordOrNumber(value);
        }
    }

    private String parseText(String value) {
        if (option.isRequired() && value.isEmpty()) {
            throw new OptionException(option.key(), option.key() + ": missing; give " + allowed());
        }
        return value;
    }

    private Object parseWordOrNumber(String value) {
        if (option.path) {
            return parseWordOrFile(value);
        }
        if (!value.matches("[-+.\\d].*")) {
            return parseChoice(value);
        }
        return Option.plain(checked(option.decimal ? parseNumber(value) : parseInteger(value), value));
    }

    /** Parses a word or path; a name without a dot or folder is a misspelt word. */
    private Object parseWordOrFile(String value) {
        return value.matches("(?s).*[./\\\\].*") ? value : parseChoice(value);
    }

    private Object parseInteger(String value) {
        try {
            return Long.valueOf(value);
        } catch (NumberFormatException e) {
            return wholeNumber(value);
        }
    }

    /** Parses a whole number; ImageJ's recorder and macro variables write 8 as "8.0000" or "8.0". */
    private Object wholeNumber(String value) {
        double number = (Double) parseNumber(value);
        if (number != Math.rint(number) || Math.abs(number) > 1e15) {
            throw wrong(value);
        }
        return Long.valueOf((long) number);
    }

    private Object parseNumber(String value) {
        // Double.valueOf would also accept "NaN", "0x1p3" and "1d".
        if (!value.matches("[-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?")) {
            throw wrong(value);
        }
        return Double.valueOf(value);
    }

    private Object checked(Object parsed, String value) {
        double number = ((Number) parsed).doubleValue();
        boolean inside = number >= option.min() && number <= option.max()
                && !(option.aboveMin && number == option.min()) || option.orZero && number == 0;
        if (parsed instanceof Long) {
            long whole = (Long) parsed;
            inside &= option.rule.admits(whole)
                    && (whole == 0 && option.rule == Option.Rule.ODD_OR_ZERO || whole >= option.least);
        }
        if (!inside) {
            throw wrong(value);
        }
        return parsed;
    }

    private Object parseChoice(String value) {
        for (String choice : option.choices()) {
            if (choice.equalsIgnoreCase(value)) {
                return choice;
            }
        }
        throw wrong(value);
    }

    private Object parseFlag(String value) {
        if (value.isEmpty() || value.equalsIgnoreCase("true")) {
            return Boolean.TRUE;
        }
        if (value.equalsIgnoreCase("false")) {
            return Boolean.FALSE;
        }
        throw new OptionException(option.key(), option.key() + " " + value + ": must be true or false");
    }

    private OptionException wrong(String value) {
        return new OptionException(option.key(), option.key() + " " + (value.isEmpty() ? "(empty)" : value) + ": must be "
                + allowed());
    }
}
