package endorama.core.mosaic;

import endorama.core.paint.Panorama;
import java.util.function.Supplier;

/** Sees a panorama grow. */
public interface MosaicListener {
    /** Does not look. */
    MosaicListener NONE = new MosaicListener() {
        @Override
        public void panorama(Supplier<Panorama> snapshot) {
        }
    };

    /**
     * Some frames were painted. Call the supplier now or never: it copies the panorama, which takes time in
     * proportion to its area.
     */
    void panorama(Supplier<Panorama> snapshot);
}
