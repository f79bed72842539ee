package endorama.core.frames;

import endorama.core.transforms.DemoSequence;
import endorama.core.transforms.Transforms;
import endorama.jni.NativeDemo;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Frames in memory, made from demo sequences and damaged on purpose. */
public final class TestFrames extends SizedFrames {
    private final List<Object> frames = new ArrayList<Object>();
    private final Transforms truth = new Transforms();

    public TestFrames(int width, int height, PixelType type) {
        super(0, width, height, type);
    }

    /** Consecutive frames of a calm demo sequence in colour. */
    public static TestFrames demo(int width, int height, int count, long seed) {
        NativeDemo.Options options = new NativeDemo.Options();
        options.width = width;
        options.height = height;
        options.frames = Math.max(60, count);
        options.step = 4;
        options.seed = seed;
        return demo(options, count);
    }

    /** The first frames of a sequence. */
    public static TestFrames demo(NativeDemo.Options options, int count) {
        TestFrames frames = new TestFrames(options.width, options.height, PixelType.RGB32);
        try (DemoSequence demo = new DemoSequence(options)) {
            for (int i = 0; i < count; i++) {
                frames.frames.add(demo.pixels(i));
                frames.truth.put(i + 1, demo.truth(i), true);
            }
        } catch (FrameReadException e) {
            throw new AssertionError(e);
        }
        return frames;
    }

    /** These frames in 16-bit grey, of values 1000..1000 + 16 * 255. */
    public TestFrames grey16() {
        TestFrames grey = new TestFrames(width(), height(), PixelType.GREY16);
        for (Object frame : frames) {
            int[] colour = (int[]) frame;
            short[] pixels = new short[colour.length];
            for (int i = 0; i < pixels.length; i++) {
                pixels[i] = (short) (1000 + 16 * (colour[i] >> 8 & 0xff));
            }
            grey.frames.add(pixels);
        }
        return grey;
    }

    /** Sets the pixels of a frame; null: it cannot be read. */
    public TestFrames set(int index, Object pixels) {
        frames.set(index, pixels);
        return this;
    }

    public TestFrames add(Object pixels) {
        frames.add(pixels);
        return this;
    }

    public TestFrames addAll(TestFrames other) {
        frames.addAll(other.frames);
        return this;
    }

    public Object get(int index) {
        return frames.get(index);
    }

    public List<Object> all() {
        return Collections.unmodifiableList(frames);
    }

    public Transforms truth() {
        return truth;
    }

    @Override
    public int count() {
        return frames.size();
    }

    @Override
    public String label(int index) {
        return "f" + (index + 1);
    }

    @Override
    public Object pixels(int index) throws FrameReadException {
        if (frames.get(index) == null) {
            throw new FrameReadException("frame " + (index + 1) + ": spoilt");
        }
        return frames.get(index);
    }
}
