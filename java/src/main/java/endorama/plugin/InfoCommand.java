package endorama.plugin;

import endorama.core.options.Commands;
import endorama.jni.EndoramaException;
import endorama.jni.NativeContext;
import endorama.jni.NativeLibrary;
import ij.IJ;
import ij.plugin.PlugIn;
import ij.text.TextWindow;

/** Plugins &gt; Endorama &gt; Endorama Info... */
public final class InfoCommand implements PlugIn {
    /** Versions, the native library, and what computes; a library that does not load is told, not thrown. */
    public static String exec() {
        StringBuilder text = new StringBuilder();
        line(text, "Endorama", NativeLibrary.VERSION);
        line(text, "ImageJ", IJ.getFullVersion());
        line(text, "Java", System.getProperty("java.version") + " (" + System.getProperty("java.vendor") + "), "
                + Runtime.getRuntime().maxMemory() / 1000000 + " MB");
        line(text, "System", System.getProperty("os.name") + " " + System.getProperty("os.version") + ", "
                + System.getProperty("os.arch") + ", " + Runtime.getRuntime().availableProcessors() + " processors");
        try {
            line(text, "Library", NativeLibrary.version() + " from " + NativeLibrary.origin());
        } catch (EndoramaException e) {
            line(text, "Library", "not usable: " + e.getMessage());
            return text.toString();
        }
        line(text, "Backend CPU", describe(NativeContext.CPU));
        line(text, "Backend CUDA", describe(NativeContext.CUDA));
        return text.toString();
    }

    @Override
    public void run(String argument) {
        try {
            OptionDialog.check(Commands.INFO);
            if (IJ.getInstance() == null) {
                IJ.log(exec().trim());
            } else {
                new TextWindow("Endorama Info", exec(), 620, 260);
            }
        } catch (RuntimeException e) {
            Failure.report(Commands.INFO, e);
        }
    }

    private static String describe(int backend) {
        try (NativeContext context = NativeContext.create(backend, 0)) {
            return context.description();
        } catch (EndoramaException e) {
            return e.getMessage();
        }
    }

    private static void line(StringBuilder text, String what, String value) {
        text.append(what).append(": ").append(value).append('\n');
    }
}
