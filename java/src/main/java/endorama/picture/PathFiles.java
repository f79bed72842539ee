package endorama.picture;

import endorama.core.files.AtomicFile;
import endorama.core.mosaic.MosaicResult;
import endorama.core.options.OptionValues;
import endorama.core.paint.Panorama;
import endorama.core.paint.SmallPanorama;
import ij.gui.Overlay;
import ij.gui.Roi;
import ij.io.RoiEncoder;
import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Locale;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.imageio.ImageIO;

/** Files of the path of the frames in a panorama of a run. */
public final class PathFiles {
    /** Longest side of a picture, px: larger panoramas are reduced. */
    static final int SIDE = 4096;

    private final MosaicResult result;
    private final int component;
    private final int width;
    private final int height;

    private PathFiles(MosaicResult result, int component, int width, int height) {
        this.result = result;
        this.component = component;
        this.width = width;
        this.height = height;
    }

    /**
     * Path files of each panorama of a run: of the largest one, painted or not, and of every other painted one.
     *
     * @param width of a frame, px
     * @param height of a frame, px
     */
    public static List<PathFiles> of(MosaicResult result, int width, int height) {
        List<PathFiles> all = new ArrayList<PathFiles>();
        for (int component = 1; component == 1 || component <= result.panoramas().size(); component++) {
            if (component == 1 || result.panoramas().get(component - 1) != null) {
                all.add(new PathFiles(result, component, width, height));
            }
        }
        return all;
    }

    /** Number of the panorama, from 1. */
    public int component() {
        return component;
    }

    /** @throws IllegalArgumentException if one of the files that the options name has the wrong ending */
    public static void checkNames(OptionValues values) {
        checkName(values, "rois", ".zip");
        checkName(values, "overlay", ".png");
        checkName(values, "film", ".avi");
        checkName(values, "zarr", ".zarr");
        checkName(values, "report", ".html");
    }

    private static void checkName(OptionValues values, String key, String ending) {
        String file = values.getFile(key);
        if (!file.isEmpty() && !file.toLowerCase(Locale.ROOT).endsWith(ending)) {
            throw new IllegalArgumentException(key + " " + file + ": must end in " + ending);
        }
    }

    private Panorama panorama() throws IOException {
        Panorama panorama = component == 1 ? result.panorama() : result.panoramas().get(component - 1);
        if (panorama == null) {
            throw new IOException("there is no panorama to draw on");
        }
        return panorama;
    }

    private Overlay overlay() throws IOException {
        panorama();
        return CameraPath.of(result, component, width, height, true);
    }

    /** Writes path and outlines for ImageJ's ROI manager: the same bytes whenever that is. */
    public void writeRois(File file) throws IOException {
        Overlay overlay = overlay();
        AtomicFile.write(file, out -> {
            ZipOutputStream zip = new ZipOutputStream(out);
            for (Roi roi : overlay.toArray()) {
                ZipEntry entry = new ZipEntry(roi.getName() + ".roi");
                entry.setTime(new GregorianCalendar(1980, Calendar.FEBRUARY, 1).getTimeInMillis());
                zip.putNextEntry(entry);
                zip.write(RoiEncoder.saveAsByteArray(roi));
                zip.closeEntry();
            }
            zip.finish();
        });
    }

    /** Writes the panorama with path and outlines drawn. */
    public void writePicture(File file) throws IOException {
        Overlay overlay = overlay();
        SmallPanorama small = SmallPanorama.of(panorama(), SIDE);
        BufferedImage picture = Drawing.picture(small.pixels(), small.width(), small.height(), small.width(),
                small.height());
        Drawing.draw(overlay, small.step(), picture);
        AtomicFile.write(file, out -> {
            if (!ImageIO.write(picture, "png", out)) {
                throw new IOException("this Java writes no PNG of this kind");
            }
        });
    }

    /** Writes a film of the growing panorama. */
    public void writeFilm(File file) throws IOException {
        Film film = new Film(SmallPanorama.of(panorama(), Film.SIDE), CameraPath.poses(result, component),
                result.mask(), width, height);
        // ImageJ seeks in the file, so that a stream does not do.
        File beside = File.createTempFile("endorama", ".avi");
        try {
            film.write(beside);
            AtomicFile.write(file, out -> Files.copy(beside.toPath(), out));
        } finally {
            Files.deleteIfExists(beside.toPath());
        }
    }
}
