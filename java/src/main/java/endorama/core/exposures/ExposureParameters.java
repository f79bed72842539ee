package endorama.core.exposures;

import endorama.core.options.MosaicParameters;
import endorama.core.options.OptionException;
import endorama.core.options.OptionValues;
import endorama.jni.ExposureOptions;

/** What the alignment of exposures needs to know, from the options of its command. */
public final class ExposureParameters {
    /** Every frame is compared with the one before it. */
    static final int PREVIOUS = -1;

    private final OptionValues values;
    private final MosaicParameters common;

    private ExposureParameters(OptionValues values, MosaicParameters common) {
        this.values = values;
        this.common = common;
    }

    /** From the options of the command. */
    public static ExposureParameters of(OptionValues values) {
        return new ExposureParameters(values, MosaicParameters.of(values));
    }

    /** The same with another number of CPU threads, 0..256; 0 = every processor. */
    public ExposureParameters withThreads(int count) {
        return new ExposureParameters(values, common.withThreads(count));
    }

    /** CPU threads; 0 = every processor. */
    public int threads() {
        return common.threads();
    }

    /** Back end and threads. */
    MosaicParameters common() {
        return common;
    }

    /** How pairs are aligned. */
    ExposureOptions options() {
        ExposureOptions o = new ExposureOptions();
        o.search = values.getInt("search");
        o.tolerance = values.getInt("tolerance");
        o.bins = Integer.parseInt(values.getChoice("bins"));
        o.adaptive = values.isChoice("percentile", "Adaptive");
        o.subpixel = values.getFlag("subpixel");
        return o;
    }

    /** Number, from 0, of the frame that all are compared with, or {@link #PREVIOUS}. */
    int reference(int count) {
        return reference(values, count);
    }

    /** The same from the option {@code reference} of any command. */
    public static int reference(OptionValues values, int count) {
        String text = values.getText("reference");
        switch (text) {
            case "Previous": return PREVIOUS;
            case "First": return 0;
            case "Middle": return (count - 1) / 2;
            default:
                int number = Integer.parseInt(text);
                if (number > count) {
                    throw new OptionException("reference", "reference " + number + ": there are " + count + " frames");
                }
                return number - 1;
        }
    }

    /** Exposures in a bracket of a video; 0 for a single bracket. */
    int period() {
        return values.getInt("period");
    }

    /** Shifts are checked against the motion of the frames before. */
    boolean kalman() {
        return values.getFlag("kalman");
    }

    /** Nobody wants to see aligned frames. */
    public boolean transformsOnly() {
        return values.isChoice("output", "Transforms only");
    }

    /** Of aligned frames only what all of them show. */
    public boolean crop() {
        return values.isChoice("output", "Crop to common");
    }
}
