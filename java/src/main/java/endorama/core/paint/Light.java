package endorama.core.paint;

import endorama.core.common.Progress;
import endorama.core.common.RunTimes;
import endorama.core.engine.FieldOfView;
import endorama.core.engine.Onlooker;
import endorama.core.engine.PlacedFrame;
import endorama.core.frames.FrameSource;
import endorama.jni.NativeContext;
import endorama.jni.NativeLight;
import endorama.jni.NativeTransforms;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The light of a sequence. It sees every frame when that is read, and is solved for when the places are known. It works on
 * the CPU, whatever else computes, and lives on when a device fails.
 */
public final class Light implements Onlooker, AutoCloseable {
    private final NativeContext context;
    private final NativeLight light;
    private final RunTimes times;
    private final Set<Integer> seen = ConcurrentHashMap.newKeySet();
    private final Map<Integer, Integer> views = new HashMap<Integer, Integer>();
    private NativeLight.Result result;

    public Light(FrameSource source, FieldOfView field, int threads, RunTimes times) {
        this.times = times;
        context = NativeContext.create(NativeContext.CPU, threads);
        light = NativeLight.create(context, field.options(source.type(), 1));
    }

    @Override
    public boolean isNew(int frame) {
        return !seen.contains(frame);
    }

    /** Keeps a small picture of a frame, when it is seen first; several threads may come with a frame each. */
    @Override
    public void see(int frame, Object pixels) {
        if (isNew(frame)) {
            light.put(frame, pixels);
            seen.add(frame);
        }
    }

    /** Solves for the light of frames in their places, and says what it is. */
    public void solve(List<PlacedFrame> items, Progress progress) {
        long start = System.nanoTime();
        int[] frames = new int[items.size()];
        int[] parts = new int[items.size()];
        NativeTransforms places = new NativeTransforms(items.size());
        Map<Integer, Integer> numbers = new HashMap<Integer, Integer>();
        views.clear();
        for (int i = 0; i < frames.length; i++) {
            PlacedFrame item = items.get(i);
            if (!numbers.containsKey(item.part)) {
                numbers.put(item.part, numbers.size());
            }
            frames[i] = item.frame;
            parts[i] = numbers.get(item.part);
            item.transform.put(places, i);
            views.put(item.frame, i);
        }
        context.setCancel(progress::cancelled);
        try {
            result = light.solve(frames, parts, places);
        } finally {
            context.setCancel(null);
        }
        times.light += RunTimes.since(start);
        progress.note("light " + LightOfScope.of(result));
    }

    public boolean isSolved() {
        return result != null;
    }

    /** What a frame's pixels are multiplied with: {@link NativeLight.Result#correction}. */
    short[] correction() {
        return result.correction;
    }

    /** Red, green and blue factor of a frame, from i on in gains. */
    void putGains(int frame, int[] gains, int i) {
        System.arraycopy(result.gains, 3 * views.get(frame), gains, i, 3);
    }

    NativeLight.Result result() {
        return result;
    }

    @Override
    public void close() {
        light.close();
        context.close();
    }
}
