package endorama.core.mutual;

import endorama.core.frames.FrameSource;
import endorama.core.options.MosaicParameters;
import endorama.core.options.OptionValues;
import endorama.core.volumes.Grid;
import endorama.jni.MutualOptions;
import endorama.jni.NativeTransforms;
import java.io.File;
import java.util.Arrays;
import java.util.List;

/** Parameters of registration by mutual information, from the options of its command. */
public final class MutualParameters {
    /** Start of the search. */
    enum Initial { HEADER, CENTRE, MOMENTS, FOURIER, FILE }

    private static final List<String> MODELS = Arrays.asList("Translation", "Rigid", "Similarity", "Affine");
    private static final double WIDE_TURN = 30;

    private final OptionValues values;
    private final MosaicParameters common;
    private final FrameSource mask;

    private MutualParameters(OptionValues values, MosaicParameters common, FrameSource mask) {
        this.values = values;
        this.common = common;
        this.mask = mask;
    }

    /** From the options of the command. */
    public static MutualParameters of(OptionValues values) {
        return new MutualParameters(values, MosaicParameters.of(values), null);
    }

    /** A copy with another number of CPU threads, 0..256; 0 = every processor. */
    public MutualParameters withThreads(int count) {
        return new MutualParameters(values, common.withThreads(count), mask);
    }

    /** A copy that compares only voxels of the fixed image where this is above 0: one slice for all, or a slice each. */
    public MutualParameters withMask(FrameSource image) {
        return new MutualParameters(values, common, image);
    }

    /** CPU threads; 0 = every processor. */
    public int threads() {
        return common.threads();
    }

    /** Back end and threads. */
    MosaicParameters common() {
        return common;
    }

    /** The mask; null: every voxel counts. */
    FrameSource mask() {
        return mask;
    }

    OptionValues values() {
        return values;
    }

    /** The options of the library for a pair, without the start. */
    MutualOptions options(Grid fixed) {
        MutualOptions o = new MutualOptions();
        o.model = model();
        o.bins = values.getText("bins").equals("Auto") ? 0 : Integer.parseInt(values.getText("bins"));
        o.measure = values.isChoice("measure", "NMI") ? MutualOptions.NMI : MutualOptions.MI;
        o.interpolation = interpolation();
        o.optimizer = values.isChoice("optimizer", "Gradient") ? MutualOptions.GRADIENT : MutualOptions.POWELL;
        o.levels = values.getInt("levels");
        String starts = values.getText("starts");
        if (starts.equals("Wide")) {
            double[] mm = fixed.spacing();
            o.turnRange = WIDE_TURN;
            o.shiftRange = Math.max(mm[0] * fixed.width, Math.max(mm[1] * fixed.height, mm[2] * fixed.depth)) / 3;
        } else if (!starts.equals("Auto")) {
            o.starts = Integer.parseInt(starts);
        }
        return o;
    }

    /** Class of the transform, one of {@link NativeTransforms}. */
    int model() {
        return MODELS.indexOf(values.getChoice("model")) + NativeTransforms.TRANSLATION;
    }

    int interpolation() {
        return values.isChoice("interpolation", "Nearest") ? MutualOptions.NEAREST : MutualOptions.LINEAR;
    }

    Initial initial() {
        for (Initial word : Initial.values()) {
            if (word != Initial.FILE && word.name().equalsIgnoreCase(values.getText("initial"))) {
                return word;
            }
        }
        return Initial.FILE;
    }

    /** The file of {@link Initial#FILE}; null for other starts. */
    public File initialFile() {
        return initial() == Initial.FILE ? new File(values.getText("initial")) : null;
    }

    /** Slices are registered, not volumes; two single slices always are. */
    public boolean planar(Grid fixed, Grid moving) {
        if (fixed.depth == 1 && moving.depth == 1) {
            return true;
        }
        if (values.isChoice("dimensions", "Auto")) {
            return fixed.depth == 1 || moving.depth == 1;
        }
        return values.isChoice("dimensions", "2D");
    }

    /** No images are asked for. */
    public boolean transformsOnly() {
        return values.isChoice("output", "Transforms only");
    }

    /** A picture of the middle planes of both is asked for. */
    public boolean overlay() {
        return values.isChoice("output", "Overlay");
    }
}
