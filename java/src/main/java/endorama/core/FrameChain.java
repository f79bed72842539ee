package endorama.core;

import endorama.core.FrameRow.Status;
import endorama.jni.NativeFrames;
import endorama.jni.PairResults;
import endorama.jni.RegisterOptions;
import java.util.ArrayList;
import java.util.List;

/**
 * The chain of transforms, and the rule for frames that cannot be registered. Such a frame gets the predicted
 * transform (the last good motion repeated) and is not painted; the frames after it are registered against the
 * last good one. If {@value #REACH} of them fail too, the panorama ends.
 */
final class FrameChain {
    /** Frames after a failed one that are still tried against the last good frame. */
    static final int REACH = 8;
    /** A pair with few landmarks counts from this quality on, if they can carry a fit. */
    static final double LEAST_QUALITY = 0.3;
    /**
     * The same after a failed frame, or if fewer than {@value #LEAST_FOUND} landmarks reached cthresh. Shading alone
     * gives two unrelated scenes a quality of about 0.4, and frames that belong together have 0.8 and more.
     */
    static final double DOUBTFUL_QUALITY = 0.6;
    private static final int LEAST_FOUND = 3;

    private final FrameSource source;
    private NativeFrames frames;
    private final RegisterOptions options;
    private final RegisterOptions texture;
    private String backend;
    private final Progress progress;
    private final List<FrameRow> rows = new ArrayList<FrameRow>();

    private PanoramaCanvas.Item last;
    private Transform motion = Transform.IDENTITY;
    private int first = -1;
    private int failed = -1;
    private int failures;
    private boolean ended;

    FrameChain(FrameSource source, NativeFrames frames, RegisterOptions options, String backend,
            Progress progress) {
        this.source = source;
        this.frames = frames;
        this.options = options;
        this.backend = backend;
        this.progress = progress;
        texture = options.copy();
        texture.initial = RegisterOptions.NONE;
        texture.quality = false;
    }

    /** Goes on with another store, in which the last good frame (if there is one) is in this slot. */
    void moveTo(NativeFrames store, int slot, String computing) {
        frames = store;
        backend = computing;
        if (last != null) {
            last = new PanoramaCanvas.Item(last.frame, slot, last.transform);
        }
    }

    List<FrameRow> rows() {
        return rows;
    }

    /** Too many frames failed; the rest is skipped. */
    boolean ended() {
        return ended;
    }

    /** The frame that the next ones refer to, from 0; -1 if none. */
    int lastGood() {
        return last == null ? -1 : last.frame;
    }

    /**
     * Registers the next frames, one native call for all, and appends their rows. If the library fails on the way,
     * the rows end before the frame at which it did, and another call can go on with that frame.
     *
     * @param slots of the frames after those that have a row; -1 where a frame could not be read
     * @param paint receives the frames to paint, in order
     */
    void add(List<Integer> slots, List<PanoramaCanvas.Item> paint) {
        int from = rows.size();
        PairBatch batch = new PairBatch(frames, options, last, from, slots);
        for (int i = 0; i < slots.size(); i++) {
            FrameRow row = new FrameRow(from + i + 1);
            row.backend = slots.get(i) < 0 ? "" : backend;
            PanoramaCanvas.Item item = ended || slots.get(i) < 0 ? null : register(row, slots.get(i), batch);
            if (item != null) {
                paint.add(item);
            } else {
                row.transform = predicted(row.frame - 1);
            }
            rows.add(row);
        }
    }

    /** The frame's item, which is then the last good one; null if it cannot be registered. */
    private PanoramaCanvas.Item register(FrameRow row, int slot, PairBatch batch) {
        int frame = row.frame - 1;
        if (last == null) {
            return start(row, slot);
        }
        row.reference = last.frame + 1;
        PairBatch pair = batch.reference(frame) == last.frame ? batch
                : PairBatch.single(frames, options, last, frame, slot);
        Transform step = pair.fill(row, frame);
        Transform transform = last.transform.multiply(step);
        if (!accepted(row) || !transform.isInvertible()) {
            fail(row, slot);
            return null;
        }
        setMotion(row, step);
        if (frame == last.frame + 1) {
            motion = step;
        } else {
            logGap(frame);
        }
        failures = 0;
        failed = -1;
        return good(row, slot, transform);
    }

