package endorama.plugin;

import endorama.core.mosaic.Info;
import endorama.core.options.Commands;
import ij.IJ;
import ij.plugin.PlugIn;
import ij.text.TextWindow;
import java.util.Map;

/** Plugins &gt; Endorama &gt; Endorama Info... */
public final class InfoCommand implements PlugIn {
    /** Versions, the native library, back ends, and a self-check; reports a library that does not load. */
    public static String exec() {
        return lines("%-14s %s%n");
    }

    @Override
    public void run(String argument) {
        try {
            OptionDialog.check(Commands.INFO);
            if (IJ.getInstance() == null) {
                IJ.log(exec().trim());
            } else {
                new TextWindow("Endorama Info", "item\tvalue", lines("%s\t%s%n").trim(), 760, 300);
            }
        } catch (Throwable e) {
            Failure.report(Commands.INFO, e);
        }
    }

    private static String lines(String format) {
        StringBuilder text = new StringBuilder(String.format(format, "imagej", IJ.getFullVersion()));
        for (Map.Entry<String, String> entry : Info.collect().entrySet()) {
            text.append(String.format(format, entry.getKey(), entry.getValue()));
        }
        return text.toString();
    }
}
