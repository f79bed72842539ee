package endorama.core.chains;

import endorama.core.transforms.Transform;
import endorama.jni.NativeChain;
import java.util.Locale;
import java.util.function.IntUnaryOperator;

/** A row of a chain's table: one frame. Numbers that its kind of chain does not measure are 0 or NaN. */
public final class ChainRow {
    /** The outcome of a frame, {@code endo_chain_status}. */
    public enum Status {
        /** Registered. */
        OK,
        /** Another result is nearly as good, what both frames show does not agree, or the motion so far speaks against it. */
        LOW_CERTAINTY,
        /** Nothing to align in this frame or in the one it was compared with: black, white, flat or too small. */
        NO_CONTENT,
        /** The pose is not measured, but the frames that follow were aligned with this one. */
        NEW_START,
        /** Unreadable, of another size, or not processed. */
        SKIPPED;

        /** The word in the table. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    private static final String[] BACK_ENDS = {"", "cpu", "cuda"};

    /** Number of the frame in the sequence, from 1. */
    public final int frame;
    /** Number of the frame it was compared with; the frame itself where the chain begins; 0: none, or another image. */
    public final int reference;
    /**
     * Exposures: pixel (x, y) of the frame lies at (x + dx, y + dy) in the reference. Fourier: position of the frame's centre
     * in the reference minus its coordinates in the frame, px.
     */
    public final double dx, dy;
    /** Frame -&gt; first registered frame, or the common reference; of a frame that is not registered the last known one. */
    public final Transform transform;
    /** Exposures: position of pixel (0, 0) in the first registered frame or the common reference, px. */
    public final double x, y;
    /** Exposures: coefficient at the shift, -1..1; NaN without content. Fourier: height of the peak, 0..1. */
    public final double peak;
    /** Certainty, 0 (none) .. 1. */
    public final double certainty;
    /** Share of the usable pixels on which the bitmaps differ at the shift, 0..1; NaN if none is usable. */
    public final double mismatch;
    /** Share of the overlap that is usable, 0..1. */
    public final double usable;
    /** Rotation of the frame in the reference, degrees clockwise on the screen, above -180 up to 180. */
    public final double angle;
    /** Pixels of the reference along one of the frame. */
    public final double scale;
    /** Ratio of the second highest peak to the highest, 0..1: 1 is ambiguous. */
    public final double ratio;
    /** Overlap as a share of the smaller image, 0..1. */
    public final double overlap;
    /** Correlation of the overlap after alignment, -1..1; NaN where undefined. */
    public final double ncc;
    /** Outcome. */
    public final Status status;
    /** The transform is an estimate, not a prediction or the last known one. */
    public final boolean registered;
    /** The pose is the Kalman filter's prediction. */
    public final boolean predicted;
    /** Back end, {@code cpu} or {@code cuda}; "" if none computed. */
    public final String backend;

    /** The row of frame i, from 0; number: of a frame by its index. */
    ChainRow(NativeChain.Frames frames, int i, IntUnaryOperator number) {
        double[] d = frames.reals;
        int at = i * NativeChain.REALS;
        int from = i * NativeChain.INTS;
        frame = number.applyAsInt(i);
        transform = Transform.of(frames.ints[from], d, at);
        x = transform.m02;
        y = transform.m12;
        dx = d[at + 9];
        dy = d[at + 10];
        peak = d[at + 11];
        certainty = d[at + 12];
        mismatch = d[at + 13];
        usable = d[at + 14];
        angle = d[at + 15];
        scale = d[at + 16];
        ratio = d[at + 17];
        overlap = d[at + 18];
        ncc = d[at + 19];
        reference = frames.ints[from + 1] < 0 ? 0 : number.applyAsInt(frames.ints[from + 1]);
        status = Status.values()[frames.ints[from + 2]];
        registered = frames.ints[from + 3] != 0;
        predicted = frames.ints[from + 4] != 0;
        backend = BACK_ENDS[frames.ints[from + 5]];
    }
}
