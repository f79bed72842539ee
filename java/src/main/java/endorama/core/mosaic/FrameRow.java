package endorama.core.mosaic;

import endorama.core.transforms.Transform;
import endorama.jni.NativeMosaic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** A row of the frame table. */
public final class FrameRow {
    /** The outcome of a frame. */
    public enum Status {
        /** Registered. */
        OK("ok"),
        /** Fewer landmarks than the guarantee asks for. */
        FEW_LANDMARKS("few landmarks"),
        /** The frame has no texture to track. */
        NO_TEXTURE("no texture"),
        /** Another scene, or a motion beyond the search. */
        JUMP("jump"),
        /** Unreadable, of another size, or after the end of the panorama. */
        SKIPPED("skipped"),
        /** The frames around this one agree with each other, and some of its area with none of them. */
        OUTLIER("outlier"),
        /** Registered, but too tilted in the plane of the first frame to be painted. */
        OBLIQUE("tilted too far"),
        /** Registered, but nothing sure ties it to most frames of its panorama: it may lie elsewhere. */
        DOUBTFUL("doubtful"),
        /** Registered, but none of its links counts: it is not painted. */
        NOT_PLACED("not placed"),
        /** Left out by hand, as if it were not in the sequence; the library never says so. */
        EXCLUDED("excluded");

        private final String text;

        Status(String text) {
            this.text = text;
        }

        /** The word in the table. */
        @Override
        public String toString() {
            return text;
        }
    }

    /** Place of the number among the ints of a record. */
    private static final int NUMBER = 34;
    /** Names by {@code endo_backend}; "": the frame was not registered. */
    private static final String[] BACKENDS = {"", "cpu", "cuda"};

    /** Number of the frame in the sequence, from 1. */
    public final int frame;
    /** Number of the frame it was registered against; the frame itself for the first; 0 if none. */
    public int reference;
    /** Motion of the frame's centre against the reference, px in the reference. */
    public double dx, dy;
    /** Frame -&gt; first registered frame of its connected component; predicted where the frame could not be registered. */
    public Transform transform = Transform.IDENTITY;
    /** Pose along the chain, where {@link #transform} was solved from all pairs; else that transform. */
    public Transform chained;
    /** Standard deviation of the pose against the first frame of the component, px; NaN where unknown. */
    public double deviation = Double.NaN;
    /** Number of the connected component, a panorama; the largest is 1; 0: none. */
    public int part;
    /** Number of the chain of consecutive frames that it joined, from 0. */
    int chain;
    /** Other frames were registered against this one. */
    public boolean keyFrame;
    /** Nothing sure ties the frame to most frames of its panorama: it is painted under the others. */
    public boolean doubtful;
    /** Landmarks with texture, landmarks that reached cthresh, landmarks in the last fit. */
    public int landmarks, found, used;
    /** Mean coefficient of the landmarks in the last fit; NaN if none. */
    public double coefficient = Double.NaN;
    /** The 5 x 5 measure against the reference; NaN if undefined. */
    public double quality = Double.NaN;
    /** Outcome. */
    public Status status = Status.SKIPPED;
    /** The transform is an estimate, not a prediction, and the frame is in the panorama. */
    public boolean registered;
    /** Coefficients computed and reused. */
    public int computed, reused;
    /** Time of the registration, ms. */
    public double timeMs;
    /** Painting order where frames are not blended, the least first; 0: not painted. */
    public int order;
    /** Back end, {@code cpu} or {@code cuda}; "" if none computed. */
    public String backend = "";

    /** Cells over the frame that show something before the scene, as {@code 2x3:001002}: columns, rows, and of each cell row by
     * row 0 (the scene), 1 (perhaps hidden) or 2 (hidden); null: nothing moves before the scene. */
    String hidden;

    public FrameRow(int frame) {
        this.frame = frame;
    }

    /** The frame is in a panorama, and nothing sure ties it to most frames there. */
    public boolean isUncertain() {
        return registered && doubtful;
    }

    /** Marks the frame as registered with a pose in the first component. */
    void register(Transform pose) {
        registered = true;
        status = Status.OK;
        part = 1;
        transform = pose;
        chained = pose;
        order = frame;
    }

    // --------------------------------------------------- records of the library

    /** The rows of a run, one a frame. */
    static List<FrameRow> of(NativeMosaic.Records records) {
        List<FrameRow> rows = new ArrayList<FrameRow>();
        for (int i = 0; i < records.size; i++) {
            FrameRow row = new FrameRow(number(records, i));
            row.take(records, i);
            rows.add(row);
        }
        return rows;
    }

    private static int number(NativeMosaic.Records records, int i) {
        return records.ints[i * NativeMosaic.FRAME_INTS + NUMBER];
    }

    /** Index of the row of a frame, among rows in the order of their numbers; -1: there is none. */
    static int index(List<FrameRow> rows, int frame) {
        int first = 0;
        int last = rows.size() - 1;
        while (first < last) {
            int middle = (first + last) >>> 1;
            if (rows.get(middle).frame < frame) {
                first = middle + 1;
            } else {
                last = middle;
            }
        }
        return last >= 0 && rows.get(first).frame == frame ? first : -1;
    }

