package endorama.cli;

import endorama.core.files.AtomicFile;
import endorama.core.files.StoppedException;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.OneFrame;
import endorama.core.frames.PixelType;
import endorama.core.options.MosaicParameters;
import endorama.core.paint.Panorama;
import endorama.core.paint.PyramidTiff;
import endorama.core.zarr.Ngff;
import endorama.core.zarr.OmeZarr;
import endorama.picture.ExtraPictures;
import endorama.picture.ImageSlices;
import ij.ImagePlus;
import ij.ImageStack;
import ij.VirtualStack;
import ij.gui.Overlay;
import ij.io.FileInfo;
import ij.io.FileSaver;
import ij.io.TiffEncoder;
import ij.process.ColorProcessor;
import ij.process.ImageProcessor;
import ij.process.ShortProcessor;
import java.awt.Dimension;
import java.awt.image.BufferedImage;
import java.awt.image.DataBufferInt;
import java.awt.image.DirectColorModel;
import java.awt.image.Raster;
import java.awt.image.WritableRaster;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriter;
import javax.imageio.event.IIOWriteProgressListener;
import javax.imageio.stream.ImageOutputStream;

/** Single images in files: read by ImageIO and ImageJ, written as PNG or TIFF, whole or not at all. */
final class ImageFiles {
    static {
        // A cache on the disk would use channels that Java closes while it is being interrupted.
        ImageIO.setUseCache(false);
    }

    private ImageFiles() {
    }

    /**
     * An image as a sequence of one frame.
     *
     * @throws FrameReadException if it cannot be read
     */
    static OneFrame frame(File file) throws FrameReadException {
        Image image = read(file);
        return new OneFrame(file.getName(), image.type, image.width, image.height, image.pixels);
    }

    /** @throws FrameReadException that names the file and says why */
    static Image read(File file) throws FrameReadException {
        return read(file, ImageDecoder.ANY_SIZE);
    }

    /** Reads an image unless the check refuses its size. A TIFF is recognised by its content, whatever its name. */
    static Image read(File file, ImageDecoder.SizeCheck size) throws FrameReadException {
        try {
            switch (FileDamage.format(file)) {
                case TIFF: return new TiffStack(file).image(0, size);
                case PNG: FileDamage.checkPng(file); break;
                case GIF: FileDamage.checkGif(file); break;
                case BMP: FileDamage.checkBmp(file); break;
                default:
            }
            try (ImageDecoder decoder = ImageDecoder.open(file)) {
                return decoder.image(0, size);
            }
        } catch (FrameReadException e) {
            throw e;
        } catch (IOException | RuntimeException | LinkageError | OutOfMemoryError e) {
            throw FrameReadException.because(file.toString(), e);
        }
    }

    /** The size in the header of a file; null if it cannot be read. */
    static Dimension size(File file) {
        try {
            if (FileDamage.format(file) == FileDamage.Format.TIFF) {
                TiffDirectory first = TiffDirectories.read(file).get(0);
                return new Dimension(first.width, first.height);
            }
            try (ImageDecoder decoder = ImageDecoder.open(file)) {
                return decoder.size(0);
            }
        } catch (IOException | RuntimeException | LinkageError | OutOfMemoryError e) {
            return null;
        }
    }

    /** @throws IllegalArgumentException unless the name is that of a picture that can be written */
    static void checkName(File file) {
        String name = file.getName().toLowerCase(Locale.ROOT);
        if (!name.endsWith(".png") && !Inputs.isTiff(file) && !OmeZarr.isName(file)) {
            throw new IllegalArgumentException(file + ": must end in .png, .tif, .tiff or .ome.zarr");
        }
    }

    /**
     * Writes a panorama; a TIFF keeps the position of the first frame as the origin of its calibration.
     *
     * @param overlay a TIFF keeps it as well, but for a pyramid (.ome.tif); null: none
     * @param zarr writes an OME-Zarr
     * @param stopped true ends the writing of a pyramid or a PNG, which may take minutes
     */
    static void write(File file, Panorama panorama, Overlay overlay, OmeZarr zarr, BooleanSupplier stopped)
            throws IOException {
        if (OmeZarr.isName(file)) {
            zarr.write(file, panorama, stopped);
            return;
        }
        if (isPyramid(file)) {
            PyramidTiff.write(file, panorama, stopped);
            return;
        }
        ImagePlus image = new ImagePlus(file.getName(),
                ImageSlices.processor(panorama.pixels(), panorama.width(), panorama.height()));
        image.setOverlay(overlay);
        writePicture(file, panorama, image, stopped);
    }

    /** Writes panoramas of a sequence as OME-Zarr. */
    static OmeZarr zarr(MosaicParameters parameters, FrameSource source) {
        return new OmeZarr(Ngff.of(parameters.ngff()), source.origin().pixelSize(), parameters.threads());
    }

    /** Writes the number of frames that show each pixel. */
    static void writeCoverage(File file, Panorama panorama, BooleanSupplier stopped) throws IOException {
        if (isPyramid(file)) {
            PyramidTiff.write(file, PixelType.GREY16, panorama.width(), panorama.height(), panorama.coverageRows(),
                    stopped);
        } else {
            writePicture(file, panorama, ExtraPictures.coverage(panorama, file.getName()), stopped);
        }
    }

