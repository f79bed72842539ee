package endorama.core.paint;

import endorama.core.engine.BackEnd;
import endorama.core.engine.FieldOfView;
import endorama.core.engine.PlacedFrame;
import endorama.core.frames.FrameSource;
import endorama.core.options.MosaicParameters;
import endorama.jni.EndoramaException;
import endorama.jni.NativeFrames;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The pictures of a run, one of every part: canvases that are painted frame by frame, and in their place, in the end, a
 * blend.
 */
public final class Canvases implements AutoCloseable {
    private final FrameSource source;
    private final MosaicParameters parameters;
    private final FieldOfView field;
    private final PanoramaPlace place;
    private final MosaicFaults faults;
    private final BackEnd backEnd;
    private Map<Integer, PanoramaCanvas> canvases = new TreeMap<Integer, PanoramaCanvas>();
    /** Null: nothing is blended. */
    private Blending blending;
    /** Canvases stop where memory ends. */
    private boolean stopping;

    public Canvases(BackEnd backEnd, FrameSource source, MosaicParameters parameters, FieldOfView field,
            MosaicFaults faults) {
        this.backEnd = backEnd;
        this.source = source;
        this.parameters = parameters;
        this.field = field;
        this.faults = faults;
        place = new PanoramaPlace(parameters, faults);
    }

    private PanoramaCanvas canvas(int part) {
        PanoramaCanvas canvas = canvases.get(part);
        if (canvas == null) {
            canvas = new PanoramaCanvas(backEnd.context(), source.type(), parameters.painting(), field.bounds(),
                    place, parameters.maxCanvas());
            if (stopping) {
                canvas.stopWhereMemoryEnds();
            }
            canvases.put(part, canvas);
        }
        return canvas;
    }

    /** Why nothing more is painted in a part; null while there is room in all. */
    public String full() {
        if (blending != null) {
            return blending.full();
        }
        for (PanoramaCanvas canvas : canvases.values()) {
            if (canvas.full() != null) {
                return canvas.full();
            }
        }
        return null;
    }

    /** Paints frames that a store holds; those of one part follow one another. */
    public void paint(NativeFrames frames, List<PlacedFrame> items) {
        for (int from = 0, to; from < items.size(); from = to) {
            int part = items.get(from).part;
            for (to = from + 1; to < items.size() && items.get(to).part == part; to++) {
                continue;
            }
            if (blending != null && blending.band() != null) {
                blending.band().add(frames, items.subList(from, to));
            } else {
                canvas(part).paint(frames, items.subList(from, to));
            }
        }
    }

    /** What frames that are to be painted have to be put for. */
    public int uses() {
        BlendBand band = blending == null ? null : blending.band();
        if (band == null) {
            return NativeFrames.ANY_USE;
        }
        return band.isSecond() ? NativeFrames.SURVEY + NativeFrames.PAINTING : NativeFrames.SURVEY;
    }

    /** A part as it is; null if nothing of it was painted. */
    public Panorama snapshot(int part) {
        if (blending != null) {
            return blending.panorama(part);
        }
        return canvases.containsKey(part) ? canvases.get(part).snapshot() : null;
    }

    // ------------------------------------------------------------- other pictures

    /** Paints on empty canvases from here on, but for those that are kept; what was there can be had back. */
    public Map<Integer, PanoramaCanvas> startOver(Set<Integer> kept) {
        Map<Integer, PanoramaCanvas> before = canvases;
        canvases = new TreeMap<Integer, PanoramaCanvas>(before);
        canvases.keySet().retainAll(kept);
        return before;
    }

    /** Closes the canvases of before in whose places there are others now, or none. */
    public void keepNew(Map<Integer, PanoramaCanvas> before) {
        before.values().removeAll(canvases.values());
        closeAll(before);
    }

    /** Takes the canvases of before in place of those that are there. */
    public void takeBack(Map<Integer, PanoramaCanvas> before) {
        canvases.values().removeAll(before.values());
        closeAll(canvases);
        canvases = before;
    }

    private static void closeAll(Map<Integer, PanoramaCanvas> canvases) {
        for (PanoramaCanvas canvas : canvases.values()) {
            canvas.close();
        }
    }

    /**
     * From here on what is painted is blended.
     *
     * @param items all of it, part after part
     * @param light null: as it is
     */
    public Blending startBlending(List<PlacedFrame> items, Light light, Weighing weighing) {
        blending = new Blending(source, parameters, field, place, items, light, weighing, faults);
        return blending;
    }

    /** What is painted is blended. */
    public boolean isBlending() {
        return blending != null;
    }

    /** The blend's band goes with a back end that fails: it is begun again. */
    public void dropBand() {
        if (blending != null) {
            blending.drop();
        }
    }

    /** Back to what was painted before. */
    public void dropBlending() {
        if (blending != null) {
            blending.discard();
        }
        blending = null;
    }

    // ------------------------------------------------------------------- failures

    /** Out of memory is from here on a reason to paint no more; false if it was before. */
    public boolean stopWhereMemoryEnds() {
        if (stopping) {
            return false;
        }
        stopping = true;
        for (PanoramaCanvas canvas : canvases.values()) {
            canvas.stopWhereMemoryEnds();
        }
        return true;
    }

    /** Copies of all canvases; null if one of them cannot be had. */
    public Map<Integer, Panorama> copies() {
        Map<Integer, Panorama> copies = new TreeMap<Integer, Panorama>();
        try {
            for (Map.Entry<Integer, PanoramaCanvas> entry : canvases.entrySet()) {
                copies.put(entry.getKey(), entry.getValue().snapshot());
            }
            return copies;
        } catch (EndoramaException | OutOfMemoryError lost) {
            return null;
        }
    }

    /**
     * Goes on with the back end as it is now.
     *
     * @param copies what the canvases had painted; null: nobody knows
     * @return false if they are empty now and were not before
     */
    public boolean move(Map<Integer, Panorama> copies) {
        Map<Integer, PanoramaCanvas> old = canvases;
        canvases = new TreeMap<Integer, PanoramaCanvas>();
        boolean taken = copies != null;
        for (Map.Entry<Integer, PanoramaCanvas> entry : old.entrySet()) {
            PanoramaCanvas canvas = new PanoramaCanvas(backEnd.context(), entry.getValue());
            canvases.put(entry.getKey(), canvas);
            taken = taken && canvas.takeOver(entry.getValue(), copies.get(entry.getKey()));
        }
        closeAll(old);
        return taken;
    }

    /** Nothing is painted. */
    public void clear() {
        closeAll(canvases);
        canvases.clear();
    }

    @Override
    public void close() {
        if (blending != null) {
            blending.close();
        }
        clear();
    }
}
