package endorama.plugin;

import endorama.core.frames.FrameSource;
import endorama.core.mosaic.Links;
import endorama.core.mosaic.MendSession;
import endorama.core.mosaic.MosaicResult;
import endorama.core.mosaic.MosaicSession;
import endorama.core.mosaic.StageFile;
import endorama.core.options.Commands;
import endorama.core.options.MacroLine;
import endorama.core.options.MosaicParameters;
import endorama.core.options.Option;
import endorama.core.options.OptionValues;
import ij.ImagePlus;
import ij.plugin.frame.Recorder;
import java.awt.GraphicsEnvironment;
import java.io.File;
import java.io.IOException;
import javax.swing.SwingUtilities;

/** Plugins &gt; Endorama &gt; Mend Panorama... */
public final class MendCommand extends StackCommand {
    public MendCommand() {
        super(Commands.MEND, 2);
    }

    @Override
    void execute(ImagePlus image, StackSource source, OptionValues values) throws IOException {
        if (GraphicsEnvironment.isHeadless()) {
            throw new IllegalArgumentException("links are mended in a window, and there is no display; a table of links that"
                    + " was saved there is taken by " + Commands.MOSAIC.title() + " with links=[FILE]");
        }
        String pairs = values.getFile(StageFile.PAIRS);
        File links = values.getFile(Links.KEY).isEmpty() ? null : new File(values.getFile(Links.KEY)).getAbsoluteFile();
        StageFile registered = pairs.isEmpty() ? registered(image, source) : StageFile.read(new File(pairs), StageFile.PAIRS);
        if (registered == null) {
            return;
        }
        MendSession session = new MendSession(source, registered, links != null && links.exists() ? Links.read(links) : null);
        if (Recorder.record) {
            // Opening the window has no effect that could be repeated; saving records what has.
            Recorder.setCommand(null);
        }
        MosaicParameters parameters = parameters(source, session.values());
        FrameSource shown = session.shown(parameters);
        SwingUtilities.invokeLater(() -> new MendWindow(image, shown, session, parameters, links).open());
    }

    /** Progress that logs nothing: the window lists the frames that are lost. */
    static ImageJProgress quiet(String what) {
        return new ImageJProgress(what) {
            @Override
            public void log(String line) {
                note(line);
            }
        };
    }

    /** The pairs of a registration with the usual options; null: it was stopped. */
    private static StageFile registered(ImagePlus image, StackSource source) throws IOException {
        ImageJProgress progress = quiet("Register");
        MosaicParameters usual = parameters(source, Commands.MOSAIC.defaults());
        MosaicSession session = new MosaicSession(source, usual, progress).pairsAlone();
        try (MosaicResult result = session.run()) {
            progress.finish(result.cancelled() ? "Stopped" : "");
            rethrow(result.failure());
            if (session.registered() != null && result.registered() < 2) {
                throw new IllegalArgumentException("no frame of " + image.getTitle() + " could be registered with another;"
                        + " whether its frames show the same scene one after the other is to be seen first");
            }
            return session.registered();
        }
    }

    /** The macro line of a mosaic with these links: the options that are not defaults, without other files to write. */
    static String line(OptionValues values, File links) {
        OptionValues mended = values.with(Links.KEY, links.getPath());
        StringBuilder line = new StringBuilder();
        for (Option option : Recording.order(mended)) {
            Object value = mended.get(option.key());
            String word = value.equals(Boolean.TRUE) ? option.key() : option.key() + "=" + MacroLine.quote(Option.plain(value));
            line.append(option.isOutput() ? "" : (line.length() == 0 ? "" : " ") + word);
        }
        return line.toString();
    }
}
