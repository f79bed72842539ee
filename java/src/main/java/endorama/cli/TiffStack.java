package endorama.cli;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelSize;
import endorama.core.frames.PixelType;
import endorama.jni.EndoramaException;
import ij.ImagePlus;
import ij.gui.Overlay;
import ij.io.FileInfo;
import ij.io.FileOpener;
import ij.io.Opener;
import ij.io.RoiDecoder;
import ij.plugin.FileInfoVirtualStack;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The images of a TIFF file, read on demand. Uncompressed rows are read straight from the file, compressed or packed ones by
 * {@link ImageDecoder}. ImageJ gives the metadata: calibration, dimensions, overlay, colours.
 */
final class TiffStack implements FrameSource {
    private static final Pattern UNIT = Pattern.compile("^ImageJ=.*\nunit=([^\n]*)", Pattern.DOTALL);

    private final File file;
    private final List<TiffDirectory> directories;
    private final TiffDirectory shape;
    /** Metadata as ImageJ reads it; null if it cannot read the file. */
    private final FileInfo info;
    /** Number of contiguous images behind the only directory; 0 if each image has a directory. */
    private final int contiguous;
    private final PixelType type;
    /** Decoders, opened at the first image that needs one; one for each thread that reads at the same time. */
    private final Queue<ImageDecoder> decoders = new ConcurrentLinkedQueue<ImageDecoder>();
    private final SpareArrays spare = new SpareArrays();

    TiffStack(File file) throws FrameReadException {
        this.file = file;
        directories = whole(TiffDirectories.read(file));
        int first = first();
        shape = directories.get(first);
        boolean sound = true;
        for (TiffDirectory directory : directories) {
            sound &= directory.problem == null;
        }
        info = sound ? info(file) : null;
        boolean one = directories.size() == 1 && shape.isPlain();
        contiguous = !one ? 0 : shape.images > 1 ? shape.images : info != null && info.nImages > 1 ? info.nImages : 0;
        type = firstType(first);
    }

    /** The images without smaller copies of them; all if the first is called one, too. */
    private static List<TiffDirectory> whole(List<TiffDirectory> all) {
        List<TiffDirectory> whole = new ArrayList<TiffDirectory>(all);
        whole.removeIf(directory -> directory.reduced && !all.get(0).reduced);
        return whole;
    }

    private static FileInfo info(File file) {
        try {
            FileInfo[] found = Opener.getTiffFileInfo(file.getPath());
            return found == null || found.length == 0 ? null : found[0];
        } catch (RuntimeException e) {
            return null;
        }
    }

    /** The first image without a known problem, which defines size and type of all. */
    private int first() throws FrameReadException {
        for (int i = 0; i < directories.size(); i++) {
            if (directories.get(i).problem == null) {
                return i;
            }
        }
        throw new FrameReadException(file + " cannot be read as TIFF: " + directories.get(0).problem);
    }

    private PixelType firstType(int index) throws FrameReadException {
        checkKind(directories.get(index));
        return shape.isPlain() ? TiffRows.type(shape) : image(index).type;
    }

    private void checkKind(TiffDirectory directory) throws FrameReadException {
        if (directory.unsupported() != null) {
            throw new FrameReadException(file + ": frames must be 8-bit, 16-bit or RGB, these are "
                    + directory.unsupported() + "; convert them first");
        }
    }

    @Override
    public int count() {
        return contiguous > 0 ? contiguous : directories.size();
    }

    @Override
    public int width() {
        return shape.width;
    }

    @Override
    public int height() {
        return shape.height;
    }

    @Override
    public PixelType type() {
        return type;
    }

    @Override
    public String label(int index) {
        String[] labels = info == null ? null : info.sliceLabels;
        return labels != null && index < labels.length && labels[index] != null ? labels[index] : "";
    }

