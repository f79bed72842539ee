package endorama.core.fourier;

import endorama.core.exposures.ExposureParameters;
import endorama.core.frames.FrameSource;
import endorama.core.options.MosaicParameters;
import endorama.core.options.OptionValues;
import endorama.core.transforms.Selection;
import endorama.jni.FourierOptions;
import endorama.jni.NativeTransforms;
import java.util.Arrays;

/** Parameters of Fourier registration, from the options of its command and from the images. */
public final class FourierParameters {
    private final OptionValues values;
    private final MosaicParameters common;
    private final FrameSource onto;
    private final Selection region;
    private final Selection ontoRegion;

    private FourierParameters(OptionValues values, MosaicParameters common, FrameSource onto, Selection region,
            Selection ontoRegion) {
        this.values = values;
        this.common = common;
        this.onto = onto;
        this.region = region;
        this.ontoRegion = ontoRegion;
    }

    /** From the options of the command. */
    public static FourierParameters of(OptionValues values) {
        return new FourierParameters(values, MosaicParameters.of(values), null, null, null);
    }

    /** A copy with another number of CPU threads, 0..256; 0 = every processor. */
    public FourierParameters withThreads(int count) {
        return new FourierParameters(values, common.withThreads(count), onto, region, ontoRegion);
    }

    /** A copy that compares only this region of every frame; null: all of it. */
    public FourierParameters withSelection(Selection selection) {
        return new FourierParameters(values, common, onto, selection, ontoRegion);
    }

    /**
     * A copy that registers every frame onto another image, of any size and type, in place of the option {@code reference}.
     *
     * @param image the first frame of this
     * @param selection the region of it that is compared; null: all of it
     */
    public FourierParameters onto(FrameSource image, Selection selection) {
        return new FourierParameters(values, common, image, region, selection);
    }

    /** CPU threads; 0 = every processor. */
    public int threads() {
        return common.threads();
    }

    /** Back end and threads. */
    MosaicParameters common() {
        return common;
    }

    /** The other image; null: frames are registered with one another. */
    FrameSource onto() {
        return onto;
    }

    Selection region() {
        return region;
    }

    Selection ontoRegion() {
        return ontoRegion;
    }

    /** The options of the library for a pair. */
    FourierOptions options() {
        FourierOptions o = new FourierOptions();
        o.model = Arrays.asList("Translation", "Rigid", "Similarity").indexOf(values.getChoice("model"))
                + NativeTransforms.TRANSLATION;
        o.maxScale = values.getDouble("scale");
        o.maxAngle = values.getDouble("angle");
        o.window = Arrays.asList("None", "Hann", "Tukey").indexOf(values.getChoice("window"));
        o.gradient = Arrays.asList("None", "Sobel", "High-pass").indexOf(values.getChoice("gradient"));
        o.refine = values.getFlag("refine");
        o.candidates = values.getInt("candidates");
        return o;
    }

    /** Index of the common reference frame; the number of frames for another image. */
    int reference(FrameSource source) {
        return onto != null ? source.count() : ExposureParameters.reference(values, source);
    }

    /** No images are asked for. */
    public boolean transformsOnly() {
        return values.isChoice("output", "Transforms only");
    }

    /** Each frame and its reference are shown in two colours. */
    public boolean overlay() {
        return values.isChoice("output", "Overlay");
    }
}
