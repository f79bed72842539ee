package endorama.core.volumes;

import endorama.core.files.FileFormatException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * The 348 bytes at the beginning of a NIfTI-1 file, in either byte order: sizes, type, and position of the voxels. World
 * coordinates of NIfTI are right, front and head (RAS); those of a {@link Grid} left, back and head.
 */
final class NiftiHeader {
    static final int BYTES = 348;
    /** Offset of the voxels in written files: header, then 4 bytes for no extension. */
    static final int OFFSET = 352;
    static final int UINT8 = 2, INT16 = 4, INT32 = 8, FLOAT32 = 16, FLOAT64 = 64, RGB24 = 128, INT8 = 256, UINT16 = 512,
            UINT32 = 768, INT64 = 1024, UINT64 = 1280;

    private static final int LARGEST_SIDE = 16384;
    private static final long LARGEST_VOLUME = 1L << 30;
    private static final int LARGEST_OFFSET = 1 << 30;
    /** Limits of voxel sides and of the first voxel's distance from the origin, mm. */
    private static final double SMALLEST_VOXEL = 1e-6;
    private static final double LARGEST_VOXEL = 1e6;
    private static final double FARTHEST = 1e9;

    final ByteOrder order;
    final int width, height, depth, frames;
    final int type;
    final long offset;
    final double slope, intercept;
    private final ByteBuffer bytes;

    /**
     * @param name for messages
     * @throws FileFormatException that says what is wrong with it
     */
    NiftiHeader(String name, byte[] header) throws FileFormatException {
        bytes = ByteBuffer.wrap(header);
        order = order(name);
        bytes.order(order);
        checkMagic(name);
        int[] sides = sides(name);
        width = sides[0];
        height = sides[1];
        depth = sides[2];
        frames = sides[3];
        type = bytes.getShort(70);
        if (voxelBytes() == 0) {
            throw new FileFormatException(name + ": NIfTI data type " + type + ": must be 8, 16, 32 or 64-bit integers,"
                    + " 32 or 64-bit float, or RGB");
        }
        double begin = bytes.getFloat(108);
        if (!(begin >= BYTES && begin <= LARGEST_OFFSET)) {
            throw new FileFormatException(name + ": voxels begin at byte " + begin + ": must be " + BYTES + " or more;"
                    + " the header is damaged");
        }
        offset = (long) begin;
        double factor = bytes.getFloat(112);
        double shift = bytes.getFloat(116);
        boolean scaled = factor != 0 && finite(factor) && finite(shift);
        slope = scaled ? factor : 1;
        intercept = scaled ? shift : 0;
    }

    private ByteOrder order(String name) throws FileFormatException {
        for (ByteOrder tried : new ByteOrder[] {ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN}) {
            int size = bytes.order(tried).getInt(0);
            if (size == BYTES) {
                return tried;
            }
            if (size == 540) {
                throw new FileFormatException(name + ": is NIfTI-2; only NIfTI-1 is read");
            }
        }
        throw new FileFormatException(name + ": not NIfTI: its first number is not " + BYTES);
    }

    private void checkMagic(String name) throws FileFormatException {
        String magic = new String(bytes.array(), 344, 3, StandardCharsets.ISO_8859_1);
        if (magic.equals("ni1")) {
            throw new FileFormatException(name + ": its voxels are in another file (.hdr and .img); convert it to .nii");
        }
        if (!magic.equals("n+1")) {
            throw new FileFormatException(name + ": not NIfTI: no n+1 at byte 344");
        }
    }

    /** Width, height, depth, number of volumes. */
    private int[] sides(String name) throws FileFormatException {
        int n = bytes.getShort(40);
        if (n < 1 || n > 7) {
            throw new FileFormatException(name + ": " + n + " dimensions: must be 1..7; the header is damaged");
        }
        int[] sides = {1, 1, 1, 1};
        for (int i = 1; i <= n; i++) {
            int side = bytes.getShort(40 + 2 * i);
            if (side < 1 || i <= 3 && side > LARGEST_SIDE || i > 4 && side > 1) {
                throw new FileFormatException(name + ": dimension " + i + " is " + side + ": must be "
                        + (i > 4 ? "1" : "1.." + (i > 3 ? Short.MAX_VALUE : LARGEST_SIDE)));
            }
            if (i <= 4) {
                sides[i - 1] = side;
            }
        }
        if ((long) sides[0] * sides[1] * sides[2] > LARGEST_VOLUME) {
            throw new FileFormatException(name + ": " + sides[0] + " x " + sides[1] + " x " + sides[2]
                    + " voxels: at most 2^30 in a volume");
        }
        return sides;
    }

    /** Bytes of one voxel; 0: unreadable type. */
    int voxelBytes() {
        switch (type) {
            case UINT8:
            case INT8: return 1;
            case INT16:
            case UINT16: return 2;
            case RGB24: return 3;
            case INT32:
            case UINT32:
            case FLOAT32: return 4;
            case FLOAT64:
            case INT64:
            case UINT64: return 8;
            default: return 0;
        }
    }

    /** Name of the type, for people. */
    String typeName() {
        switch (type) {
            case UINT8: return "uint8";
            case INT8: return "int8";
            case INT16: return "int16";
            case UINT16: return "uint16";
            case RGB24: return "RGB";
            case INT32: return "int32";
            case UINT32: return "uint32";
            case FLOAT32: return "float32";
            case FLOAT64: return "float64";
            case INT64: return "int64";
            default: return "uint64";
        }
    }