    /** Writes the standard deviation of the pose at each pixel. */
    static void writeUncertainty(File file, Panorama panorama, BooleanSupplier stopped) throws IOException {
        if (isPyramid(file)) {
            PyramidTiff.write(file, PixelType.GREY16, panorama.width(), panorama.height(), panorama.uncertaintyRows(),
                    stopped);
        } else {
            writePicture(file, panorama, ExtraPictures.uncertainty(panorama, file.getName()), stopped);
        }
    }

    private static void writePicture(File file, Panorama panorama, ImagePlus image, BooleanSupplier stopped)
            throws IOException {
        if (!Inputs.isTiff(file)) {
            writePng(file, image.getProcessor(), stopped);
            return;
        }
        image.getCalibration().xOrigin = panorama.originX();
        image.getCalibration().yOrigin = panorama.originY();
        image.getCalibration().pixelWidth = 1 / panorama.scale(); /* in pixels of the first frame */
        image.getCalibration().pixelHeight = 1 / panorama.scale();
        writeTiff(file, image);
    }

    /** The name is that of a tiled, pyramidal TIFF, which need not fit into Java's memory. */
    static boolean isPyramid(File file) {
        return file.getName().toLowerCase(Locale.ROOT).matches(".*\\.ome\\.tiff?");
    }

    /** The folder for a panorama while it is made, if its file may exceed Java's memory; else null. */
    static File scratch(File output) {
        return output == null || !isPyramid(output) && !OmeZarr.isName(output) ? null : output.getAbsoluteFile().getParentFile();
    }

    static void writePng(File file, ImageProcessor ip) throws IOException {
        writePng(file, ip, () -> false);
    }

    /** Writes a PNG; stopped is polled, and true ends the writing, which may take a minute. */
    private static void writePng(File file, ImageProcessor ip, BooleanSupplier stopped) throws IOException {
        final BufferedImage image = buffered(ip);
        AtomicFile.write(file, out -> {
            ImageWriter writer = ImageIO.getImageWritersByFormatName("png").next();
            try (ImageOutputStream stream = ImageIO.createImageOutputStream(out)) {
                writer.setOutput(stream);
                writer.addIIOWriteProgressListener(new StoppingWriter(stopped));
                writer.write(image);
            } finally {
                writer.dispose();
            }
            if (stopped.getAsBoolean()) {
                throw new StoppedException(file + ": stopped while it was written");
            }
        });
    }

    /** An image of the same pixels, without the copy that ImageJ makes of colours, which takes as long as compressing them. */
    private static BufferedImage buffered(ImageProcessor ip) {
        if (ip instanceof ShortProcessor) {
            return ((ShortProcessor) ip).get16BitBufferedImage();
        }
        if (!(ip instanceof ColorProcessor)) {
            return ip.getBufferedImage();
        }
        int[] pixels = (int[]) ip.getPixels();
        int[] masks = {0xff0000, 0xff00, 0xff};
        WritableRaster raster = Raster.createPackedRaster(new DataBufferInt(pixels, pixels.length), ip.getWidth(),
                ip.getHeight(), ip.getWidth(), masks, null);
        return new BufferedImage(new DirectColorModel(24, masks[0], masks[1], masks[2]), raster, false, null);
    }

    /** Aborts a writer when a stop is requested. */
    private static final class StoppingWriter implements IIOWriteProgressListener {
        private final BooleanSupplier stopped;

        StoppingWriter(BooleanSupplier stopped) {
            this.stopped = stopped;
        }

        @Override
        public void imageProgress(ImageWriter source, float percentageDone) {
            if (stopped.getAsBoolean()) {
                source.abort();
            }
        }

        @Override
        public void imageStarted(ImageWriter source, int imageIndex) {
        }

        @Override
        public void imageComplete(ImageWriter source) {
        }

        @Override
        public void thumbnailStarted(ImageWriter source, int imageIndex, int thumbnailIndex) {
        }

        @Override
        public void thumbnailProgress(ImageWriter source, float percentageDone) {
        }

        @Override
        public void thumbnailComplete(ImageWriter source) {
        }

        @Override
        public void writeAborted(ImageWriter source) {
        }
    }

    /** Writes an image or a stack; a virtual stack is written slice by slice. */
    static void writeTiff(File file, ImagePlus image) throws IOException {
        final FileInfo info = image.getFileInfo();
        ImageStack stack = image.getStack();
        info.nImages = stack.getSize();
        if (stack.isVirtual()) {
            info.virtualStack = (VirtualStack) stack;
        }
        info.description = new FileSaver(image).getDescriptionString();
        info.info = image.getInfoProperty();
        info.overlay = FileSaver.getOverlay(image);
        info.sliceLabels = labels(stack);
        AtomicFile.write(file, new AtomicFile.Content() {
            @Override
            public void writeTo(OutputStream out) throws IOException {
                BufferedOutputStream buffered = new BufferedOutputStream(out, 1 << 16);
                new TiffEncoder(info).write(buffered);
                buffered.flush();
            }
        });
    }

    /** The labels of a stack; null if no slice has one. */
    private static String[] labels(ImageStack stack) {
        String[] labels = new String[stack.getSize()];
        boolean some = false;
        for (int i = 0; i < labels.length; i++) {
            labels[i] = stack.getSliceLabel(i + 1);
            some |= labels[i] != null;
        }
        return some ? labels : null;
    }
}
