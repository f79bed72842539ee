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

    /** @param file null: none is written */
    PreviewFile(File file, Console console) {
        this.file = file;
        this.console = console;
    }

    /** Writes it again if it has changed. A failure is said once. */
    synchronized void write(LiveSession session) {
        LivePicture picture = file == null || session == null ? null : session.picture(changes);
        if (picture == null) {
            return;
        }
        try {
            ImageFiles.writePng(file, ImageSlices.processor(picture.pixels, picture.width, picture.height));
            changes = picture.changes;
        } catch (IOException | RuntimeException e) {
            if (!e.toString().equals(failure)) {
                console.lost(e.getMessage());
            }
            failure = e.toString();
        }
    }
}