    /** Frames up to the first with texture are left out. */
    private PanoramaCanvas.Item start(FrameRow row, int slot) {
        if (!hasTexture(slot)) {
            row.status = Status.NO_TEXTURE;
            progress.log(Frames.name(source, row.frame - 1) + ": no texture; the panorama starts later");
            return null;
        }
        first = row.frame - 1;
        row.reference = row.frame;
        row.status = Status.OK;
        return good(row, slot, Transform.IDENTITY);
    }

    private PanoramaCanvas.Item good(FrameRow row, int slot, Transform transform) {
        row.transform = transform;
        row.registered = true;
        last = new PanoramaCanvas.Item(row.frame - 1, slot, transform);
        return last;
    }

    private boolean accepted(FrameRow row) {
        boolean doubtful = failed >= 0 || row.found < LEAST_FOUND;
        return row.status == Status.OK || row.status == Status.FEW_LANDMARKS
                && row.quality >= (doubtful ? DOUBTFUL_QUALITY : LEAST_QUALITY);
    }

    private void setMotion(FrameRow row, Transform step) {
        double x = (source.width() - 1) / 2.0;
        double y = (source.height() - 1) / 2.0;
        row.dx = step.applyX(x, y) - x;
        row.dy = step.applyY(x, y) - y;
    }

    private void fail(FrameRow row, int slot) {
        if (row.status == Status.OK || row.status == Status.JUMP) {
            row.status = hasTexture(slot) ? Status.JUMP : Status.NO_TEXTURE;
        }
        if (failed < 0) {
            failed = row.frame - 1;
        }
        if (++failures > REACH) {
            ended = true;
            progress.log("frame " + (failed + 1) + ": " + reason() + "; the panorama holds "
                    + Frames.range(first, last.frame) + "; run again on "
                    + Frames.range(failed, source.count() - 1) + " for the rest");
        }
    }

    /** In words, why the first of the failed frames failed. */
    private String reason() {
        Status status = failed < rows.size() ? rows.get(failed).status : Status.JUMP;
        return status == Status.NO_TEXTURE ? "no texture"
                : status == Status.FEW_LANDMARKS ? "too few landmarks fit" : "jump to another scene";
    }

    private void logGap(int frame) {
        if (failed >= 0) {
            progress.log(Frames.range(failed, frame - 1) + ": not registered (" + reason() + "); frame "
                    + (frame + 1) + " continues from frame " + (last.frame + 1));
        }
    }

    /** A template compared with its own frame tells whether the frame has any texture. */
    private boolean hasTexture(int slot) {
        return frames.register(new int[] {slot, slot}, texture).status(0) != PairResults.NO_TEXTURE;
    }

    /** The last good motion repeated, but not further than the rule reaches. */
    private Transform predicted(int frame) {
        if (last == null) {
            return Transform.IDENTITY;
        }
        Transform transform = last.transform;
        for (int i = Math.min(frame - last.frame, REACH + 1); i > 0; i--) {
            transform = transform.multiply(motion);
        }
        return transform.isInvertible() ? transform : last.transform;
    }

    /** Rows for the frames that nobody looked at because the panorama ended. */
    void skipRest() {
        for (int frame = rows.size(); frame < source.count(); frame++) {
            FrameRow row = new FrameRow(frame + 1);
            row.transform = predicted(frame);
            rows.add(row);
        }
    }

    /** Says what is missing at the end, if that was not said before. */
    void finish() {
        if (!ended && failed >= 0) {
            progress.log(Frames.range(failed, rows.size() - 1) + ": not registered (" + reason()
                    + "); the panorama holds " + Frames.range(first, last.frame));
        }
    }
}
