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

/** What registration by mutual information needs to know, from the options of its command. */
public final class MutualParameters {
    /** Where the search starts. */
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

    /** The same with another number of CPU threads, 0..256; 0 = every processor. */
    public MutualParameters withThreads(int count) {
        return new MutualParameters(values, common.withThreads(count), mask);
    }

    /** Compares only voxels of the fixed image where this is above 0: one slice for all, or as many as it has. */
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

    /** Null: every voxel counts. */
    FrameSource mask() {
        return mask;
    }

    OptionValues values() {
        return values;
    }

    /** How two volumes are registered, but for where the search starts. */
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

    /** One of {@link NativeTransforms}. */
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

    /** With {@link Initial#FILE}; null otherwise. */
    public File initialFile() {
        return initial() == Initial.FILE ? new File(values.getText("initial")) : null;
    }

    /** Slice by slice, rather than volume by volume; two of one slice are images in any case. */
    public boolean planar(Grid fixed, Grid moving) {
        if (fixed.depth == 1 && moving.depth == 1) {
            return true;
        }
        if (values.isChoice("dimensions", "Auto")) {
            return fixed.depth == 1 || moving.depth == 1;
        }
        return values.isChoice("dimensions", "2D");
    }

    /** Nobody wants to see images. */
    public boolean transformsOnly() {
        return values.isChoice("output", "Transforms only");
    }

    /** A picture of the middle slices of both. */
    public boolean overlay() {
        return values.isChoice("output", "Overlay");
    }
}
