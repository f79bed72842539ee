package endorama.plugin;

import endorama.core.frames.LengthUnit;
import endorama.core.volumes.Calibrated;
import endorama.core.volumes.Grid;
import endorama.core.volumes.RealValues;
import endorama.core.volumes.Volume;
import ij.ImagePlus;
import ij.measure.Calibration;
import java.util.ArrayList;
import java.util.List;

/** An open image as a volume, or as a series of volumes. */
final class ImageVolume {
    private ImageVolume() {
    }

    /** The volume of an image; pixel values stay as stored, and a new image gets the calibration of the old one. */
    static Volume of(ImagePlus image) {
        Calibration c = image.getCalibration();
        List<String> notes = new ArrayList<String>();
        StackSource source = new StackSource(image, 1);
        Grid grid = Calibrated.grid(image.getTitle(), new int[] {image.getWidth(), image.getHeight(),
            image.getNSlices()}, new double[] {c.pixelWidth, c.pixelHeight, c.pixelDepth}, c.getUnit(),
                new double[] {c.xOrigin, c.yOrigin, c.zOrigin}, notes);
        return Volume.of(image.getTitle(), source, grid, image.getNFrames(), RealValues.SAME,
                LengthUnit.of(c.getUnit()) != null, notes);
    }
}
