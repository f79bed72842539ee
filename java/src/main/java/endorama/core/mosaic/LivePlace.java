package endorama.core.mosaic;

import endorama.core.transforms.Transform;
import endorama.jni.NativeLive;

/** The place of a frame in a live panorama, and whether it was found and kept: {@code endo_live_frame}. */
public final class LivePlace {
    /** Where the scope is. */
    public enum State {
        /** No frame was registered with another one yet. */
        STARTING,
        /** The frame is registered. */
        FOUND,
        /** The frame is registered, but little ties it to the others. */
        DOUBTFUL,
        /** The frame shows nothing that is in the panorama. */
        LOST;

        /** The word for people. */
        public String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** Number of the frame, from 1. */
    public final long number;
    public final State state;
    /** The frame shows something new, and is kept for the panorama at the end. */
    public final boolean kept;
    /** The panorama it lies in, from 1; 0: none. */
    public final int component;
    /** The scope was lost, and this frame was found beside an earlier one. */
    public final boolean foundAgain;
    /** Frame -&gt; first frame of its panorama; of a lost one that of the last registered one. */
    public final Transform pose;
    /** Time of its registration and painting, ms. */
    public final double milliseconds;

    LivePlace(double[] reals, long[] numbers) {
        number = numbers[0];
        state = State.values()[(int) numbers[1]];
        kept = numbers[2] > 0;
        component = (int) numbers[3];
        foundAgain = numbers[4] != 0;
        pose = Transform.of((int) numbers[5], reals, 0);
        milliseconds = reals[NativeLive.FRAME_REALS - 1];
    }
}
