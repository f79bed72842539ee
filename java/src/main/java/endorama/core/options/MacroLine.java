package endorama.core.options;

import java.util.LinkedHashMap;
import java.util.Map;

/** ImageJ's option string, cut into keys and values. */
public final class MacroLine {
    private final String line;
    private int at;

    private MacroLine(String line) {
        this.line = line;
    }

    /** Key to value, a bare key to "". Values with blanks stand in [..] or '..'. */
    static Map<String, String> split(String line) {
        return new MacroLine(line).words();
    }

    /** A value as it can stand in an option string. */
    public static String quote(String value) {
        if (!value.isEmpty() && value.matches("[^\\s\\[\\]']+")) {
            return value;
        }
        return value.indexOf(']') < 0 ? "[" + value + "]" : "'" + value + "'";
    }

    private Map<String, String> words() {
        Map<String, String> words = new LinkedHashMap<String, String>();
        for (skipBlanks(); at < line.length(); skipBlanks()) {
            int start = at;
            while (at < line.length() && line.charAt(at) != '=' && !blank()) {
                at++;
            }
            String key = line.substring(start, at);
            String value = "";
            if (at < line.length() && line.charAt(at) == '=') {
                at++;
                value = value(key);
            }
            if (words.put(key, value) != null) {
                throw new OptionException(key, key + ": given twice");
            }
        }
        return words;
    }

    private String value(String key) {
        char open = at < line.length() ? line.charAt(at) : ' ';
        if (open == '[' || open == '\'') {
            int end = line.indexOf(open == '[' ? ']' : '\'', at + 1);
            if (end < 0) {
                throw new OptionException(key, key + "=" + line.substring(at) + ": the closing "
                        + (open == '[' ? "]" : "'") + " is missing");
            }
            String value = line.substring(at + 1, end);
            at = end + 1;
            return value;
        }
        int start = at;
        while (at < line.length() && !blank()) {
            at++;
        }
        return line.substring(start, at);
    }

    private boolean blank() {
        return Character.isWhitespace(line.charAt(at));
    }

    private void skipBlanks() {
        while (at < line.length() && blank()) {
            at++;
        }
    }
}
