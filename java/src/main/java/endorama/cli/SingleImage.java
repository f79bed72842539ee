package endorama.cli;

import endorama.core.FrameReadException;
import endorama.core.FrameSource;
import endorama.core.PixelType;
import java.io.File;

/** One image in a file as a sequence of one frame. */
final class SingleImage implements FrameSource {
    private final File file;
    private final Image image;

    /** @throws FrameReadException if it cannot be read */
    SingleImage(File file) throws FrameReadException {
        this.file = file;
        this.image = ImageFiles.read(file);
    }

    @Override
    public int count() {
        return 1;
    }

    @Override
    public int width() {
        return image.width;
    }

    @Override
    public int height() {
        return image.height;
    }

    @Override
    public PixelType type() {
        return image.type;
    }

    @Override
    public String label(int index) {
        return file.getName();
    }

    @Override
    public Object pixels(int index) {
        return image.pixels;
    }
}
