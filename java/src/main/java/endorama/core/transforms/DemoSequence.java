package endorama.core.transforms;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.Frames;
import endorama.core.frames.PixelType;
import endorama.core.frames.SizedFrames;
import endorama.core.options.OptionValues;
import endorama.jni.EndoramaException;
import endorama.jni.NativeContext;
import endorama.jni.NativeDemo;
import java.util.Arrays;

/** A synthetic endoscopic sequence with known truth, rendered frame by frame on demand. */
public final class DemoSequence extends SizedFrames implements AutoCloseable {
    private final NativeContext context;
    private final NativeDemo demo;

    /** A sequence with its own context; close it when done. */
    public DemoSequence(NativeDemo.Options options) {
        super(options.frames, options.width, options.height, PixelType.RGB32);
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
        double[] matrix = new double[9];
        return Transform.of(demo.truth(index, matrix), matrix);
    }

    /** The truth of every frame. */
    public Transforms truth() {
        Transforms truth = new Transforms();
        for (int i = 0; i < count(); i++) {
            truth.put(i + 1, truth(i), true);
        }
        return truth;
    }

    @Override
    public void close() {
        demo.close();
        context.close();
    }
}
