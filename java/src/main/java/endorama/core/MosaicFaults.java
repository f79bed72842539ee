package endorama.core;

import java.util.function.IntConsumer;

/** What tests let fail in a run. */
final class MosaicFaults {
    /** The canvas cannot be read after a failure. */
    boolean canvasLost;
    /** Rows of a band of a blend, a multiple of 4; 0: by the memory. */
    int bandRows;
    /** Called with the number of rows before a band is blended, and may fail as the library does. */
    IntConsumer bandStrain = n -> { };
    /** Panoramas are kept on the disk, where there is a folder for them, however small they are. */
    boolean onDisk;
    /** Frames are put into the store before they are needed, as for a device. */
    boolean ahead;
    /** Called with the number of slots before a chunk is registered, and may fail as the library does. */
    IntConsumer strain = n -> { };
}
