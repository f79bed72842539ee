package endorama.plugin;

import endorama.core.options.Option;
import endorama.core.options.OptionValues;
import ij.plugin.frame.Recorder;
import java.util.ArrayList;
import java.util.List;

/** Writes the options of a command that are not defaults into the recorded macro. */
final class Recording {
    private Recording() {
    }

    static void record(OptionValues values) {
        for (Option option : order(values)) {
            Object value = values.get(option.key());
            if (option.type() == Option.Type.FILE) {
                Recorder.recordPath(option.key(), (String) value);
            } else if (value.equals(Boolean.TRUE)) {
                Recorder.recordOption(option.key());
            } else {
                Recorder.recordOption(option.key(), Option.plain(value));
            }
        }
    }

    /**
     * The order of recording: ImageJ shows an error if a key occurs in what is recorded already, even inside a value, so that
     * an option containing another key comes after that one.
     */
    static List<Option> order(OptionValues values) {
        List<Option> left = new ArrayList<Option>();
        for (Option option : values.table().options()) {
            if (option.isRequired() || !values.get(option.key()).equals(option.fallback())) {
                left.add(option);
            }
        }
        List<Option> ordered = new ArrayList<Option>();
        while (!left.isEmpty()) {
            Option next = left.get(0);
            for (Option option : left) {
                if (!holdsKey(values, option, left)) {
                    next = option;
                    break;
                }
            }
            left.remove(next);
            ordered.add(next);
        }
        return ordered;
    }

    private static boolean holdsKey(OptionValues values, Option option, List<Option> others) {
        String value = " " + values.get(option.key());
        for (Option other : others) {
            boolean flag = other.type() == Option.Type.FLAG;
            if (other != option && value.contains(flag ? " " + other.key() : other.key() + "=")) {
                return true;
            }
        }
        return false;
    }
}
