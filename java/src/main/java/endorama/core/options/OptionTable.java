package endorama.core.options;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The options of one command, in order, from which dialog, macro line, command line, saved runs and the user guide are made.
 * The constructor checks ImageJ's rules for keys, so that a bad table fails at its first use.
 */
public final class OptionTable {
    /** Words that PlugInFilter dialogs add: whether the whole stack is meant. */
    private static final Set<String> FILTER_WORDS = Collections.unmodifiableSet(
            new HashSet<String>(Arrays.asList("stack", "slice")));

    private final String name;
    private final String title;
    private final String help;
    private final boolean filter;
    private final Map<String, Option> options = new LinkedHashMap<String, Option>();

    /**
     * @param name the command on the command line, "mosaic"
     * @param title the command in ImageJ's menu, "Mosaic Endoscopic Sequence..."
     * @param help what the command does, one line
     */
    public OptionTable(String name, String title, String help, Option... options) {
        this(false, name, title, help, options);
    }

    private OptionTable(boolean filter, String name, String title, String help, Option... options) {
        this.filter = filter;
        this.name = name;
        this.title = title;
        this.help = help;
        for (Option option : options) {
            if (this.options.put(option.key(), option) != null) {
                throw new IllegalStateException(name + ": two options with the key " + option.key());
            }
        }
        checkKeys();
    }

    /** The table of an ImageJ filter, whose macro lines may hold the words "stack" and "slice" as well. */
    public static OptionTable filter(String name, String title, String help, Option... options) {
        return new OptionTable(true, name, title, help, options);
    }

    public String name() {
        return name;
    }

    public String title() {
        return title;
    }

    public String help() {
        return help;
    }

    public List<Option> options() {
        return Collections.unmodifiableList(new ArrayList<Option>(options.values()));
    }

    /** The options of a group, in order. */
    public List<Option> options(Group group) {
        List<Option> some = new ArrayList<Option>();
        for (Option option : options.values()) {
            if (option.group() == group) {
                some.add(option);
            }
        }
        return some;
    }

    public boolean has(String key) {
        return options.containsKey(key);
    }

    public Option option(String key) {
        Option option = options.get(key);
        if (option == null) {
            throw new OptionException(key, unknown(key));
        }
        return option;
    }

    public OptionValues defaults() {
        Map<String, Object> values = new LinkedHashMap<String, Object>();
        for (Option option : options.values()) {
            values.put(option.key(), option.fallback());
        }
        return new OptionValues(this, values);
    }

    /** Reads an ImageJ option string: "template=31 initial=[Optical flow] highlights". */
    public OptionValues parseMacro(String line) {
        return parseMacro(line, null);
    }

    /**
     * Reads an option string inside a running macro: "&amp;name" stands for a macro variable, and so does a bare name where a
     * number is expected. The function gives the value of a name, or null.
     */
    public OptionValues parseMacro(String line, UnaryOperator<String> variables) {
        Map<String, String> given = MacroLine.split(line == null ? "" : line);
        for (String word : FILTER_WORDS) {
            if (filter && "".equals(given.get(word))) {
                given.remove(word);
            }
        }
        if (variables != null) {
            for (Map.Entry<String, String> entry : given.entrySet()) {
                entry.setValue(resolve(entry.getKey(), entry.getValue(), variables));
            }
        }
        return parseArguments(given);
    }

    private String resolve(String key, String value, UnaryOperator<String> variables) {
        Option option = options.get(key);
        boolean number = option != null
                && (option.type() == Option.Type.INTEGER || option.type() == Option.Type.NUMBER);
        String variable = value.startsWith("&") ? value.substring(1)
                : number && value.matches("[A-Za-z_]\\w*") ? value : "";
        String found = variable.isEmpty() ? null : variables.apply(variable);
        return found == null ? value : found;
    }

    /** The line of a filter asks for the whole stack, not one slice of it. */
    public static boolean meansStack(String line) {
        return "".equals(MacroLine.split(line == null ? "" : line).get("stack"));
    }

    /** Reads key to text; missing options have their defaults. */
    public OptionValues parseArguments(Map<String, String> given) {
        Map<String, Object> values = new LinkedHashMap<String, Object>(defaults().toMap());
        for (Map.Entry<String, String> entry : given.entrySet()) {
            Option option = option(entry.getKey());
            values.put(option.key(), option.parse(entry.getValue() == null ? "" : entry.getValue()));
        }
        for (Option option : options.values()) {
            if (option.isRequired() && "".equals(values.get(option.key()))) {
                option.parse("");
            }
        }
        return new OptionValues(this, values);
    }

    /** The line that the recorder writes: every option but flags that are off by default and stay so. */
    public String toMacro(OptionValues values) {
        StringBuilder line = new StringBuilder();
        for (Option option : options.values()) {
            Object value = values.get(option.key());
            boolean flag = option.type() == Option.Type.FLAG;
            String word = flag && (Boolean) value ? option.key() : flag && value.equals(option.fallback()) ? ""
                    : option.key() + "=" + MacroLine.quote(Option.plain(value));
            line.append(line.length() == 0 || word.isEmpty() ? "" : " ").append(word);
        }
        return line.toString();
    }

    /** The values as arguments of the command line. */
    public List<String> toArguments(OptionValues values) {
        List<String> arguments = new ArrayList<String>();
        for (Option option : options.values()) {
            Object value = values.get(option.key());
            if (option.type() == Option.Type.FLAG) {
                if (!value.equals(option.fallback())) {
                    arguments.add(((Boolean) value ? "--" : "--no-") + option.key());
                }
            } else if (!"".equals(value)) {
                arguments.addAll(Arrays.asList("--" + option.key(), Option.plain(value)));
            }
        }
        return arguments;
    }

    private String unknown(String key) {
        return options.isEmpty() ? key + ": unknown option; " + name + " takes none"
                : key + ": unknown option of " + name + "; allowed are " + String.join(", ", options.keySet());
    }

    /**
     * Checks the keys: ImageJ finds a key by searching the option string, and a match counts unless a letter stands before it,
     * so that a key that follows "_" or a digit at the end of another would be found inside it.
     */
    private void checkKeys() {
        for (String key : options.keySet()) {
            if (FILTER_WORDS.contains(key) || !key.matches("[a-z][a-z0-9_]*")) {
                throw new IllegalStateException(name + ": " + key + " cannot be a key");
            }
            for (String other : options.keySet()) {
                int before = other.length() - key.length() - 1;
                if (before >= 0 && other.endsWith(key) && !Character.isLetter(other.charAt(before))) {
                    throw new IllegalStateException(name + ": " + key + " would be found inside " + other);
                }
            }
        }
    }
}
