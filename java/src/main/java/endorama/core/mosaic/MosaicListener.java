package endorama.core.mosaic;

import endorama.core.paint.Panorama;
import java.util.function.Supplier;

/** Receives snapshots of a growing panorama. */
public interface MosaicListener {
    /** Takes no snapshot. */
    MosaicListener NONE = new MosaicListener() {
        @Override
        public void panorama(Supplier<Panorama> snapshot) {
        }
    };

    /**
     * Called when frames were painted. The supplier is valid only within the call: it copies the panorama, in time proportional
     * to its area.
     */
    void panorama(Supplier<Panorama> snapshot);
}
