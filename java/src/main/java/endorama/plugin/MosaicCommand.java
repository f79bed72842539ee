package endorama.plugin;

import endorama.core.FrameRow;
import endorama.core.FrameTable;
import endorama.core.MosaicListener;
import endorama.core.MosaicResult;
import endorama.core.MosaicSession;
import endorama.core.Panorama;
import endorama.core.Progress;
import endorama.core.Transform;
import endorama.core.TransformsFile;
import endorama.core.options.Commands;
import endorama.core.options.OptionValues;
import ij.ImagePlus;
import ij.gui.Overlay;
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
     * The same for scripts: shows nothing, saves what the options ask for.
     *
     * @param options as in a macro, "template=31 warp=Translation"; may be empty
     */
    public static MosaicOutput exec(ImagePlus image, String options) throws IOException {
        OptionValues values = Commands.MOSAIC.parseMacro(options);
        StackSource source = new StackSource(image, 2).chosen(values);
        SavedFiles files = new SavedFiles(values);
        MosaicOutput output = run(image, source, values, Progress.NONE, MosaicListener.NONE);
        save(output.result(), values, files);
        rethrow(output.result().failure());
        return output;
    }

    @Override
    void execute(ImagePlus image, StackSource source, OptionValues values) throws IOException {
        SavedFiles files = new SavedFiles(values);
        ImageJProgress progress = new ImageJProgress("Mosaic");
        LiveWindow window = LiveWindow.of(image);
        MosaicOutput output = null;
        try {
            output = run(image, source, values, progress, window);
            output.frames().show("Endorama frames");
            output.transforms().show("Endorama transforms");
        } finally {
            for (int i = output == null ? 0 : output.panoramas().size() - 1; i > 0; i--) {
                output.panoramas().get(i).show();
            }
            // Last, so that it lies on top.
            window.replaceBy(output == null ? null : output.panorama());
        }
        MosaicResult result = output.result();
        progress.finish(summary(result));
        // Shown before it is saved: a full disk must not cost the result.
        save(result, values, files);
        rethrow(result.failure());
        if (result.registered() < 2 && !result.cancelled()) {
            throw new IllegalArgumentException("no frame of " + image.getTitle()
                    + " could be registered with another; the table \"Endorama frames\" says why");
        }
    }

    private static MosaicOutput run(ImagePlus image, StackSource source, OptionValues values, Progress progress,
            MosaicListener listener) throws IOException {
        MosaicResult result = new MosaicSession(source, parameters(source, values), progress, listener).run();
        List<ImagePlus> pictures = new ArrayList<ImagePlus>();
        for (int part = 1; part <= result.panoramas().size(); part++) {
            if (result.panoramas().get(part - 1) != null) {
                pictures.add(picture(image, source, values, result, part));
            }
        }
        return new MosaicOutput(pictures, result);
    }

    private static ImagePlus picture(ImagePlus image, StackSource source, OptionValues values, MosaicResult result,
            int part) {
        Panorama panorama = result.panoramas().get(part - 1);
        String what = result.panoramas().size() > 1 ? "panorama " + part : "panorama";
        ImagePlus picture = new ImagePlus(Images.title(image, what), Images.processor(panorama));
        Images.keepLook(picture, image, panorama);
        picture.setOverlay(overlay(result, part, source, values.getFlag("outlines")));
        picture.setProperty("Info", "Endorama mosaic of " + image.getTitle() + "\n" + summary(result) + "\n"
                + result.field().description() + "\n" + result.backend() + "\n" + values + "\n"
                + String.join("\n", result.log()));
        return picture;
    }

    private static Overlay overlay(MosaicResult result, int part, StackSource source, boolean outlines) {
        List<Transform> places = new ArrayList<Transform>();
        Panorama panorama = result.panoramas().get(part - 1);
        Transform origin = Transform.translation(panorama.originX(), panorama.originY());
        for (FrameRow row : result.rows()) {
            places.add(row.registered && row.part == part ? origin.multiply(row.transform) : null);
        }
        return CameraPath.draw(places, source.width(), source.height(), outlines);
    }

    private static String summary(MosaicResult result) {
        int frames = result.rows().size();
        return String.format(Locale.ROOT, "%s%s, quality %.3f, %.1f frames a second",
                result.cancelled() ? "Stopped: " : "", result.summary(), result.meanQuality(),
                frames / Math.max(1e-9, result.seconds()));
    }

    /** Where nothing was done before Escape, earlier results are worth more. */
    private static void save(MosaicResult result, OptionValues values, SavedFiles files) throws IOException {
        if (!result.cancelled() || result.registered() > 1) {
            files.save("table", file -> FrameTable.write(file, result.rows()))
                    .save("transforms", file -> TransformsFile.write(file, result.saved(), values.toMap(),
                            result.backend()))
                    .finish();
        }
    }
}
