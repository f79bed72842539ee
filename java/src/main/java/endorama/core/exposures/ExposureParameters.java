package endorama.core.exposures;

import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.options.MosaicParameters;
import endorama.core.options.OptionException;
import endorama.core.options.OptionValues;
import endorama.jni.ExposureOptions;

/** Parameters of the alignment of exposures, from the options of its command. */
public final class ExposureParameters {
    /** Reference: the frame before. */
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

    /** A copy with another number of CPU threads, 0..256; 0 = every processor. */
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

    /** The options of the library for a pair. */
    ExposureOptions options() {
        ExposureOptions o = new ExposureOptions();
        o.search = values.getInt("search");
        o.tolerance = values.getInt("tolerance");
        o.bins = Integer.parseInt(values.getChoice("bins"));
        o.adaptive = values.isChoice("percentile", "Adaptive");
        o.subpixel = values.getFlag("subpixel");
        return o;
    }

    /** Index of the common reference frame, or {@link #PREVIOUS}. */
    int reference(FrameSource source) {
        return reference(values, source);
    }

    /** Index of the reference frame by the option {@code reference} of any command. */
    public static int reference(OptionValues values, FrameSource source) {
        String text = values.getText("reference");
        switch (text) {
            case "Previous": return PREVIOUS;
            case "First": return 0;
            case "Middle": return (source.count() - 1) / 2;
            default:
                int index = Frames.index(source, Integer.parseInt(text));
                if (index < 0) {
                    throw new OptionException("reference", "reference " + text + ": there are " + source.count() + " frames"
                            + (source.number(source.count() - 1) == source.count() ? "" : ", and this is none of them"));
                }
                return index;
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

    /** No aligned frames are asked for. */
    public boolean transformsOnly() {
        return values.isChoice("output", "Transforms only");
    }

    /** Aligned frames are cropped to what all of them show. */
    public boolean crop() {
        return values.isChoice("output", "Crop to common");
    }
}
