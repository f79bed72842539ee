package endorama.core.transforms;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.frames.PixelType;
import endorama.core.options.OptionValues;
import endorama.jni.EndoramaException;
import endorama.jni.NativeContext;
import endorama.jni.NativeDemo;
import endorama.jni.NativeTransforms;
import java.util.Arrays;

/** A synthetic endoscopic sequence with known truth, rendered frame by frame on demand. */
public final class DemoSequence implements FrameSource, AutoCloseable {
    private final NativeContext context;
    private final NativeDemo demo;
    private final NativeDemo.Options options;

    /** A sequence with its own context; close it when done. */
    public DemoSequence(NativeDemo.Options options) {
        this.options = options;
        context = NativeContext.create(NativeContext.CPU, 0);
        try {
            demo = NativeDemo.create(context, options);
        } catch (RuntimeException e) {
            context.close();
            throw e;
        }
    }

    /** From the options of the demo sequence command. */
    public static DemoSequence of(OptionValues v) {
        NativeDemo.Options o = new NativeDemo.Options();
        o.width = v.getInt("width");
        o.height = v.getInt("height");
        o.frames = v.getInt("frames");
        o.path = Arrays.asList("Loop", "Sweep", "Spiral").indexOf(v.getChoice("path"));
        o.step = v.getDouble("step");
        o.rotation = v.getDouble("rotation");
        o.zoom = v.getDouble("zoom");
        o.noise = v.getDouble("noise");
        o.flicker = v.getDouble("flicker");
        o.highlights = v.getInt("highlights");
        o.seed = v.getLong("seed");
        return new DemoSequence(o);
    }

    @Override
    public int count() {
        return options.frames;
    }

    @Override
    public int width() {
        return options.width;
    }

    @Override
    public int height() {
        return options.height;
    }

    @Override
    public PixelType type() {
        return PixelType.RGB32;
    }

    @Override
    public String label(int index) {
        return "demo " + (index + 1);
    }

    @Override
    public Object pixels(int index) throws FrameReadException {
        try {
            return demo.render(index);
        } catch (EndoramaException e) {
            throw new FrameReadException(Frames.name(this, index) + ": " + e.getMessage(), e);
        }
    }

    /** Frame index (from 0) -&gt; frame 0. */
    public Transform truth(int index) {
        NativeTransforms truth = new NativeTransforms(1);
        demo.truth(index, truth, 0);
        return Transform.of(truth.kind(0), truth.matrix(0));
    }

    /** The truth of every frame. */
    public Transforms truth() {
        Transforms truth = new Transforms();
        for (int i = 0; i < options.frames; i++) {
            truth.put(i + 1, truth(i), true);
        }
        return truth;
    }

    /** Field of view of every frame: width*height bytes, -1 (255) inside, 0 outside. */
    public byte[] field() {
        return demo.field();
    }

    @Override
    public void close() {
        demo.close();
        context.close();
    }
}