    @Override
    public Object pixels(int index) throws FrameReadException {
        Image image = image(index, (w, h) -> {
            if (w != width() || h != height()) {
                throw new FrameReadException(name(index) + " is " + w + " x " + h + " pixels, the first frame "
                        + width() + " x " + height());
            }
        });
        Object pixels = image.as(type);
        if (pixels == null) {
            throw new FrameReadException(name(index) + " is " + image.type + ", the first frame " + type);
        }
        return pixels;
    }

    @Override
    public boolean isAtHand(int index) {
        return shape.isPlain();
    }

    @Override
    public void giveBack(int index, Object pixels) {
        if (shape.isPlain()) {
            spare.add(pixels);
        }
    }

    /** The size that ImageJ's description or OME-XML says. */
    @Override
    public PixelSize pixelSize() {
        Matcher unit = UNIT.matcher(info == null || info.description == null ? "" : info.description);
        // Resolutions of other files are often those of a printer.
        return unit.find() ? PixelSize.of(info.pixelWidth, info.pixelHeight, unit.group(1)) : OmeTiffFrames.size(ome());
    }

    /** The OME-XML of the file; "" if there is none. */
    String ome() {
        return directories.get(0).ome;
    }

    /** The path of the file. */
    String name() {
        return file.toString();
    }

    private String name(int index) {
        return "frame " + (index + 1) + " of " + file;
    }

    /** One image of the file. */
    Image image(int index) throws FrameReadException {
        return image(index, ImageDecoder.ANY_SIZE);
    }

    /** One image of the file, if its size suits. */
    Image image(int index, ImageDecoder.SizeCheck size) throws FrameReadException {
        TiffDirectory directory = directories.get(contiguous > 0 ? 0 : index);
        if (directory.problem != null) {
            throw new FrameReadException(name(index) + " cannot be read: " + directory.problem);
        }
        checkKind(directory);
        size.check(directory.width, directory.height);
        try {
            if (directory.isPlain()) {
                return TiffRows.read(file, directory, contiguous > 0 ? index : 0, spare);
            }
            return decoded(directory.number);
        } catch (FrameReadException | EndoramaException e) {
            throw e;
        } catch (IOException | RuntimeException | LinkageError | OutOfMemoryError e) {
            throw FrameReadException.because(name(index), e);
        }
    }

    private Image decoded(int index) throws IOException {
        ImageDecoder free = decoders.poll();
        ImageDecoder decoder = free == null ? ImageDecoder.open(file) : free;
        try {
            return decoder.image(index, ImageDecoder.ANY_SIZE);
        } finally {
            decoders.add(decoder);
        }
    }

    /** The image as ImageJ opens it, slices not read; null if it cannot. */
    ImagePlus opened() {
        if (info == null) {
            return null;
        }
        return count() == 1 ? new FileOpener((FileInfo) info.clone()).openImage()
                : FileInfoVirtualStack.openVirtual(file.getPath());
    }

    /** Gives an image the calibration, dimensions, overlay and colours of the file. */
    void giveMetadata(ImagePlus image) {
        ImagePlus opened = opened();
        if (opened == null) {
            return;
        }
        image.setCalibration(opened.getCalibration());
        image.setOverlay(overlay());
        image.setProperty("Info", opened.getInfoProperty());
        if (opened.getStackSize() == count() && image.getStackSize() == count()) {
            image.setDimensions(opened.getNChannels(), opened.getNSlices(), opened.getNFrames());
            image.setOpenAsHyperStack(opened.isHyperStack());
        }
        if (type == PixelType.GREY8 && shape.photometric == TiffDirectory.BLACK_IS_ZERO) {
            image.getProcessor().setColorModel(opened.getProcessor().getColorModel());
            image.setDisplayRange(opened.getDisplayRangeMin(), opened.getDisplayRangeMax());
        }
    }

    private Overlay overlay() {
        Overlay overlay = new Overlay();
        for (byte[] roi : info.overlay == null ? new byte[0][] : info.overlay) {
            overlay.add(RoiDecoder.openFromByteArray(roi));
        }
        return overlay.size() == 0 ? null : overlay;
    }
}
