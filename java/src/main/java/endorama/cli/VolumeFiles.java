package endorama.cli;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.LengthUnit;
import endorama.core.frames.PixelType;
import endorama.core.mutual.MutualOutcome;
import endorama.core.volumes.Calibrated;
import endorama.core.volumes.Grid;
import endorama.core.volumes.NiftiFile;
import endorama.core.volumes.RealValues;
import endorama.core.volumes.Volume;
import endorama.picture.ImageSlices;
import ij.ImagePlus;
import ij.measure.Calibration;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** Volumes in files: NIfTI, TIFF stacks, folders of images, single images, and other formats that ImageJ opens. */
final class VolumeFiles {
    private VolumeFiles() {
    }

    /** @throws FrameReadException that names the file and says why it cannot be read */
    static Volume read(File file) throws FrameReadException {
        if (!file.exists()) {
            throw new FrameReadException(file + ": no such file or folder");
        }
        if (NiftiFile.isNifti(file)) {
            return NiftiFile.read(file);
        }
        if (file.isDirectory()) {
            return uncalibrated(file, new ImageFolder(file));
        }
        try {
            switch (FileDamage.format(file)) {
                case TIFF: return tiff(file);
                case OTHER: return ImageFiles.size(file) == null ? opened(file)
                        : uncalibrated(file, ImageFiles.frame(file));
                default: return uncalibrated(file, ImageFiles.frame(file));
            }
        } catch (FrameReadException e) {
            throw e;
        } catch (IOException e) {
            throw FrameReadException.because(file.toString(), e);
        }
    }

    private static Volume uncalibrated(File file, FrameSource slices) {
        Grid grid = Grid.spaced(slices.width(), slices.height(), slices.count(), 1, 1, 1);
        return Volume.of(file.getName(), slices, grid, 1, RealValues.SAME, false, Collections.<String>emptyList());
    }

    private static Volume tiff(File file) throws FrameReadException {
        TiffStack stack = new TiffStack(file);
        ImagePlus image = stack.opened();
        return image == null || image.getStackSize() != stack.count() ? uncalibrated(file, stack)
                : calibrated(file, stack, image);
    }

    /** A file that only ImageJ opens, such as DICOM, PGM or FITS. */
    private static Volume opened(File file) throws FrameReadException {
        ImagePlus image = OpenedImage.open(file);
        return calibrated(file, OpenedImage.slices(file, image), image);
    }

    private static Volume calibrated(File file, FrameSource slices, ImagePlus image) throws FrameReadException {
        if (image.getNChannels() > 1) {
            throw new FrameReadException(file + " has " + image.getNChannels() + " channels; volumes have one, or are RGB");
        }
        Calibration c = image.getCalibration();
        List<String> notes = new ArrayList<String>();
        Grid grid = Calibrated.grid(file.getName(), new int[] {slices.width(), slices.height(), image.getNSlices()},
                new double[] {c.pixelWidth, c.pixelHeight, c.pixelDepth}, c.getUnit(),
                new double[] {c.xOrigin, c.yOrigin, c.zOrigin}, notes);
        return Volume.of(file.getName(), slices, grid, image.getNFrames(), values(c, slices.type()),
                LengthUnit.of(c.getUnit()) != null, notes);
    }

    private static RealValues values(Calibration c, PixelType type) {
        double[] line = c.getFunction() == Calibration.STRAIGHT_LINE && type != PixelType.RGB32 ? c.getCoefficients()
                : null;
        return line == null || line.length < 2 ? RealValues.SAME : new RealValues(line[1], line[0]);
    }

    // ----------------------------------------------------------------- writing

    /** @throws IllegalArgumentException unless volumes can be written there */
    static void checkName(File file) {
        if (!NiftiFile.isNifti(file) && !Inputs.isTiff(file) && !isPng(file)) {
            throw new IllegalArgumentException(file + ": must end in .tif, .nii or .nii.gz, or, of one image, .png");
        }
    }

    private static boolean isPng(File file) {
        return file.getName().toLowerCase(Locale.ROOT).endsWith(".png");
    }

    /**
     * Writes the registered volumes in the format that the file name asks for.
     *
     * @param fixed the file of the fixed image, whose calibration a TIFF keeps
     */
    static void write(File file, FrameSource slices, MutualOutcome outcome, File fixed) throws IOException {
        if (NiftiFile.isNifti(file)) {
            NiftiFile.write(file, slices, outcome.outputGrid(), outcome.outputFrames(), outcome.moving().values());
        } else if (isPng(file)) {
            if (slices.count() != 1) {
                throw new IllegalArgumentException(file + ": holds one image, and there are " + slices.count()
                        + "; take .tif or .nii");
            }
            ImageFiles.writePng(file, ImageSlices.processor(slices.pixels(0), slices.width(), slices.height()));
        } else {
            writeTiff(file, slices, outcome, fixed);
        }
    }

    private static void writeTiff(File file, FrameSource slices, MutualOutcome outcome, File fixed) throws IOException {
        try {
            ImagePlus image = new ImagePlus(file.getName(), new WrittenStack(slices, Progress.NONE));
            image.setCalibration(calibration(outcome, fixed));
            image.setDimensions(1, slices.count() / outcome.outputFrames(), outcome.outputFrames());
            image.setOpenAsHyperStack(outcome.outputFrames() > 1);
            if (slices.type() == PixelType.GREY16) {
                giveRange(image, slices);
            }
            image.setProperty("Info", "Endorama registration of " + outcome.moving().name() + " onto "
                    + outcome.fixed().name() + "\n" + outcome.summary() + "\n" + outcome.backend());
            ImageFiles.writeTiff(file, image);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Sets the display range to the darkest and brightest pixel of the middle slice. */
    private static void giveRange(ImagePlus image, FrameSource slices) throws IOException {
        int low = 65535;
        int high = 0;
        for (short pixel : (short[]) slices.pixels(slices.count() / 2)) {
            low = Math.min(low, pixel & 0xffff);
            high = Math.max(high, pixel & 0xffff);
        }
        image.setDisplayRange(low, Math.max(low + 1, high));
    }

    private static Calibration calibration(MutualOutcome outcome, File fixed) throws FrameReadException {
        ImagePlus image = fixed.isFile() && !NiftiFile.isNifti(fixed) && Inputs.isTiff(fixed)
                ? new TiffStack(fixed).opened() : null;
        Calibration c = image == null ? inMillimetres(outcome.fixed()) : image.getCalibration().copy();
        RealValues values = outcome.moving().values();
        if (values.areSame() || outcome.moving().type() == PixelType.RGB32) {
            c.disableDensityCalibration();
        } else {
            c.setFunction(Calibration.STRAIGHT_LINE, new double[] {values.intercept, values.slope}, "value");
        }
        return c;
    }

    /** The calibration in mm; with the position of the volume where its axes are parallel to those of the world. */
    private static Calibration inMillimetres(Volume volume) {
        Calibration c = new Calibration();
        if (!volume.isMeasured()) {
            return c;
        }
        double[] mm = volume.grid().spacing();
        c.pixelWidth = mm[0];
        c.pixelHeight = mm[1];
        c.pixelDepth = mm[2];
        c.setUnit("mm");
        return c;
    }
}
