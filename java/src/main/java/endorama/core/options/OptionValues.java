package endorama.core.options;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** A checked value for every option of a table. Immutable. */
public final class OptionValues {
    private final OptionTable table;
    private final Map<String, Object> values;

    OptionValues(OptionTable table, Map<String, Object> values) {
        this.table = table;
        this.values = Collections.unmodifiableMap(new LinkedHashMap<String, Object>(values));
    }

    public OptionTable table() {
        return table;
    }

    public int getInt(String key) {
        return Math.toIntExact((Long) get(key, Option.Type.INTEGER));
    }

    public long getLong(String key) {
        return (Long) get(key, Option.Type.INTEGER);
    }

    public double getDouble(String key) {
        return (Double) get(key, Option.Type.NUMBER);
    }

    public boolean getFlag(String key) {
        return (Boolean) get(key, Option.Type.FLAG);
    }

    /** The choice in the table's spelling. */
    public String getChoice(String key) {
        return (String) get(key, Option.Type.CHOICE);
    }

    public boolean isChoice(String key, String choice) {
        if (!table.option(key).choices().contains(choice)) {
            throw new IllegalArgumentException(key + " has no choice " + choice);
        }
        return getChoice(key).equals(choice);
    }

    public String getText(String key) {
        return (String) get(key, Option.Type.TEXT);
    }

    /** The title, "" if none is given. */
    public String getImage(String key) {
        return (String) get(key, Option.Type.IMAGE);
    }

    /** The path, "" if none is given. */
    public String getFile(String key) {
        return (String) get(key, Option.Type.FILE);
    }

    /** Long, Double, Boolean or String, by the option's type. */
    public Object get(String key) {
        table.option(key);
        return values.get(key);
    }

    /** Key to value in the order of the table, ready to be written as JSON. */
    public Map<String, Object> toMap() {
        return values;
    }

    /** A copy with one value changed and checked. */
    public OptionValues with(String key, Object value) {
        Map<String, Object> changed = new LinkedHashMap<String, Object>(values);
        changed.put(key, table.option(key).parse(Option.plain(value)));
        return new OptionValues(table, changed);
    }

    private Object get(String key, Option.Type type) {
        Option option = table.option(key);
        if (option.type() != type) {
            throw new IllegalArgumentException(key + " is of type " + option.type() + ", not " + type);
        }
        return values.get(key);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OptionValues && ((OptionValues) other).table == table
                && ((OptionValues) other).values.equals(values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return table.toMacro(this);
    }
}
