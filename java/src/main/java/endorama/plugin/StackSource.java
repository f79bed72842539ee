package endorama.plugin;

import endorama.core.frames.ForwardingFrames;
import endorama.core.frames.FrameRange;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelSize;
import endorama.core.frames.ReadAhead;
import endorama.core.options.OptionValues;
import endorama.core.transforms.Rect;
import endorama.core.transforms.Selection;
import endorama.picture.ImageSlices;
import ij.ImagePlus;
import ij.ImageStack;
import ij.gui.Roi;
import ij.measure.Calibration;
import ij.process.ImageProcessor;
import java.awt.Rectangle;
import java.util.Arrays;

/** The slices of an open image as frames, each read on demand. The image is not changed. */
final class StackSource extends ForwardingFrames {
    private final ImagePlus image;

    /** @throws IllegalArgumentException that says what the image is, what is needed, and what to do */
    StackSource(ImagePlus image, int leastFrames) {
        this(image, slices(image, leastFrames));
    }

    private StackSource(ImagePlus image, FrameSource some) {
        super(some);
        this.image = image;
    }

    private static FrameSource slices(ImagePlus image, int leastFrames) {
        ImageStack stack = image.getStack();
        if (ImageSlices.type(image) == null) {
            throw new IllegalArgumentException(image.getTitle() + " is a 32-bit image; frames are 8-bit, 16-bit"
                    + " or RGB. Set the display range and use Image > Type > 16-bit.");
        }
        if (image.getNChannels() > 1) {
            throw new IllegalArgumentException(image.getTitle() + " has " + image.getNChannels()
                    + " channels; frames have one, or are RGB. Use Image > Color > Split Channels, or > Stack to RGB.");
        }
        if (stack.getSize() < leastFrames) {
            throw new IllegalArgumentException(image.getTitle() + " is a single image; a stack of at least "
                    + leastFrames + " frames is needed. Use File > Import > Image Sequence...");
        }
        ImageSlices slices = new ImageSlices(image, image.getTitle());
        // Slices of a virtual stack are read from files.
        return stack.isVirtual() ? new ReadAhead(slices, 1) : slices;
    }

    @Override
    public PixelSize pixelSize() {
        Calibration calibration = image.getCalibration();
        return PixelSize.of(calibration.pixelWidth, calibration.pixelHeight, calibration.getUnit());
    }

    /** The frames that the options select; all where there is no such option. */
    StackSource chosen(OptionValues values) {
        FrameSource chosen = FrameRange.chosen(values, source);
        return chosen == source ? this : new StackSource(image, chosen);
    }

    /** All lines of the label of a frame's slice, from 0; where it has none in a selection of slices, its number. */
    String sliceLabel(int index) {
        String label = image.getStack().getSliceLabel(number(index));
        return label == null && number(index) != index + 1 ? "frame " + number(index) : label;
    }

    @Override
    public Object pixels(int index) throws FrameReadException {
        return source.pixels(index);
    }

    @Override
    public boolean isAtHand(int index) {
        return source.isAtHand(index);
    }

    @Override
    public void giveBack(int index, Object pixels) {
        source.giveBack(index, pixels);
    }

    @Override
    public void expect(int[] frames) {
        source.expect(frames);
    }

    /** The selection as a field of view: -1 (255) inside, 0 outside. */
    byte[] selection() {
        Roi roi = image.getRoi();
        if (roi == null || !roi.isArea()) {
            throw new IllegalArgumentException("field Selection: " + image.getTitle()
                    + " has no area selection; draw one around the field of view");
        }
        byte[] field = new byte[width() * height()];
        for (java.awt.Point p : roi) {
            if (p.x >= 0 && p.y >= 0 && p.x < width() && p.y < height()) {
                field[p.y * width() + p.x] = -1;
            }
        }
        boolean empty = Arrays.equals(field, new byte[field.length]);
        if (empty) {
            throw new IllegalArgumentException("field Selection: the selection lies outside " + image.getTitle());
        }
        return field;
    }

    /** The user's selection; null if it is no area, or all of the image. */
    Selection region() {
        Roi roi = image.getRoi();
        if (roi == null || !roi.isArea()) {
            return null;
        }
        Rectangle all = new Rectangle(0, 0, width(), height());
        Rectangle of = roi.getBounds();
        Rectangle inside = of.intersection(all);
        if (inside.isEmpty()) {
            throw new IllegalArgumentException("the selection lies outside " + image.getTitle());
        }
        ImageProcessor mask = roi.getMask();
        if (mask == null && inside.equals(all)) {
            return null;
        }
        byte[] pixels = mask == null ? null : new byte[inside.width * inside.height];
        for (int i = 0; mask != null && i < pixels.length; i++) {
            pixels[i] = (byte) mask.get(inside.x - of.x + i % inside.width, inside.y - of.y + i / inside.width);
        }
        return new Selection(new Rect(inside.x, inside.y, inside.x + inside.width, inside.y + inside.height), pixels);
    }
}
