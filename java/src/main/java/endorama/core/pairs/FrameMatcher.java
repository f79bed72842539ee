package endorama.core.pairs;

import endorama.core.engine.PlacedFrame;
import endorama.jni.NativeFrames;
import endorama.jni.NativeTransforms;
import endorama.jni.PairResults;
import endorama.jni.RegisterOptions;
import java.util.List;

/** Registers frames of a store against one another, as a chain asks for it. */
public final class FrameMatcher {
    private final RegisterOptions options;
    private final RegisterOptions texture;
    private final RememberedPairs known;
    private NativeFrames frames;

    public FrameMatcher(NativeFrames frames, RegisterOptions options, RememberedPairs known) {
        this.frames = frames;
        this.options = options;
        this.known = known;
        texture = options.copy();
        texture.initial = RegisterOptions.NONE;
        texture.quality = false;
        texture.method = RegisterOptions.PAPER;
        texture.transform = NativeTransforms.TRANSLATION;
    }

    /** Goes on with another store. */
    public void moveTo(NativeFrames store) {
        frames = store;
    }

    /** Frames from..; the first readable one against one before them, which may be null. */
    public PairBatch batch(PlacedFrame before, int from, List<Integer> slots) {
        return new PairBatch(frames, options, before, from, slots, known);
    }

    /** A frame against a reference: what is known, or from the batch if that has the pair. */
    public PairMatch match(PlacedFrame reference, int frame, int slot, PairBatch batch) {
        PairMatch match = known.get(reference.frame, frame);
        if (match == null && batch.reference(frame) == reference.frame) {
            match = batch.match(frame);
            known.add(frame, match);
        }
        return match == null ? match(reference, frame, slot) : match;
    }

    /** A frame against any reference. */
    public PairMatch match(PlacedFrame reference, int frame, int slot) {
        PairMatch match = known.get(reference.frame, frame);
        if (match == null) {
            match = PairBatch.single(frames, options, reference, frame, slot, known).match(frame);
            known.add(frame, match);
        }
        return match;
    }

    /** A template compared with its own frame tells whether the frame has any texture. */
    public boolean hasTexture(int slot) {
        return frames.register(new int[] {slot, slot}, texture).status(0) != PairResults.NO_TEXTURE;
    }
}
