package endorama.core.options;

import endorama.jni.MosaicOptions;
import endorama.jni.NativeContext;
import endorama.jni.NativeTransforms;
import endorama.jni.RegisterOptions;
import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Parameters of a computation on a sequence, from the option table of its command; options that the table does not have keep
 * their defaults.
 */
public final class MosaicParameters {
    /** The source of the field of view. */
    public enum Field {
        /** The bright circle of an endoscope, detected in some frames. */
        AUTO,
        /** A mask of the caller. */
        SELECTION,
        /** Every pixel. */
        WHOLE
    }

    private static final OptionValues DEFAULTS = Commands.MOSAIC.defaults();

    private final OptionValues values;
    private final int threads;
    private final byte[] selection;
    private final File scratch;
    private final boolean picture;

    private MosaicParameters(OptionValues values, int threads, byte[] selection, File scratch, boolean picture) {
        this.values = values;
        this.threads = threads;
        this.selection = selection;
        this.scratch = scratch;
        this.picture = picture;
    }

    /** The defaults of the mosaic command. */
    public static MosaicParameters defaults() {
        return of(DEFAULTS);
    }

    /** From the options of any command. */
    public static MosaicParameters of(OptionValues values) {
        int threads = from(values, "threads").getInt("threads");
        return new MosaicParameters(values, threads, null, null, true);
    }

    /** A copy with another number of CPU threads, 0..256; 0 = every processor. */
    public MosaicParameters withThreads(int count) {
        return new MosaicParameters(values, count, selection, scratch, picture);
    }

    /** A copy with the mask of {@link Field#SELECTION}: width*height bytes, 0 = outside. */
    public MosaicParameters withSelection(byte[] mask) {
        return new MosaicParameters(values, threads, mask, scratch, picture);
    }

    /** A copy with a scratch folder for panoramas that exceed Java's memory; null: none. */
    public MosaicParameters withScratch(File folder) {
        return new MosaicParameters(values, threads, selection, folder, picture);
    }

    /** A copy for transforms and tables only: no blended panorama is made. */
    public MosaicParameters withoutPicture() {
        return new MosaicParameters(values, threads, selection, scratch, false);
    }

    /** Panoramas are made. */
    public boolean paints() {
        return picture || !blends();
    }

    /** The scratch folder for panoramas that exceed Java's memory; null: none. */
    public File scratch() {
        return scratch;
    }

    /** A copy with one option changed and checked. */
    public MosaicParameters with(String key, Object value) {
        OptionValues changed = values.with(key, value);
        int count = key.equals("threads") ? changed.getInt(key) : threads;
        return new MosaicParameters(changed, count, selection, scratch, picture);
    }

    private OptionValues live(String key) {
        return values.table().has(key) ? values : Commands.LIVE.defaults();
    }

    /** Live: a frame is kept where it has moved by this share of its longer side, percent. */
    public double step() {
        return live("step").getDouble("step");
    }

    /** Live: longer side of a frame in the preview, px. */
    public int view() {
        return live("view").getInt("view");
    }

    /** Live: the preview closes its loops. */
    public boolean loops() {
        return live("loops").getFlag("loops");
    }

    private static OptionValues from(OptionValues values, String key) {
        OptionTable table = values.table();
        return table.has(key) ? values : DEFAULTS;
    }

    private OptionValues from(String key) {
        return from(values, key);
    }

    /** Every option by its key, for the JSON of a saved run. */
    public Map<String, Object> options() {
        return values.toMap();
    }

    /**
     * The options of the registration of pairs.
     *
     * @throws OptionException if the method has no such class of transforms
     */
    public RegisterOptions register() {
        RegisterOptions r = new RegisterOptions();
        r.initial = from("initial").isChoice("initial", "Optical flow") ? RegisterOptions.FLOW
                : from("initial").isChoice("initial", "Exposures") ? RegisterOptions.EXPOSURES
                : from("initial").isChoice("initial", "Fourier") ? RegisterOptions.FOURIER : RegisterOptions.NONE;
        r.template = from("template").getInt("template");
        r.cross = from("cross").getInt("cross");
        r.landmarks = from("landmarks").getInt("landmarks");
        r.cthresh = from("cthresh").getDouble("cthresh");
        r.uthresh = from("uthresh").getDouble("uthresh");
        r.guarantee = from("guarantee").getDouble("guarantee");
        r.method = from("method").isChoice("method", "Best") ? RegisterOptions.BEST : RegisterOptions.PAPER;
        r.transform = warp(r.method);
        r.subpixel = from("peak").isChoice("peak", "Sub-pixel");
        return r;
    }

    /** The class of transforms; the method of the paper has no automatic choice, and no homographies. */
    private int warp(int method) {
        OptionValues warp = from("warp");
        if (warp.isChoice("warp", "Homography")) {
            if (method != RegisterOptions.BEST) {
                throw new OptionException("warp", "warp Homography: goes with method Best alone; with method Paper take Affine,"
                        + " Similarity, Rigid or Translation");
            }
            return NativeTransforms.HOMOGRAPHY;
        }
        return warp.isChoice("warp", "Translation") ? NativeTransforms.TRANSLATION
                : warp.isChoice("warp", "Rigid") ? NativeTransforms.RIGID
                : warp.isChoice("warp", "Similarity") ? NativeTransforms.SIMILARITY
                : warp.isChoice("warp", "Auto") && method == RegisterOptions.BEST ? RegisterOptions.AUTO
                : NativeTransforms.AFFINE;
    }

