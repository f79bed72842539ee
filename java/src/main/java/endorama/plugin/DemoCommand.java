package endorama.plugin;

import endorama.core.common.Progress;
import endorama.core.options.Commands;
import endorama.core.options.OptionValues;
import endorama.core.transforms.DemoSequence;
import endorama.core.transforms.TransformsFile;
import ij.IJ;
import ij.ImagePlus;
import ij.ImageStack;
import ij.plugin.PlugIn;
import ij.process.ColorProcessor;
import java.io.IOException;

/** Plugins &gt; Endorama &gt; Endoscopic Demo Sequence... */
public final class DemoCommand implements PlugIn {
    /** Makes a sequence for scripts: shows nothing, saves the truth if the options ask for it. */
    public static ImagePlus exec(String options) throws IOException {
        return make(Commands.DEMO.parseMacro(options), Progress.NONE);
    }

    @Override
    public void run(String argument) {
        try {
            OptionValues values = OptionDialog.ask(Commands.DEMO);
            if (values != null) {
                ImageJProgress progress = new ImageJProgress("Demo sequence");
                ImagePlus image = make(values, progress);
                progress.finish("");
                if (image != null) {
                    image.show();
                }
            }
        } catch (Throwable e) {
            Failure.report(Commands.DEMO, e);
        }
    }

    private static ImagePlus make(OptionValues values, Progress progress) throws IOException {
        checkMemory(values);
        SavedFiles files = new SavedFiles(values, "truth", values.getInt("frames"));
        ImageStack stack = new ImageStack(values.getInt("width"), values.getInt("height"));
        try (DemoSequence demo = DemoSequence.of(values)) {
            for (int i = 0; i < demo.count() && !progress.cancelled(); i++) {
                stack.addSlice(demo.label(i),
                        new ColorProcessor(demo.width(), demo.height(), (int[]) demo.pixels(i)));
                progress.progress(i + 1, demo.count());
            }
            if (stack.getSize() > 0) {
                files.save("truth", file -> TransformsFile.write(file, demo.truth(), values.toMap(), null)).finish();
            }
        }
        if (stack.getSize() == 0) {
            return null;
        }
        ImagePlus image = new ImagePlus("Demo sequence", stack);
        image.setProperty("Info", "Endorama demo sequence\n" + values);
        return image;
    }

    private static void checkMemory(OptionValues values) {
        double needed = 4.0 * values.getInt("width") * values.getInt("height") * values.getInt("frames");
        double free = IJ.maxMemory() - (double) IJ.currentMemory();
        if (IJ.maxMemory() > 0 && needed > free) {
            throw new IllegalArgumentException(String.format(java.util.Locale.ROOT,
                    "%d frames of %d x %d need %.0f MB, %.0f MB are free; take fewer, or give ImageJ more memory"
                    + " (Edit > Options > Memory & Threads)", values.getInt("frames"), values.getInt("width"),
                    values.getInt("height"), needed / 1e6, free / 1e6));
        }
    }
}
