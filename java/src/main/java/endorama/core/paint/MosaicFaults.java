package endorama.core.paint;

import java.util.function.IntConsumer;

/** What tests let fail in a run. */
public final class MosaicFaults {
    /** The canvas cannot be read after a failure. */
    public boolean canvasLost;
    /** Rows of a band of a blend, a multiple of 4; 0: by the memory. */
    public int bandRows;
    /** Called with the number of rows before a band is blended, and may fail as the library does. */
    public IntConsumer bandStrain = n -> { };
    /** Panoramas are kept on the disk, where there is a folder for them, however small they are. */
    public boolean onDisk;
    /** Frames are put into the store before they are needed, as for a device. */
    public boolean ahead;
    /** Called with the number of slots before a chunk is registered, and may fail as the library does. */
    public IntConsumer strain = n -> { };
}
