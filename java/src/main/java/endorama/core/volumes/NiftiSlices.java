package endorama.core.volumes;

import endorama.core.files.FileFormatException;
import endorama.core.frames.PixelType;
import endorama.core.frames.SizedFrames;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The slices of a NIfTI file as 8-bit, 16-bit or RGB pixels, converted on demand. Integers whose range fits 16 bits keep their
 * values; all other types are scaled to 16 bits from the smallest to the largest value.
 */
final class NiftiSlices extends SizedFrames {
    private static final double STEPS = 65535;

    private final NiftiHeader header;
    private final List<byte[]> slices;
    private double smallest = Double.POSITIVE_INFINITY;
    private double largest = Double.NEGATIVE_INFINITY;
    private boolean whole = true;
    private long unusable;
    /** stored = (value - base) * scale. */
    private final double base;
    private final double scale;

    NiftiSlices(NiftiHeader header, List<byte[]> slices) {
        super(slices.size(), header.width, header.height, type(header));
        this.header = header;
        this.slices = slices;
        if (!isPlain()) {
            for (byte[] slice : slices) {
                range(slice);
            }
        }
        if (smallest > largest) {
            // There is no finite value.
            smallest = 0;
            largest = 0;
        }
        double from = smallest;
        double to = largest;
        boolean kept = isPlain() || whole && to - from <= STEPS;
        base = header.type == NiftiHeader.INT8 ? -128 : isPlain() || kept && from >= 0 && to <= STEPS ? 0 : from;
        scale = kept || !(to > from) ? 1 : STEPS / (to - from);
    }

    /** The numbers need no scaling, at most an offset. */
    private boolean isPlain() {
        return header.type == NiftiHeader.UINT8 || header.type == NiftiHeader.INT8 || header.type == NiftiHeader.UINT16
                || header.type == NiftiHeader.RGB24;
    }

    private void range(byte[] slice) {
        ByteBuffer from = ByteBuffer.wrap(slice).order(header.order);
        for (int i = 0; i < header.width * header.height; i++) {
            double value = value(from, i);
            if (Double.isNaN(value) || Double.isInfinite(value)) {
                unusable++;
                continue;
            }
            smallest = Math.min(smallest, value);
            largest = Math.max(largest, value);
            whole &= value == Math.rint(value);
        }
    }

    private double value(ByteBuffer from, int i) {
        switch (header.type) {
            case NiftiHeader.INT16: return from.getShort(2 * i);
            case NiftiHeader.INT32: return from.getInt(4 * i);
            case NiftiHeader.UINT32: return from.getInt(4 * i) & 0xffffffffL;
            case NiftiHeader.FLOAT32: return from.getFloat(4 * i);
            case NiftiHeader.FLOAT64: return from.getDouble(8 * i);
            case NiftiHeader.INT64: return from.getLong(8 * i);
            default:
                long bits = from.getLong(8 * i);
                return bits >= 0 ? bits : bits + 0x1p64;
        }
    }

    /** The map from pixels to values. */
    RealValues values() {
        double slope = header.slope / scale;
        return new RealValues(slope, header.slope * base + header.intercept);
    }

    private double real(double value) {
        return header.slope * value + header.intercept;
    }

    /**
     * Checks that the values, and the step between two of them, can be written to a NIfTI file (32-bit floats).
     *
     * @throws FileFormatException that says what they are
     */
    void check(String name) throws FileFormatException {
        double most = Math.max(Math.abs(real(smallest)), Math.abs(real(largest)));
        if (!(most <= Float.MAX_VALUE) || (float) values().slope == 0 || Float.isInfinite((float) values().slope)) {
            throw new FileFormatException(name + ": its values go from " + real(smallest) + " to " + real(largest)
                    + ": must be within +-" + Float.MAX_VALUE + ", and not all next to 0");
        }
    }

    /** Notes, for people, how values were converted. */
    void describe(String name, List<String> notes) {
        if (scale != 1) {
            notes.add(name + ": " + header.typeName() + " values " + real(smallest) + ".." + real(largest) + " are spread over 16 bits, " + values());
        }
        if (unusable > 0) {
            notes.add(name + ": " + unusable + " voxels are NaN or infinite; they are taken for the smallest value");
        }
    }

    private static PixelType type(NiftiHeader header) {
        return header.type == NiftiHeader.RGB24 ? PixelType.RGB32 : header.voxelBytes() == 1 ? PixelType.GREY8
                : PixelType.GREY16;
    }

    @Override
    public Object pixels(int index) {
        byte[] slice = slices.get(index);
        switch (type()) {
            case GREY8: return header.type == NiftiHeader.UINT8 ? slice : moved(slice);
            case RGB32: return colours(slice);
            default: return header.type == NiftiHeader.UINT16 ? shorts(slice) : spread(slice);
        }
    }

    private static byte[] moved(byte[] slice) {
        byte[] pixels = new byte[slice.length];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) (slice[i] ^ 0x80);
        }
        return pixels;
    }

    private static int[] colours(byte[] slice) {
        int[] pixels = new int[slice.length / 3];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = 0xff000000 | (slice[3 * i] & 0xff) << 16 | (slice[3 * i + 1] & 0xff) << 8
                    | slice[3 * i + 2] & 0xff;
        }
        return pixels;
    }

    private short[] shorts(byte[] slice) {
        short[] pixels = new short[slice.length / 2];
        ByteBuffer.wrap(slice).order(header.order).asShortBuffer().get(pixels);
        return pixels;
    }

    private short[] spread(byte[] slice) {
        ByteBuffer from = ByteBuffer.wrap(slice).order(header.order);
        short[] pixels = new short[header.width * header.height];
        for (int i = 0; i < pixels.length; i++) {
            double value = value(from, i);
            // NaN, for which the comparison is false, becomes the smallest value.
            double stored = value >= smallest && value <= largest ? (value - base) * scale : (smallest - base) * scale;
            pixels[i] = (short) (int) Math.max(0, Math.min(STEPS, Math.rint(stored)));
        }
        return pixels;
    }
}
