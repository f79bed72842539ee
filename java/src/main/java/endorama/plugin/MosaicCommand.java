package endorama.plugin;

import endorama.core.common.Progress;
import endorama.core.frames.FrameSource;
import endorama.core.mosaic.FrameTable;
import endorama.core.mosaic.Links;
import endorama.core.mosaic.MosaicListener;
import endorama.core.mosaic.MosaicResult;
import endorama.core.mosaic.MosaicSession;
import endorama.core.options.Commands;
import endorama.core.options.MosaicParameters;
import endorama.core.options.OptionValues;
import endorama.core.paint.Panorama;
import endorama.core.transforms.TransformsFile;
import endorama.core.zarr.Ngff;
import endorama.core.zarr.OmeZarr;
import endorama.picture.CameraPath;
import endorama.picture.PathFiles;
import endorama.report.Report;
import ij.IJ;
import ij.ImagePlus;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Plugins &gt; Endorama &gt; Mosaic Endoscopic Sequence... */
public final class MosaicCommand extends StackCommand {
    public MosaicCommand() {
        super(Commands.MOSAIC, 2);
    }

    /**
     * Makes a panorama for scripts: shows nothing, saves what the options ask for.
     *
     * @param options as in a macro, "template=31 warp=Translation"; may be empty
     */
    public static MosaicOutput exec(ImagePlus image, String options) throws IOException {
        OptionValues values = Commands.MOSAIC.parseMacro(options);
        StackSource source = new StackSource(image, 2).chosen(values);
        SavedFiles files = files(source.count(), values);
        MosaicOutput output = run(image, source, values, Progress.NONE, MosaicListener.NONE);
        try (MosaicResult result = output.result()) {
            save(image, result, source, values, files);
        }
        rethrow(output.failure());
        return output;
    }

    @Override
    void execute(ImagePlus image, StackSource source, OptionValues values) throws IOException {
        SavedFiles files = files(source.count(), values);
        ImageJProgress progress = new ImageJProgress("Mosaic");
        LiveWindow window = LiveWindow.of(image);
        MosaicOutput output = null;
        try {
            output = run(image, source, values, progress, window);
        } finally {
            if (output == null) {
                window.replaceBy(null);
            }
        }
        show(image, source, values, output, files, progress, window);
    }

    /** Shows and saves what a live run made. */
    static void show(ImagePlus image, FrameSource source, OptionValues values, MosaicOutput output, SavedFiles files,
            ImageJProgress progress) throws IOException {
        show(image, source, values, output, files, progress, LiveWindow.of(image));
    }

    private static void show(ImagePlus image, FrameSource source, OptionValues values, MosaicOutput output, SavedFiles files,
            ImageJProgress progress, LiveWindow window) throws IOException {
        try {
            output.frames().show(Images.title(image, "frames"));
            output.transforms().show(Images.title(image, "transforms"));
            if (values.table().has("curve") && values.getFlag("curve") && output.lightCurve() != null) {
                output.lightCurve().show();
            }
        } finally {
            for (ImagePlus extra : output.extras()) {
                extra.show();
            }
            for (int i = output.panoramas().size() - 1; i > 0; i--) {
                output.panoramas().get(i).show();
            }
            // Shown last, so that it lies on top.
            window.replaceBy(output.panorama());
        }
        MosaicResult result = output.result();
        // A good run is no reason to open the Log window; its verdict stands in the status line and the panorama's info.
        if (!result.verdict().isGood()) {
            progress.log("verdict: " + result.verdict());
        }
        progress.finish(result.verdict().word + ": " + summary(result));
        try {
            // Saved after showing: a full disk must not cost the result.
            save(image, result, source, values, files);
        } finally {
            result.close();
        }
        rethrow(output.failure());
        if (result.registered() < 2 && !result.cancelled()) {
            throw new IllegalArgumentException("no frame of " + image.getTitle()
                    + " could be registered with another; the table \"" + Images.title(image, "frames")
                    + "\" says why");
        }
    }

    /** The folder of the OME-Zarr, which may exceed Java's memory; null if none is asked for. */
    private static File scratch(OptionValues values) {
        String zarr = values.getFile("zarr");
        return zarr.isEmpty() ? null : new File(zarr).getAbsoluteFile().getParentFile();
    }

