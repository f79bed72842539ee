package endorama.core;

import endorama.jni.EndoramaException;

/**
 * Does work that knows where it is: where memory ends it goes on in smaller chunks, where a device fails that Auto had
 * chosen it goes on with the CPU. {@link MosaicResources} does the same for a run that also paints what it finds.
 */
final class Persistence {
    /** Begins where the last one ended, with stores of its own from the back end as it is now. */
    interface Work {
        void run(int chunk) throws FrameReadException;
    }

    private Persistence() {
    }

    /**
     * Works to the end.
     *
     * @param chunk frames at once, at first
     * @throws EndoramaException that neither smaller chunks nor the CPU help against
     */
    static void run(BackEnd backEnd, int chunk, Progress progress, Work work) throws FrameReadException {
        for (int frames = chunk;;) {
            try {
                work.run(frames);
                return;
            } catch (EndoramaException e) {
                if (e.status() == EndoramaException.Status.MEMORY && frames > 1) {
                    progress.log("out of memory with " + frames + " frames at once (" + e.getMessage() + "); going on with "
                            + frames / 2);
                    frames /= 2;
                } else if (backEnd.replaces(e)) {
                    progress.log("backend " + backEnd.name() + " failed: " + e.getMessage()
                            + "; the CPU goes on, nothing is lost");
                    backEnd.replace();
                } else {
                    throw e;
                }
            }
        }
    }
}