    long sliceBytes() {
        return (long) width * height * voxelBytes();
    }

    /** Bytes of the voxels of all volumes. */
    long dataBytes() {
        return sliceBytes() * depth * frames;
    }

    private static boolean finite(double number) {
        return !Double.isNaN(number) && !Double.isInfinite(number);
    }

    // -------------------------------------------------------------- positions

    /** The grid by the sform, else the qform, else the voxel sizes only. */
    Grid grid(String name, List<String> notes) {
        double unit = unit(name, notes);
        double[] ras = bytes.getShort(254) > 0 ? sform() : null;
        if (ras == null && bytes.getShort(252) > 0) {
            ras = qform();
        }
        if (ras != null) {
            double[] world = Affine3.product(Affine3.diagonal(-unit, -unit, unit), ras);
            if (Affine3.isInvertible(world) && isPlausible(world)) {
                return Grid.positioned(width, height, depth, world);
            }
            notes.add(name + ": the position in its header cannot be inverted, or cannot be (voxels of " + Arrays.toString(Affine3.steps(world))
                    + " mm); only the sizes of its voxels are used");
        }
        double[] mm = new double[3];
        for (int i = 0; i < 3; i++) {
            mm[i] = unit * pixdim(i + 1);
            if (!(mm[i] >= SMALLEST_VOXEL && mm[i] <= LARGEST_VOXEL)) {
                notes.add(name + ": a voxel size of " + pixdim(i + 1) + " cannot be; 1 mm is taken for it");
                mm[i] = 1;
            }
        }
        return Grid.spaced(width, height, depth, mm[0], mm[1], mm[2]);
    }

    /** Voxel sizes, and the first voxel's distance from the origin, are within the limits. */
    private static boolean isPlausible(double[] world) {
        for (double step : Affine3.steps(world)) {
            if (!(step >= SMALLEST_VOXEL && step <= LARGEST_VOXEL)) {
                return false;
            }
        }
        return Math.abs(world[3]) <= FARTHEST && Math.abs(world[7]) <= FARTHEST && Math.abs(world[11]) <= FARTHEST;
    }

    private double pixdim(int i) {
        return Math.abs(bytes.getFloat(76 + 4 * i));
    }

    /** Millimetres of the header's unit. */
    private double unit(String name, List<String> notes) {
        switch (bytes.get(123) & 7) {
            case 1: return 1000;
            case 2: return 1;
            case 3: return 1e-3;
            default:
                notes.add(name + ": its header names no unit of length; millimetres are assumed");
                return 1;
        }
    }

    private double[] sform() {
        double[] m = Affine3.identity();
        for (int i = 0; i < 12; i++) {
            m[i] = bytes.getFloat(280 + 4 * i);
        }
        return m;
    }

    /** The map of the quaternion, whose first number follows from the other three, as its length is 1. */
    private double[] qform() {
        double b = bytes.getFloat(256);
        double c = bytes.getFloat(260);
        double d = bytes.getFloat(264);
        double rest = 1 - b * b - c * c - d * d;
        double a = Math.sqrt(Math.max(0, rest));
        if (rest < 0) {
            double length = Math.sqrt(b * b + c * c + d * d);
            b /= length;
            c /= length;
            d /= length;
        }
        double third = bytes.getFloat(76) < 0 ? -pixdim(3) : pixdim(3);
        double[] turn = {
            a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c), bytes.getFloat(268),
            2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b), bytes.getFloat(272),
            2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - b * b - c * c, bytes.getFloat(276),
            0, 0, 0, 1};
        return Affine3.product(turn, Affine3.diagonal(pixdim(1), pixdim(2), third));
    }

    // ---------------------------------------------------------------- writing

    /** Header and extension bytes of a file of this type, little-endian. */
    static byte[] bytes(int type, Grid grid, int frames, RealValues values) {
        ByteBuffer out = ByteBuffer.allocate(OFFSET).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(0, BYTES);
        out.put(38, (byte) 'r');
        int[] sides = {frames > 1 ? 4 : 3, grid.width, grid.height, grid.depth, frames, 1, 1, 1};
        double[] s = grid.spacing();
        double[] ras = Affine3.product(Affine3.diagonal(-1, -1, 1), grid.world());
        double[] sizes = {Affine3.determinant(ras) < 0 ? -1 : 1, s[0], s[1], s[2], frames > 1 ? 1 : 0, 0, 0, 0};
        for (int i = 0; i < 8; i++) {
            out.putShort(40 + 2 * i, (short) sides[i]);
            out.putFloat(76 + 4 * i, (float) sizes[i]);
        }
        out.putShort(70, (short) type);
        out.putShort(72, (short) (type == RGB24 ? 24 : type == UINT16 ? 16 : 8));
        out.putFloat(108, OFFSET);
        out.putFloat(112, (float) values.slope);
        out.putFloat(116, (float) values.intercept);
        out.put(123, (byte) 2);
        // NIFTI_XFORM_ALIGNED_ANAT: coordinates of another file.
        out.putShort(254, (short) 2);
        for (int i = 0; i < 12; i++) {
            out.putFloat(280 + 4 * i, (float) ras[i]);
        }
        byte[] text = "Endorama".getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < text.length; i++) {
            out.put(148 + i, text[i]);
        }
        out.put(344, (byte) 'n').put(345, (byte) '+').put(346, (byte) '1');
        return out.array();
    }
}
