package endorama.cli;

import endorama.core.frames.ForwardingFrames;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelSize;
import endorama.core.frames.PixelType;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The planes of an OME-TIFF as frames: along time, or along z where there is one point of time. Three channels of 8 bits, each
 * a plane of its own, are colours; of others the first is taken.
 */
final class OmeTiffFrames extends ForwardingFrames {
    private static final Pattern PIXELS = Pattern.compile("<(?:\\w+:)?Pixels\\s([^>]*)>(.*?)</(?:\\w+:)?Pixels>", Pattern.DOTALL);
    private static final Pattern TIFF_DATA = Pattern.compile("<(?:\\w+:)?TiffData(\\s[^>]*)?>");

    private final TiffStack stack;
    /** The plane of the file for each channel of each frame, frame after frame. */
    private final int[] planes;
    private final int channels;
    private final String warning;

    private OmeTiffFrames(TiffStack stack, int[] planes, int channels, String warning) {
        super(stack);
        this.stack = stack;
        this.planes = planes;
        this.channels = channels;
        this.warning = warning;
    }

    /**
     * The frames of a TIFF: its images, unless its OME-XML says that they are channels of frames.
     *
     * @throws FrameReadException if frames would lie along two axes
     */
    static FrameSource of(TiffStack stack) throws FrameReadException {
        Matcher pixels = PIXELS.matcher(stack.ome());
        if (!pixels.find()) {
            return stack;
        }
        String said = pixels.group(1);
        String order = attribute(said, "DimensionOrder", "XYCZT");
        int[] sizes = {number(said, "SizeZ", 1), number(said, "SizeC", 1), number(said, "SizeT", 1)};
        Matcher samples = Pattern.compile("SamplesPerPixel\\s*=\\s*[\"'](\\d{1,4})[\"']").matcher(pixels.group(2));
        sizes[1] /= samples.find() ? Math.max(1, Integer.parseInt(samples.group(1))) : 1;
        if (!order.matches("XY[ZCT]{3}") || (long) sizes[0] * sizes[1] * sizes[2] != stack.count()) {
            return stack; // The OME-XML describes several files, or other images than those of this one.
        }
        if (sizes[0] > 1 && sizes[2] > 1) {
            throw new FrameReadException(stack.name() + ": has " + sizes[2] + " points of time of " + sizes[0]
                    + " planes; frames lie along one axis: give an image of one plane");
        }
        return sizes[1] == 1 ? stack : of(stack, sizes, places(order, sizes, pixels.group(2)));
    }

    private static FrameSource of(TiffStack stack, int[] sizes, int[] places) {
        boolean colours = sizes[1] == 3 && stack.type() == PixelType.GREY8;
        int channels = colours ? 3 : 1;
        int[] planes = new int[channels * sizes[0] * sizes[2]];
        for (int i = 0; i < planes.length; i++) {
            planes[i] = places[i / channels * sizes[1] + i % channels];
        }
        return new OmeTiffFrames(stack, planes, channels, colours ? null
                : stack.name() + " has " + sizes[1] + " channels; the first one is taken");
    }

    /** The image of the file for each z, t and channel, the channel first: in the order of the axes, but for what TiffData says. */
    private static int[] places(String order, int[] sizes, String content) {
        int[] images = new int[sizes[0] * sizes[1] * sizes[2]];
        Arrays.setAll(images, i -> i);
        Matcher data = TIFF_DATA.matcher(content);
        while (data.find()) {
            String said = data.group(1) == null ? "" : data.group(1);
            int from = index(order, sizes, number(said, "FirstZ", 0), number(said, "FirstC", 0), number(said, "FirstT", 0));
            int image = number(said, "IFD", 0);
            int n = number(said, "PlaneCount", said.contains("IFD") ? 1 : images.length);
            for (int i = 0; i < n && from + i < images.length && image + i < images.length; i++) {
                images[from + i] = image + i;
            }
        }
        int[] places = new int[images.length];
        for (int i = 0; i < places.length; i++) {
            int frame = i / sizes[1];
            places[i] = images[index(order, sizes, frame % sizes[0], i % sizes[1], frame / sizes[0])];
        }
        return places;
    }

    /** The number of a plane where the first axis of the order goes fastest; at most the number of planes. */
    private static int index(String order, int[] sizes, int z, int c, int t) {
        long index = 0;
        for (int i = 4; i >= 2; i--) {
            int axis = "ZCT".indexOf(order.charAt(i));
            index = index * sizes[axis] + (axis == 0 ? z : axis == 1 ? c : t);
        }
        return (int) Math.min(index, (long) sizes[0] * sizes[1] * sizes[2]);
    }

    static String attribute(String said, String key, String otherwise) {
        Matcher value = Pattern.compile("(?:^|\\s)" + key + "\\s*=\\s*[\"']([^\"']*)[\"']").matcher(said);
        return value.find() ? value.group(1) : otherwise;
    }

    private static int number(String said, String key, int otherwise) {
        String text = attribute(said, key, otherwise + "");
        return text.matches("\\d{1,8}") ? Integer.parseInt(text) : otherwise;
    }

    /** The size of a pixel that OME-XML says; null if it says none. */
    static PixelSize size(String ome) {
        Matcher pixels = PIXELS.matcher(ome);
        try {
            String said = pixels.find() ? pixels.group(1) : "";
            String unit = attribute(said, "PhysicalSizeXUnit", "\u00b5m");
            return !unit.equals(attribute(said, "PhysicalSizeYUnit", "\u00b5m")) ? null
                    : PixelSize.of(Double.parseDouble(attribute(said, "PhysicalSizeX", "0")),
                    Double.parseDouble(attribute(said, "PhysicalSizeY", "0")), unit);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    // ------------------------------------------------------------------ frames

    @Override
    public int count() {
        return planes.length / channels;
    }

    @Override
    public PixelType type() {
        return channels == 3 ? PixelType.RGB32 : stack.type();
    }

    @Override
    public String label(int index) {
        return "";
    }

    @Override
    public String warning() {
        return warning;
    }

    @Override
    public PixelSize pixelSize() {
        return stack.pixelSize();
    }

    @Override
    public boolean isAtHand(int index) {
        return stack.isAtHand(planes[channels * index]);
    }

    @Override
    public void giveBack(int index, Object pixels) {
        if (channels == 1) {
            stack.giveBack(planes[index], pixels);
        }
    }

    @Override
    public Object pixels(int index) throws FrameReadException {
        if (channels == 1) {
            return stack.pixels(planes[index]);
        }
        int[] colours = new int[width() * height()];
        for (int c = 0; c < channels; c++) {
            byte[] plane = (byte[]) stack.pixels(planes[channels * index + c]);
            for (int i = 0; i < colours.length; i++) {
                colours[i] |= 0xff000000 | (plane[i] & 255) << 16 - 8 * c;
            }
            stack.giveBack(planes[channels * index + c], plane);
        }
        return colours;
    }
}
