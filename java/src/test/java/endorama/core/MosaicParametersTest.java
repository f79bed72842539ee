package endorama.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import endorama.jni.FramesOptions;
import org.junit.jupiter.api.Test;

/** What the library is given for an option that has no number of its own. */
class MosaicParametersTest {
    @Test
    void framesAreEqualizedInLargeWindowsWithALowLimit() {
        FramesOptions options = new FramesOptions();
        int none = options.enhance;
        MosaicParameters.defaults().setEnhance(options);
        assertEquals(none, options.enhance);
        MosaicParameters.defaults().with("enhance", true).setEnhance(options);
        assertEquals(127, options.enhance);
        assertEquals(2, options.enhanceLimit);
    }
}
