package endorama.core.mutual;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelType;
import endorama.core.volumes.Grid;
import endorama.core.volumes.Volume;
import endorama.jni.NativeVolume;

/** Copies volumes into the library. */
final class NativeVolumes {
    private NativeVolumes() {
    }

    /** A volume of zeros. */
    static NativeVolume empty(Grid grid, PixelType type) {
        return NativeVolume.create(type.code(), grid.width, grid.height, grid.depth, grid.world());
    }

    /** Copies the slices in; false if it was cancelled. */
    static boolean fill(NativeVolume to, Volume volume, Progress progress) throws FrameReadException {
        for (int i = 0; i < to.depth(); i++) {
            if (progress.cancelled()) {
                return false;
            }
            to.put(i, volume.pixels(i));
        }
        return true;
    }
}
