package endorama.plugin;

import endorama.core.common.Progress;
import endorama.core.mosaic.AppliedFrames;
import endorama.core.mosaic.ApplyTransforms;
import endorama.core.options.Commands;
import endorama.core.options.OptionValues;
import endorama.core.paint.Panorama;
import endorama.core.transforms.Transform;
import endorama.core.transforms.Transforms;
import endorama.picture.CameraPath;
import ij.ImagePlus;
import ij.ImageStack;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Plugins &gt; Endorama &gt; Apply Transforms... */
public final class ApplyCommand extends StackCommand {
    public ApplyCommand() {
        super(Commands.APPLY, 1);
    }

    /** Applies transforms for scripts; shows nothing. Returns the panorama, or the aligned stack. */
    public static ImagePlus exec(ImagePlus image, String options) throws IOException {
        OptionValues values = Commands.APPLY.parseMacro(options);
        return apply(image, new StackSource(image, 1).chosen(values), values, Progress.NONE,
                new ArrayList<ImagePlus>());
    }

    @Override
    void execute(ImagePlus image, StackSource source, OptionValues values) throws IOException {
        ImageJProgress progress = new ImageJProgress("Apply transforms");
        List<ImagePlus> extras = new ArrayList<ImagePlus>();
        ImagePlus result = apply(image, source, values, progress, extras);
        for (ImagePlus extra : extras) {
            extra.show();
        }
        if (result != null) {
            result.show();
        }
        progress.finish(progress.cancelled() ? "Stopped" : "");
    }

    /** extras: receives the extra pictures of a panorama. */
    private static ImagePlus apply(ImagePlus image, StackSource source, OptionValues values, Progress progress,
            List<ImagePlus> extras) throws IOException {
        Transforms transforms = OpenTables.transforms(values.getFile("transforms"));
        ApplyTransforms apply = new ApplyTransforms(source, transforms, parameters(source, values), progress);
        return values.isChoice("mode", "Panorama") ? panorama(image, source, transforms, apply, extras)
                : aligned(image, apply, progress);
    }

    private static ImagePlus panorama(ImagePlus image, StackSource source, Transforms transforms,
            ApplyTransforms apply, List<ImagePlus> extras) throws IOException {
        try (Panorama panorama = apply.panorama()) {
            return panorama == null ? null : picture(image, source, transforms, panorama, extras);
        }
    }

    private static ImagePlus picture(ImagePlus image, StackSource source, Transforms transforms, Panorama panorama,
            List<ImagePlus> extras) {
        ImagePlus result = new ImagePlus(Images.title(image, "panorama"), Images.processor(panorama));
        Images.keepSettings(result, image, panorama);
        List<Transform> poses = new ArrayList<Transform>();
        Images.addExtras(extras, image, panorama, result.getTitle());
        for (int i = 0; i < source.count(); i++) {
            int frame = source.number(i);
            Transform m = transforms.isRegistered(frame) ? transforms.get(frame) : null;
            poses.add(m == null ? null : panorama.transform().multiply(m));
        }
        result.setOverlay(CameraPath.draw(poses, source::number, source.width(), source.height(), null));
        return result;
    }

    private static ImagePlus aligned(ImagePlus image, ApplyTransforms apply, Progress progress) throws IOException {
        try (AppliedFrames frames = apply.frames()) {
            if (frames.count() == 0 || progress.cancelled()) {
                return null;
            }
            ImageStack stack = Images.stack(frames, i -> frames.label(i).isEmpty() ? "frame " + frames.number(i)
                    : frames.label(i), progress);
            ImagePlus result = new ImagePlus(Images.title(image, "aligned"), stack);
            Images.keepSettings(result, image, frames.originX(), frames.originY());
            return result;
        }
    }
}
