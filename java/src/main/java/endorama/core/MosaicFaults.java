package endorama.core;

import java.util.function.IntConsumer;

/** What tests let fail in a run. */
final class MosaicFaults {
    /** The canvas cannot be read after a failure. */
    boolean canvasLost;
    /** Called with the number of slots before a chunk is registered, and may fail as the library does. */
    IntConsumer strain = n -> { };
}
