package endorama.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.FrameReadException;
import ij.IJ;
import ij.ImagePlus;
import java.io.File;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which images of a TIFF file are worth keeping. */
class TiffStackTest {
    @TempDir
    Path folder;

    private TiffStack stack(String type) throws FrameReadException {
        File file = folder.resolve(type.replace(" ", "") + ".tif").toFile();
        ImagePlus image = IJ.createImage("stack", type, 20, 10, 3);
        IJ.saveAsTiff(image, file.getPath());
        return new TiffStack(file);
    }

    private void assertKept(String type, boolean kept) throws FrameReadException {
        TiffStack stack = stack(type);
        assertEquals(3, stack.count());
        assertEquals(kept, stack.mayBeKept(), type);
        assertTrue(stack.isAtHand(1), type);
    }

    @Test
    void coloursAreKeptAndGreyIsReadAgain() throws FrameReadException {
        assertKept("RGB black", true);
        assertKept("8-bit black", false);
        assertKept("16-bit black", false);
    }
}
