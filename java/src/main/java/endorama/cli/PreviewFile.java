package endorama.cli;

import endorama.core.mosaic.LivePicture;
import endorama.core.mosaic.LiveSession;
import endorama.picture.ImageSlices;
import java.io.File;
import java.io.IOException;

/** The growing panorama in a PNG file, which always is a whole one. */
final class PreviewFile {
    private final File file;
    private final Console console;
    private long changes = -1;
    private String failure;

    /** @param file null: it is never written */
    PreviewFile(File file, Console console) {
        this.file = file;
        this.console = console;
    }

    /** Writes it again if it has changed. */
    synchronized void write(LiveSession session) throws IOException {
        LivePicture picture = session == null ? null : session.picture(changes);
        if (picture != null) {
            ImageFiles.writePng(file, ImageSlices.processor(picture.pixels, picture.width, picture.height));
            changes = picture.changes;
        }
    }

    /** Writes the preview while frames still come: a failure, which may pass, is reported once and ends nothing. */
    void tryToWrite(LiveSession session) {
        try {
            write(session);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            if (!e.toString().equals(failure)) {
                console.report(e);
            }
            failure = e.toString();
        }
    }
}
