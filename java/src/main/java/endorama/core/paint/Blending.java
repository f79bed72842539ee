package endorama.core.paint;

import endorama.core.engine.FieldOfView;
import endorama.core.engine.PlacedFrame;
import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelType;
import endorama.core.options.MosaicParameters;
import endorama.core.transforms.Rect;
import endorama.core.transforms.Transform;
import endorama.jni.NativeContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Panoramas whose frames are all known before they are painted: part after part, each in bands of rows from the top, of
 * which one at a time is in the back end's memory.
 */
public final class Blending implements AutoCloseable {
    /** Bands begin with a cell of the blend. */
    private static final int CELL = 4;
    /** Of the back end's memory that a band takes at most, and of how few rows it may become for want of it. */
    private static final long BAND_BYTES = 4L << 30;
    private static final int LEAST_ROWS = 64;

    /** A part of the sequence, and its panorama. */
    private static final class Part {
        final List<PlacedFrame> items = new ArrayList<PlacedFrame>();
        final Reach reach;
        PanoramaRows rows;

        Part(Reach reach) {
            this.reach = reach;
        }
    }

    private final FrameSource source;
    private final MosaicParameters parameters;
    private final FieldOfView field;
    private final PanoramaPlace place;
    private final Light light;
    private final Weighing weighing;
    private final MosaicFaults faults;
    private final Map<Integer, Part> parts = new TreeMap<Integer, Part>();
    /** Those that are not done; the first is the present one. */
    private final List<Part> open = new ArrayList<Part>();
    private double area;
    private double areaDone;
    /** Of the present part, rows that are done. */
    private int top;
    /** Of a band; 0: not known yet. */
    private int rows;
    private BlendBand band;

    /**
     * Of all frames, part after part.
     *
     * @param items in the order in which they find room
     * @param light null: as it is
     * @param faults what tests ask for
     */
    Blending(FrameSource source, MosaicParameters parameters, FieldOfView field, PanoramaPlace place,
            List<PlacedFrame> items, Light light, Weighing weighing, MosaicFaults faults) {
        this.source = source;
        this.parameters = parameters;
        this.field = field;
        this.place = place;
        this.light = light;
        this.weighing = weighing;
        this.faults = faults;
        rows = faults.bandRows;
        for (PlacedFrame item : items) {
            find(item);
        }
        for (Part part : parts.values()) {
            if (part.reach.used() != null) {
                keepFitting(part);
                open.add(part);
                area += part.reach.used().area();
            }
        }
    }

    private void find(PlacedFrame item) {
        Part part = parts.get(item.part);
        if (part == null) {
            part = new Part(new Reach(field.bounds(), place.limit(source.type(), parameters.maxCanvas())));
            parts.put(item.part, part);
        }
        PlacedFrame scaled = new PlacedFrame(item.frame, item.slot,
                Transform.scaling(parameters.scale()).multiply(item.transform), item.part);
        part.items.add(scaled);
        Rect union = part.reach.full() == null ? part.reach.allowed(scaled) : null;
        if (union != null) {
            part.reach.use(union);
        }
    }

    /** Frames behind the first that found no room may lie within what others take. */
    private static void keepFitting(Part part) {
        for (int i = part.items.size() - 1; i >= 0; i--) {
            Rect union = part.reach.unionWith(part.items.get(i));
            if (union == null || !part.reach.used().contains(union)) {
                part.items.remove(i);
            }
        }
    }

    /** Why not all frames are painted; null if they are. */
    public String full() {
        for (Part part : parts.values()) {
            if (part.reach.full() != null) {
                return part.reach.full();
            }
        }
        return null;
    }

    public boolean done() {
        return open.isEmpty();
    }

    /** 0..1. */
    public double share() {
        double now = band == null ? 0 : band.share() * (bottom() - top) * used().width();
        return done() ? 1 : (areaDone + now) / area;
    }

    // ------------------------------------------------------------------- bands

    private Rect used() {
        return open.get(0).reach.used();
    }

    private int bottom() {
        if (rows == 0) {
            long bytes = (source.type() == PixelType.GREY8 ? 13L : 21L) * used().width();
            rows = (int) Math.max(LEAST_ROWS, Math.min(1 << 20, BAND_BYTES / bytes / CELL * CELL));
        }
        return Math.min(used().height(), top + rows);
    }

    /** The band that is being blended; null: {@link #begin} one. */
    public BlendBand band() {
        return band;
    }

    /** Begins the next band, or again the one that was dropped. */
    public void begin(NativeContext context) {
        drop();
        Part part = open.get(0);
        if (part.rows == null) {
            part.rows = place.createWithExtras(source.type(), used());
        }
        faults.bandStrain.accept(bottom() - top);
        band = new BlendBand(context, source, parameters, field.bounds(), part.items, used(), top, bottom(), light,
                weighing);
    }

    /** Takes over the band, both of whose passes are done, and goes on to the next. */
    public void take(NativeContext context) {
        Part part = open.get(0);
        try (Uncertainty uncertainty = part.rows.uncertainty == null ? null : new Uncertainty(context, field, parameters,
                band.items(), used(), top, bottom(), weighing)) {
            band.take(part.rows, uncertainty);
        } catch (IOException e) {
            throw place.noRoom(used(), e);
        }
        drop();
        areaDone += (double) (bottom() - top) * used().width();
        top = bottom();
        if (top == used().height()) {
            open.remove(0);
            top = 0;
            rows = faults.bandRows;
        }
    }

    /** What was added to the present band is forgotten. */
    public void drop() {
        if (band != null) {
            band.close();
        }
        band = null;
    }

    /** For want of memory bands have half as many rows from here on: how many; 0: they cannot have fewer. */
    public int halve() {
        int half = (bottom() - top) / 2 / CELL * CELL;
        if (half < LEAST_ROWS) {
            return 0;
        }
        drop();
        rows = half;
        return rows;
    }

    /** The panorama of a part; null if nothing is painted. */
    Panorama panorama(int part) {
        Part wanted = parts.get(part);
        Rect used = wanted == null ? null : wanted.reach.used();
        return used == null ? null : new Panorama(used, parameters.scale(), wanted.rows);
    }

    /** Gives everything back but the panoramas that are done. */
    @Override
    public void close() {
        drop();
        closeRows(open);
    }

    /** Gives these back, too. */
    void discard() {
        drop();
        closeRows(parts.values());
    }

    private static void closeRows(Iterable<Part> parts) {
        for (Part part : parts) {
            try {
                if (part.rows != null) {
                    part.rows.close();
                }
            } catch (IOException e) {
                continue; // It is gone when the process ends.
            }
        }
    }
}
