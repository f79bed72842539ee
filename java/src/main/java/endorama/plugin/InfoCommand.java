package endorama.plugin;

import endorama.core.Info;
import endorama.core.options.Commands;
import ij.IJ;
import ij.plugin.PlugIn;
import ij.text.TextWindow;
import java.util.Map;

/** Plugins &gt; Endorama &gt; Endorama Info... */
public final class InfoCommand implements PlugIn {
    /** Versions, the native library, what computes, and a self-check; a library that does not load is told. */
    public static String exec() {
        StringBuilder text = new StringBuilder();
        line(text, "imagej", IJ.getFullVersion());
        for (Map.Entry<String, String> entry : Info.collect().entrySet()) {
            line(text, entry.getKey(), entry.getValue());
        }
        return text.toString();
    }

    @Override
    public void run(String argument) {
        try {
            OptionDialog.check(Commands.INFO);
            String text = exec();
            if (IJ.getInstance() == null) {
                IJ.log(text.trim());
            } else {
                new TextWindow("Endorama Info", text, 720, 280);
            }
        } catch (RuntimeException e) {
            Failure.report(Commands.INFO, e);
        }
    }

    private static void line(StringBuilder text, String what, String value) {
        text.append(String.format("%-11s %s%n", what, value));
    }
}
