package endorama.core.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import endorama.jni.NativeTransforms;
import endorama.jni.RegisterOptions;
import org.junit.jupiter.api.Test;

/** Values for the library of options that have no number. */
class MosaicParametersTest {
    @Test
    void homographiesGoWithTheMethodThatKnowsThem() {
        MosaicParameters asked = MosaicParameters.defaults().with("warp", "Homography");
        assertEquals(NativeTransforms.HOMOGRAPHY, asked.register().transform);
        assertEquals(RegisterOptions.AUTO, MosaicParameters.defaults().register().transform);
        assertEquals("warp Homography: goes with method Best alone; with method Paper take Affine, Similarity, Rigid or"
                + " Translation", assertThrows(OptionException.class, () -> asked.with("method", "Paper").register())
                .getMessage());
    }
}