    /** The rows with those of frames that were left out by hand, in the order of their numbers. */
    static List<FrameRow> with(int[] excluded, List<FrameRow> rows) {
        List<FrameRow> all = new ArrayList<FrameRow>(rows);
        for (int frame : excluded) {
            FrameRow row = new FrameRow(frame);
            row.status = Status.EXCLUDED;
            all.add(row);
        }
        all.sort(Comparator.comparingInt(row -> row.frame));
        return all;
    }

    /** Takes the values of record i. */
    void take(NativeMosaic.Records records, int i) {
        takeReals(records.reals, i * NativeMosaic.FRAME_REALS, records.ints, i * NativeMosaic.FRAME_INTS);
        takeInts(records.ints, i * NativeMosaic.FRAME_INTS);
        int against = records.ints[i * NativeMosaic.FRAME_INTS + 2];
        reference = against < 0 ? 0 : number(records, against);
    }

    private void takeReals(double[] reals, int real, int[] ints, int at) {
        boolean solved = ints[at + 16] != 0;
        transform = Transform.of(ints[at], reals, real);
        chained = solved ? Transform.of(ints[at + 1], reals, real + 9) : null;
        deviation = reals[real + 18];
        dx = reals[real + 19];
        dy = reals[real + 20];
        coefficient = reals[real + 21];
        quality = reals[real + 22];
        timeMs = reals[real + 23];
    }

    private void takeInts(int[] ints, int at) {
        status = Status.values()[ints[at + 3]];
        registered = ints[at + 4] != 0;
        part = ints[at + 5];
        doubtful = ints[at + 6] != 0;
        keyFrame = ints[at + 7] != 0;
        chain = ints[at + 8];
        order = ints[at + 9];
        landmarks = ints[at + 10];
        found = ints[at + 11];
        used = ints[at + 12];
        computed = ints[at + 13];
        reused = ints[at + 14];
        backend = BACKENDS[ints[at + 15]];
        hidden = ints[at + 17] == 0 ? null : hidden(ints, at + 17);
    }

    private static String hidden(int[] ints, int at) {
        int columns = ints[at] / 1024;
        int rows = ints[at] % 1024;
        StringBuilder text = new StringBuilder().append(columns).append('x').append(rows).append(':');
        for (int i = 0; i < columns * rows; i++) {
            text.append(ints[at + 1 + i / 16] >>> 2 * (i % 16) & 3);
        }
        return text.toString();
    }

    /** Whether the text of hidden cells is as {@link #hidden} says, with at most 256 cells. */
    boolean hasHidden() {
        if (hidden == null) {
            return true;
        }
        if (!hidden.matches("[1-9][0-9]{0,2}x[1-9][0-9]{0,2}:[012]{1,256}")) {
            return false;
        }
        String[] parts = hidden.split("[x:]");
        return Integer.parseInt(parts[0]) * Integer.parseInt(parts[1]) == parts[2].length();
    }

    private void putHidden(int[] ints, int at) {
        if (hidden == null) {
            return;
        }
        String[] parts = hidden.split("[x:]");
        ints[at] = Integer.parseInt(parts[0]) * 1024 + Integer.parseInt(parts[1]);
        for (int i = 0; i < parts[2].length(); i++) {
            ints[at + 1 + i / 16] |= parts[2].charAt(i) - '0' << 2 * (i % 16);
        }
    }

    /** The back end is one of those known. */
    boolean hasBackend() {
        return Arrays.asList(BACKENDS).contains(backend);
    }

    /** The records that the library takes. */
    static NativeMosaic.Records records(List<FrameRow> rows) {
        NativeMosaic.Records records = NativeMosaic.Records.frames(rows.size());
        for (int i = 0; i < rows.size(); i++) {
            rows.get(i).put(records, i, index(rows, rows.get(i).reference));
        }
        return records;
    }

    private void put(NativeMosaic.Records records, int i, int against) {
        Transform chain = chained == null ? transform : chained;
        double[] others = {deviation, dx, dy, coefficient, quality, timeMs};
        int real = i * NativeMosaic.FRAME_REALS;
        System.arraycopy(transform.toArray(), 0, records.reals, real, 9);
        System.arraycopy(chain.toArray(), 0, records.reals, real + 9, 9);
        System.arraycopy(others, 0, records.reals, real + 18, others.length);
        int[] ints = {transform.kind.ordinal(), chain.kind.ordinal(), against, status.ordinal(), flag(registered),
            part, flag(doubtful), flag(keyFrame), this.chain, order, landmarks, found, used, computed, reused,
            Arrays.asList(BACKENDS).indexOf(backend), flag(chained != null)};
        System.arraycopy(ints, 0, records.ints, i * NativeMosaic.FRAME_INTS, ints.length);
        putHidden(records.ints, i * NativeMosaic.FRAME_INTS + ints.length);
        records.ints[i * NativeMosaic.FRAME_INTS + NUMBER] = frame;
    }

    private static int flag(boolean set) {
        return set ? 1 : 0;
    }
}
