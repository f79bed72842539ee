package endorama.core.equalize;

import endorama.core.options.Commands;
import endorama.core.options.MosaicParameters;
import endorama.core.options.OptionValues;
import endorama.jni.AheOptions;

/** Parameters of an equalization, from the option table of its command. Immutable. */
public final class EqualizeParameters {
    private final OptionValues values;
    private final MosaicParameters backEnd;

    private EqualizeParameters(OptionValues values, MosaicParameters backEnd) {
        this.values = values;
        this.backEnd = backEnd;
    }

    /** The defaults of the command. */
    public static EqualizeParameters defaults() {
        return of(Commands.AHE.defaults());
    }

    /** From the options of the command. */
    public static EqualizeParameters of(OptionValues values) {
        return new EqualizeParameters(values, MosaicParameters.of(values));
    }

    /** A copy with one option changed and checked. */
    public EqualizeParameters with(String key, Object value) {
        return of(values.with(key, value));
    }

    /** A copy with another number of CPU threads, 0..256; 0 = every processor. */
    public EqualizeParameters withThreads(int count) {
        return new EqualizeParameters(values, backEnd.withThreads(count));
    }

    /** CPU threads; 0 = every processor. */
    public int threads() {
        return backEnd.threads();
    }

    /** Back end and threads. */
    MosaicParameters backEnd() {
        return backEnd;
    }

    /** Back end and number of threads are equal. */
    boolean sameBackEnd(EqualizeParameters other) {
        return backEnd.backend() == other.backEnd.backend() && threads() == other.threads();
    }

    /** Pixels around the circle of an endoscope stay unchanged. */
    boolean keepsSurround() {
        return values.isChoice("field", "Auto");
    }

    AheOptions options() {
        AheOptions options = new AheOptions();
        options.global = values.isChoice("method", "Global");
        options.window = values.getInt("window");
        options.limit = values.getDouble("limit");
        return options;
    }
}
