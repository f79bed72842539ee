package endorama.core.mosaic;

import endorama.core.engine.PlacedFrame;
import endorama.jni.NativeFrames;
import java.util.List;

/**
 * A piece of a run that goes on step by step, each of a tenth of a second or so. After a failure of the library it can
 * be asked again for the step that failed.
 */
abstract class Stage {
    /** There is nothing more to do. */
    abstract boolean done();

    /** Goes on a little. */
    abstract void step();

    /** How much of it is done, 0..1. */
    abstract double share();

    /** What it is at, for people: a frame, or what is done with all. */
    abstract String where();

    /** What is painted when nothing waits to be, in order: for a canvas that is lost. */
    abstract List<PlacedFrame> painted();

    /** Frames that the next step refers to; they must stay in the store. -1: none. */
    int[] held() {
        return new int[0];
    }

    /** Goes on with another store, in which the frames that are held are in these slots. */
    void moveTo(NativeFrames store, int[] slots, String computing) {
    }
}
