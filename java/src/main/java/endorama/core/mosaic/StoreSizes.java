package endorama.core.mosaic;

import endorama.core.frames.FrameSource;

/** How many frames a store holds and a chunk has, and how many pairs a step registers: by their pixels. */
final class StoreSizes {
    /** Pixels of frames a chunk holds at most; for each device, where a call costs more and a pixel less. */
    private static final int CHUNK_PIXELS = 16000000;
    private static final int DEVICE_PIXELS = 64000000;
    private static final int LARGEST_CHUNK = 256;
    /** The pixels of the first chunk, whose time nobody knows. */
    private static final int FIRST_PIXELS = 2000000;
    /** Frames that a chain may hold from before a chunk: {@link ChainStage#held}. */
    private static final int HELD = 4;
    static final int LEAST_SLOTS = HELD + 1;
    /** Of as much as Java's memory: what frames may take on a device that are kept for when they are asked for again. */
    private static final int KEPT_SHARE = 4;
    /** Bytes a pixel of a frame in a store takes beside its own. */
    private static final int DERIVED_BYTES = 5;
    /** Pairs of a step, after which a cancel is answered; for a device, which does many in little more time than few. */
    private static final int FEW_PAIRS = 16;
    private static final int DEVICE_PAIRS = 256;

    private final FrameSource source;
    private final int devices;

    /** devices: numbers of those that were asked for; 0: the first one. */
    StoreSizes(FrameSource source, int devices) {
        this.source = source;
        this.devices = Math.max(1, devices);
    }

    private long area() {
        return Math.max(1, (long) source.width() * source.height());
    }

    /** Frames of the first chunk, if the store holds as many. */
    int firstChunk(boolean onDevice) {
        return (int) Math.max(1, Math.min(LARGEST_CHUNK, (onDevice ? CHUNK_PIXELS : FIRST_PIXELS) / area()));
    }

    /** Frames of a chunk, from a store of so many. */
    static int chunk(int slots) {
        return slots - HELD;
    }

    static int pairsAStep(boolean onDevice) {
        return onDevice ? DEVICE_PAIRS : FEW_PAIRS;
    }

    /** Frames that a store should hold. */
    int slots(boolean onDevice) {
        // Pairs are what threads share: with many processors a chunk of large frames holds more of them.
        int lanes = Math.max(1, Math.min(4, Runtime.getRuntime().availableProcessors() / 4));
        long pixels = onDevice ? (long) DEVICE_PIXELS * devices : (long) CHUNK_PIXELS * lanes;
        return HELD + (int) Math.max(1, Math.min(LARGEST_CHUNK, Math.min(source.count(), pixels / area())));
    }

    /**
     * Beside those.
     *
     * @param ahead the next chunk is read while one is registered
     * @param again frames are read again for places that were solved for
     */
    int kept(boolean onDevice, boolean ahead, boolean again) {
        int slots = slots(onDevice);
        int next = ahead ? Math.max(0, Math.min(source.count(), 2 * slots) - slots) : 0;
        if (!onDevice || !again) {
            return next;
        }
        long room = Runtime.getRuntime().maxMemory() / KEPT_SHARE / (area() * (source.type().bytes() + DERIVED_BYTES));
        return (int) Math.max(next, Math.min(room, source.count()) - slots);
    }
}
