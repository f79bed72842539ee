package endorama.plugin;

import ij.ImagePlus;
import ij.ImageStack;
import ij.VirtualStack;
import ij.process.ImageProcessor;
import java.util.function.IntConsumer;

/** Slices of another stack as a virtual one, copied on demand. */
class LazyStack extends VirtualStack {
    private final ImageStack frames;
    private final int bitDepth;
    private final IntConsumer read;

    /** @param read receives the number of each slice, from 1, before it is copied; its exception is thrown by the reader */
    LazyStack(ImagePlus frames, IntConsumer read) {
        super(frames.getWidth(), frames.getHeight(), frames.getStackSize());
        this.frames = frames.getStack();
        this.bitDepth = frames.getBitDepth();
        this.read = read;
    }

    @Override
    public ImageProcessor getProcessor(int n) {
        read.accept(n);
        return frames.getProcessor(n).duplicate();
    }

    @Override
    public String getSliceLabel(int n) {
        return frames.getSliceLabel(n);
    }

    @Override
    public int getBitDepth() {
        return bitDepth;
    }
}
