package endorama.core.mutual;

import endorama.core.frames.FrameReadException;
import endorama.core.volumes.Grid;
import endorama.jni.NativeContext;
import endorama.jni.NativeVolume;
import java.util.Arrays;

/**
 * A picture to judge a registration by: the middle planes of the fixed and the moving image, a row for each plane of a volume,
 * or one for an image. Columns: overlay by the headers (fixed magenta, moving green), overlay after registration, checkerboard
 * after registration.
 */
public final class MutualPicture {
    private static final int GAP = 4;
    private static final int SQUARES = 8;
    /** Small pictures are enlarged by a whole number until their longest side is about this. */
    private static final int SIDE = 480;
    private static final int LARGEST = 4096;

    /** Pixels of the picture, 0xffRRGGBB. */
    public final int[] pixels;
    /** Size of the picture, px. */
    public final int width, height;

    private MutualPicture(int[] pixels, int width, int height) {
        this.pixels = pixels;
        this.width = width;
        this.height = height;
    }

    /** The picture of the first registration whose transform is worth showing; else of the last one. */
    public static MutualPicture of(MutualOutcome outcome, MutualParameters parameters) throws FrameReadException {
        int row = 0;
        while (row < outcome.rows().size() - 1 && !outcome.rows().get(row).isShown()) {
            row++;
        }
        MutualPair pair = outcome.pair(row);
        try (NativeContext context = NativeContext.create(NativeContext.CPU, parameters.threads())) {
            MiddlePlanes fixed = MiddlePlanes.of(pair.fixed.grid(), pair.fixed::pixels);
            MiddlePlanes before = resampled(context, pair, pair.headerInWorld(), parameters);
            MiddlePlanes after = resampled(context, pair, outcome.rows().get(row).world(), parameters);
            return arranged(fixed, before, after);
        }
    }

    private static MiddlePlanes resampled(NativeContext context, MutualPair pair, double[] world,
            MutualParameters parameters) throws FrameReadException {
        Grid grid = pair.fixed.grid();
        try (NativeVolume volume = RegisteredVolumes.resample(context, pair, world, parameters.interpolation())) {
            return MiddlePlanes.of(grid, slice -> {
                Object pixels = pair.moving.type().array(grid.width * grid.height);
                volume.get(slice, pixels);
                return pixels;
            });
        }
    }

    private static MutualPicture arranged(MiddlePlanes fixed, MiddlePlanes before, MiddlePlanes after) {
        int cellWidth = 0;
        int height = GAP;
        for (MiddlePlanes.Plane plane : fixed.planes) {
            cellWidth = Math.max(cellWidth, plane.width);
            height += plane.height + GAP;
        }
        int zoom = Math.max(1, Math.min(SIDE / cellWidth, LARGEST / (3 * cellWidth)));
        int width = GAP + 3 * (zoom * cellWidth + GAP);
        height = GAP + zoom * (height - GAP * (fixed.planes.length + 1)) + GAP * fixed.planes.length;
        int[] pixels = new int[width * height];
        Arrays.fill(pixels, 0xff202020);
        MutualPicture picture = new MutualPicture(pixels, width, height);
        int y = GAP;
        for (int i = 0; i < fixed.planes.length; i++) {
            MiddlePlanes.Plane f = fixed.planes[i];
            for (int column = 0; column < 3; column++) {
                int x = GAP + column * (zoom * cellWidth + GAP) + zoom * (cellWidth - f.width) / 2;
                picture.draw(f, column == 0 ? before.planes[i] : after.planes[i], column == 2, x, y, zoom);
            }
            y += zoom * f.height + GAP;
        }
        return picture;
    }

    private void draw(MiddlePlanes.Plane fixed, MiddlePlanes.Plane moving, boolean squares, int left, int top, int zoom) {
        int side = Math.max(1, Math.max(fixed.width, fixed.height) / SQUARES);
        for (int y = 0; y < zoom * fixed.height; y++) {
            for (int x = 0; x < zoom * fixed.width; x++) {
                int at = y / zoom * fixed.width + x / zoom;
                int under = fixed.grey[at] & 0xff;
                int over = moving.grey[at] & 0xff;
                int square = (x / zoom / side + y / zoom / side) % 2 == 0 ? under : over;
                pixels[(top + y) * width + left + x] = 0xff000000
                        | (squares ? square * 0x010101 : under * 0x010001 | over << 8);
            }
        }
    }
}