    /** The poses of all frames are solved from all pairs; else they are those along the chain. */
    public boolean solveGlobally() {
        return from("solve").isChoice("solve", "Global");
    }

    /** Painting of the growing panorama, {@link MosaicOptions#UNION} or {@link MosaicOptions#RING}; a blend may follow. */
    public int painting() {
        return from("painting").isChoice("painting", "Ring") ? MosaicOptions.RING : MosaicOptions.UNION;
    }

    /** All frames are blended in the end, without seams. */
    public boolean blends() {
        return from("painting").isChoice("painting", "Blend");
    }

    /** The light of the scope is estimated and corrected. */
    public boolean evensLight() {
        return blends() && picture && from("light").isChoice("light", "Even");
    }

    /** Instruments and hands are painted only where no frame shows the scene. */
    public boolean leavesOut() {
        return blends() && from("instruments").isChoice("instruments", "Leave out");
    }

    /** Frames are displaced where the scene is in depth. */
    public boolean followsRelief() {
        return blends() && from("relief").isChoice("relief", "Auto");
    }

    /** {@link MosaicOptions#CUBIC} or {@link MosaicOptions#LINEAR}. */
    public int interpolation() {
        return from("interpolation").isChoice("interpolation", "Cubic") ? MosaicOptions.CUBIC : MosaicOptions.LINEAR;
    }

    /** Pixels of a blended panorama along one of the first frame. */
    public double scale() {
        return blends() ? from("scale").getDouble("scale") : 1;
    }

    /** Aligned frames have the size of their union. */
    public boolean showsAll() {
        return values.table().has("extent") && values.isChoice("extent", "All");
    }

    /** The number of frames at each pixel of a panorama is asked for. */
    public boolean wantsCoverage() {
        return wants("Coverage");
    }

    /** The standard deviation of the pose at each pixel of a panorama is asked for. */
    public boolean wantsUncertainty() {
        return wants("Uncertainty");
    }

    /** Version of OME-NGFF of a panorama that is written as OME-Zarr: "0.4" or "0.5". */
    public String ngff() {
        return from("ngff").getChoice("ngff");
    }

    private boolean wants(String extra) {
        return blends() && (from("extra").isChoice("extra", extra) || from("extra").isChoice("extra", "Both"));
    }

    /** Lens distortion to correct, percent at half of the longer side of a frame; 0: none; NaN: what is found. */
    public double lens() {
        String lens = Option.plain(from("lens").get("lens"));
        return lens.equals("Auto") ? Double.NaN : Double.parseDouble(lens);
    }

    /** A copy with the lens distortion that transforms were found with, percent, unless the options name one; 0: none. */
    public MosaicParameters withLensFound(double percent) {
        double named = lens();
        return percent == 0 || named != 0 && !Double.isNaN(named) ? this : with("lens", percent);
    }

    /** Time constant of the recursive smoothing, px. */
    public int iir() {
        return from("iir").getInt("iir");
    }

    /** Twice the pixels along the field's rim that are not painted. */
    public int rim() {
        return from("rim").getInt("rim");
    }

    /** Specular pixels are left out of matching; highlights stay with the scope, and spectra would register them. */
    public boolean highlights() {
        return from("highlights").getFlag("highlights") || register().initial == RegisterOptions.FOURIER;
    }

    /** Matching uses equalized frames. */
    public boolean enhances() {
        return from("enhance").getFlag("enhance");
    }

    /** The fixed pattern is estimated, and removed for matching. */
    public boolean pattern() {
        return from("pattern").isChoice("pattern", "Auto");
    }

    /** The source of the field of view. */
    public Field field() {
        String choice = from("field").getChoice("field");
        return Field.values()[Arrays.asList("Auto", "Selection", "Whole").indexOf(choice)];
    }

    /** Mask for {@link Field#SELECTION}; null if none was given. */
    public byte[] selection() {
        return selection;
    }

    /** Largest area of a panorama, pixels. */
    public long maxCanvas() {
        return from("max_canvas").getLong("max_canvas") * 1000000L;
    }

    /** CPU threads; 0 = every processor. */
    public int threads() {
        return threads;
    }

    /** {@link NativeContext#AUTO}, {@link NativeContext#CPU} or {@link NativeContext#CUDA}. */
    public int backend() {
        String choice = from("backend").getChoice("backend");
        return choice.equals("CUDA") ? NativeContext.CUDA
                : choice.equals("CPU") ? NativeContext.CPU : NativeContext.AUTO;
    }

    /**
     * Numbers of the CUDA devices asked for; none means the first.
     *
     * @throws OptionException if it is no list of different numbers
     */
    public List<Integer> devices() {
        String text = from("devices").getText("devices");
        List<Integer> devices = new ArrayList<Integer>();
        for (String part : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            String number = part.trim();
            if (!number.matches("\\d{1,4}") || devices.contains(Integer.valueOf(number))) {
                throw new OptionException("devices", "devices " + text + ": must be numbers of devices, from 0, each"
                        + " once, with commas between them");
            }
            devices.add(Integer.valueOf(number));
        }
        return devices;
    }
}