    /** The files that the options ask for, checked for this number of frames. */
    static SavedFiles files(int frames, OptionValues values) throws IOException {
        PathFiles.checkNames(values);
        return new SavedFiles(values, "transforms", frames);
    }

    private static MosaicOutput run(ImagePlus image, StackSource source, OptionValues values, Progress progress,
            MosaicListener listener) throws IOException {
        MosaicParameters parameters = parameters(source, values).withScratch(scratch(values));
        return output(image, source, values,
                new MosaicSession(source, parameters, progress, listener).links(Links.of(values)).run());
    }

    /** A result with its pictures as images. */
    static MosaicOutput output(ImagePlus image, FrameSource source, OptionValues values, MosaicResult result) {
        List<ImagePlus> pictures = new ArrayList<ImagePlus>();
        List<ImagePlus> extras = new ArrayList<ImagePlus>();
        RuntimeException failure = result.failure();
        try {
            for (int component = 1; component <= result.panoramas().size(); component++) {
                if (result.panoramas().get(component - 1) != null) {
                    pictures.add(picture(image, source, values, result, component));
                    Images.addExtras(extras, image, result.panoramas().get(component - 1), title(image, result, component));
                }
            }
        } catch (RuntimeException e) {
            // A picture exceeds Java's memory: the tables, and the pictures before it, are shown nevertheless.
            failure = failure == null ? e : failure;
        }
        return new MosaicOutput(pictures, extras, result, failure);
    }

    private static String title(ImagePlus image, MosaicResult result, int component) {
        return Images.title(image, result.panoramas().size() > 1 ? "panorama " + component : "panorama");
    }

    /** The panorama of a component as an image, with its path and its story. */
    static ImagePlus picture(ImagePlus image, FrameSource source, OptionValues values, MosaicResult result,
            int component) {
        Panorama panorama = result.panoramas().get(component - 1);
        ImagePlus picture = new ImagePlus(title(image, result, component), Images.processor(panorama));
        Images.keepSettings(picture, image, panorama);
        picture.setOverlay(CameraPath.of(result, component, source.width(), source.height(), values.getFlag("outlines")));
        picture.setProperty("Info", "Endorama mosaic of " + image.getTitle() + "\n" + summary(result) + "\n"
                + "verdict: " + result.verdict() + "\n"
                + result.field() + "\n" + (result.light() == null ? "" : "light " + result.light() + "\n")
                + (result.doubted() == null ? "" : "doubtful " + result.doubted() + "\n")
                + result.backend() + "\n" + values + "\n"
                + String.join("\n", result.log()));
        return picture;
    }

    private static String summary(MosaicResult result) {
        int frames = result.rows().size();
        double quality = result.meanQuality();
        return String.format(Locale.ROOT, "%s%s%s, %.1f frames a second", result.cancelled() ? "Stopped: " : "",
                result.summary(), Double.isNaN(quality) ? "" : String.format(Locale.ROOT, ", quality %.3f", quality),
                frames / Math.max(1e-9, result.seconds()));
    }

    private static void zarr(OmeZarr zarr, File file, MosaicResult result) throws IOException {
        if (result.panorama() != null) {
            zarr.write(file, result.panorama(), () -> !result.cancelled() && IJ.escapePressed());
        }
    }

    /** Saves the results, unless nothing was done before Escape: earlier results are worth more. */
    static void save(ImagePlus image, MosaicResult result, FrameSource source, OptionValues values, SavedFiles files)
            throws IOException {
        if (!result.cancelled() || result.registered() > 1) {
            OmeZarr zarr = new OmeZarr(Ngff.of(values.getChoice("ngff")), source.pixelSize(),
                    threads(values.getInt("threads")));
            files.save("table", file -> FrameTable.of(result.rows(), result.width(), result.height())
                    .write(file, result.allRows()))
                    .save("transforms", file -> TransformsFile.write(file, result.saved().of(source), values.toMap(),
                            result.backend()))
                    .save("zarr", file -> zarr(zarr, file, result))
                    .save("report", new Report(result, source, image.getTitle(), values.toMap())::write);
            for (PathFiles path : PathFiles.of(result, source.width(), source.height())) {
                files.saveOf("rois", path.component(), path::writeRois)
                        .saveOf("overlay", path.component(), path::writePicture)
                        .saveOf("film", path.component(), path::writeFilm);
            }
            files.finish();
        }
    }
}
