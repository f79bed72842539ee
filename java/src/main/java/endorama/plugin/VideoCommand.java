package endorama.plugin;

import endorama.core.frames.FrameRange;
import endorama.core.frames.FrameSource;
import endorama.core.frames.VideoFrames;
import endorama.core.options.Commands;
import endorama.core.options.OptionValues;
import ij.IJ;
import ij.ImagePlus;
import ij.ImageStack;
import ij.plugin.AVI_Reader;
import ij.plugin.PlugIn;
import java.io.File;
import java.io.IOException;
import java.util.Locale;

/** Plugins &gt; Endorama &gt; Open Video... */
public final class VideoCommand implements PlugIn {
    /**
     * Opens a video for scripts.
     *
     * @param options as in a macro, "video=[clip.mp4] frames=100-900:2"
     * @return a virtual stack, whose slices are decoded when they are asked for; not shown
     */
    public static ImagePlus exec(String options) throws IOException {
        return open(Commands.VIDEO.parseMacro(options));
    }

    @Override
    public void run(String argument) {
        try {
            OptionValues values = OptionDialog.ask(Commands.VIDEO);
            if (values != null) {
                IJ.showStatus("Opening " + values.getFile("video"));
                open(values).show();
            }
        } catch (Throwable e) {
            Failure.report(Commands.VIDEO, e);
        }
    }

    private static ImagePlus open(OptionValues values) throws IOException {
        File file = new File(values.getFile("video"));
        FrameRange range = new FrameRange(values.getText(FrameRange.KEY));
        boolean avi = file.getName().toLowerCase(Locale.ROOT).endsWith(".avi");
        ImageStack stack = avi && !VideoFrames.isReadable() ? byImageJ(file, range) : null;
        ImagePlus image = new ImagePlus(file.getName(), stack != null ? stack : byFfmpeg(file, range));
        image.setProperty("Info", "Endorama: frames of the video " + file + "\n" + values);
        return image;
    }

    private static ImageStack byFfmpeg(File file, FrameRange range) throws IOException {
        FrameSource frames = range.of(new VideoFrames(file));
        if (frames.origin().warning() != null) {
            IJ.log(frames.origin().warning());
        }
        return new FrameStack(frames);
    }

    /** Opens a video by ImageJ; null if ImageJ cannot read it. */
    private static ImageStack byImageJ(File file, FrameRange range) {
        return range.isAll() ? new AVI_Reader().makeStack(file.getPath(), 1, 0, true, false, false) : null;
    }
}
