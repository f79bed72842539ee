package endorama.core.mosaic;

import endorama.core.common.Progress;
import endorama.core.engine.PlacedFrame;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.pairs.FrameMatcher;
import endorama.core.pairs.FrameRow;
import endorama.core.pairs.FrameRow.Status;
import endorama.core.pairs.Link;
import endorama.core.pairs.PairBatch;
import endorama.core.pairs.PairMatch;
import endorama.core.pairs.Plausibility;
import endorama.core.transforms.Horizon;
import endorama.core.transforms.Transform;
import endorama.jni.NativeFrames;
import endorama.jni.RegisterOptions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The chain of transforms over a stretch of the sequence, and the rule for frames that cannot be registered. Such a
 * frame gets the predicted transform (the last good motion repeated) and is not painted; the frames after it are
 * registered against the last good one. If {@value #REACH} of them fail too ({@value #NEAR}, where chain after chain
 * found nobody), the chain ends before the first of them, and another one can begin there: in the part of the panorama
 * in which {@link LostAndFound} finds its first frame, or in a part of its own.
 *
 * <p>A frame that was registered, but does not show what the last good one shows, or shows it turned by more than a right
 * angle, is a suspect: the next frames say whether it is an outlier, which is left out, or the scene has changed. So does
 * the first frame stand until the next ones agree with one another and not with it: then the panorama starts with them.
 */
final class FrameChain {
    /** Frames after a failed one that are still tried against the last good frame. */
    static final int REACH = 8;
    /** The same where chain after chain found nobody. */
    static final int NEAR = 1;

    private final FrameSource source;
    private final int from;
    private int part;
    private final LostAndFound lost;
    private final int reach;
    private final FrameMatcher matcher;
    private String backend;
    private final Progress progress;
    private final List<FrameRow> rows = new ArrayList<FrameRow>();
    private final List<Link> links = new ArrayList<Link>();
    /** Frames that waited for a witness. */
    private final Set<Integer> late = new HashSet<Integer>();
    private final ChainFailures failures;
    private final Plausibility plausibility;
    private final Judgement judgement;
    private final Suspects suspects;
    private final ChainBegin beginning;
    private final ChainMotion motion;

    private PlacedFrame last;
    /** The last good frame is the first one, and none has agreed with it. */
    private boolean alone;
    /** It was looked for. */
    private boolean sought;
    private int first = -1;
    private boolean ended;

    /**
     * A chain.
     *
     * @param from its first frame
     * @param part of the panorama, unless its first frame is found in another one
     */
    FrameChain(FrameSource source, int from, int part, LostAndFound lost, NativeFrames frames, RegisterOptions options,
            String backend, Progress progress) {
        this.source = source;
        this.from = from;
        this.part = part;
        this.lost = lost;
        plausibility = lost.plausibility();
        reach = lost.findsNobody() ? NEAR : REACH;
        matcher = new FrameMatcher(frames, options, lost.known());
        this.backend = backend;
        this.progress = progress;
        failures = new ChainFailures(progress);
        Horizon horizon = new Horizon(source.width(), source.height());
        judgement = new Judgement(plausibility, failures, horizon);
        suspects = new Suspects(judgement, plausibility);
        beginning = new ChainBegin(lost, matcher, horizon);
        motion = new ChainMotion(source, horizon);
    }

    /** Frames that the next ones refer to; they must stay in the store. */
    int[] held() {
        return suspects.any() ? new int[] {last.frame, suspects.newest().frame}
                : new int[] {last == null ? -1 : last.frame};
    }

    /** Goes on with another store, in which the frames that are held are in these slots. */
    void moveTo(NativeFrames store, int[] slots, String computing) {
        matcher.moveTo(store);
        backend = computing;
        if (last != null) {
            last = new PlacedFrame(last.frame, slots[0], last.transform, part);
        }
        if (suspects.any()) {
            suspects.newest().slot = slots[1];
        }
    }

    /** One a frame, from the first one on. */
    List<FrameRow> rows() {
        return rows;
    }

    /** The first frame that has no row. */
    int next() {
        return from + rows.size();
    }

    FrameRow row(int frame) {
        return rows.get(frame - from);
    }

    /** The pairs that it consists of, and that with which it was found. */
    List<Link> links() {
        return links;
    }

    /** Its frame joined the chain after others had been looked at, and may have left the store. */
    boolean isLate(Link link) {
        return late.contains(link.current);
    }

    /** Stretches of frames that failed between good ones, or at the end: numbers of the first and the last. */
    List<int[]> gaps() {
        return failures.gaps();
    }

    /** The part of the panorama that it belongs to. */
    int part() {
        return part;
    }

    /** Its first frame; -1 before there is one. */
    int first() {
        return first;
    }

    /** Its last good frame, in its place; null before there is one. */
    PlacedFrame last() {
        return last;
    }

    /** It has a first frame, and none has agreed with it. */
    boolean alone() {
        return alone;
    }

    /** Too many frames failed; it goes up to the first of them. */
    boolean ended() {
        return ended;
    }

    /**
     * Registers the next frames, one native call for all, and appends their rows. If the library fails on the way,
     * the rows end before the frame at which it did, and another call can go on with that frame.
     *
     * @param slots of the frames after those that have a row; -1 where a frame could not be read
     * @param paint receives the frames to paint, in order
     */
    void add(List<Integer> slots, List<PlacedFrame> paint) {
        int begin = next();
        PairBatch batch = matcher.batch(suspects.any() ? suspects.frame() : last, begin, slots);
        for (int i = 0; i < slots.size() && !ended; i++) {
            FrameRow row = new FrameRow(begin + i + 1);
            row.backend = slots.get(i) < 0 ? "" : backend;
            if (slots.get(i) >= 0) {
                register(row, slots.get(i), batch, paint);
            }
            if (!row.registered) {
                row.transform = last == null ? Transform.IDENTITY : motion.predicted(last, row.frame - 1);
            }
            rows.add(row);
        }
        if (ended) {
            rows.subList(failures.first() - from, rows.size()).clear();
            suspects.release();
        }
    }

    private void register(FrameRow row, int slot, PairBatch batch, List<PlacedFrame> paint) {
        if (last == null) {
            start(row, slot, paint);
            return;
        }
        PairMatch match = matcher.match(last, row.frame - 1, slot, batch);
        if (suspects.any()) {
            PairMatch toSuspect = matcher.match(suspects.frame(), row.frame - 1, slot, batch);
            if (judge(row, slot, match, toSuspect, paint)) {
                return;
            }
            match = last.frame == toSuspect.reference ? toSuspect : match;
        }
        follow(row, slot, match, paint);
    }

    /** A frame that has a match with the last good one, while there are no suspects. */
    private void follow(FrameRow row, int slot, PairMatch match, List<PlacedFrame> paint) {
        match.describe(row);
        if (!judgement.accepts(last, match)) {
            row.status = match.counts(failures.any()) && match.step.isHomography() ? Status.ASLANT : row.status;
            fail(row, slot);
            if (alone && row.status != Status.NO_TEXTURE) {
                suspects.add(new Suspect(row, match, 1, slot));
            }
        } else if (judgement.isSuspicious(last, match)) {
            suspects.add(new Suspect(row, match, judgement.against(last, match), slot));
        } else {
            accept(row, slot, match, paint);
        }
    }

    /** Frames up to the first with texture are left out. */
    private void start(FrameRow row, int slot, List<PlacedFrame> paint) {
        if (!matcher.hasTexture(slot)) {
            row.status = Status.NO_TEXTURE;
            if (part == 0) {
                progress.log(Frames.name(source, row.frame - 1) + ": no texture; the panorama starts later");
            }
            return;
        }
        begin(row, slot, paint);
    }

    /** It is a stretch that another chain left out, between these good frames. */
    void between(FrameRow before, FrameRow after) {
        beginning.between(before, after);
    }

    /** With the first frame: where others know it, or alone. */
    private void begin(FrameRow row, int slot, List<PlacedFrame> paint) {
        first = row.frame - 1;
        row.reference = row.frame;
        row.status = Status.OK;
        row.part = part;
        row.transform = Transform.IDENTITY;
        last = new PlacedFrame(first, slot, Transform.IDENTITY, part);
        alone = true;
        sought = lost.looksAtOnce();
        if (sought && seek(row)) {
            admitFirst(row, paint);
        }
    }

    /** Looks for the first frame among those that others know; where they do, that is its place. */
    private boolean seek(FrameRow row) {
        LostAndFound.Found found = beginning.find(first, last.slot);
        if (found == null) {
            return false;
        }
        part = found.part;
        found.describe(row);
        motion.describe(row, found.step);
        last = new PlacedFrame(first, last.slot, found.place, part);
        links.add(found.link);
        return true;
    }

    // ------------------------------------------------------------- judgement

    /**
     * Three frames, the last good one, the newest suspect and a new one: settles what becomes of the suspects. True if
     * the new one joins them.
     */
    private boolean judge(FrameRow row, int slot, PairMatch toLast, PairMatch toSuspect, List<PlacedFrame> paint) {
        Suspects.Verdict verdict = suspects.judge(last, toLast, toSuspect);
        if (verdict == Suspects.Verdict.JOINED) {
            toSuspect.describe(row);
            suspects.add(new Suspect(row, toSuspect, judgement.against(last, toLast), slot));
            if (suspects.areTheScene()) {
                believe(paint);
            }
            return true;
        }
        settle(verdict, paint);
        return false;
    }

    private void settle(Suspects.Verdict verdict, List<PlacedFrame> paint) {
        if (verdict == Suspects.Verdict.RIGHT) {
            believe(paint);
        } else {
            leaveOut();
        }
    }

    /** The suspects are the odd ones out. */
    private void leaveOut() {
        for (Suspect s : suspects.release()) {
            if (judgement.accepts(last, s.match)) {
                s.row.status = Status.OUTLIER;
                failures.add(s.row);
            }
        }
    }

    /** The suspects are right: the scene has changed, or the first frame was the odd one out. */
    private void believe(List<PlacedFrame> paint) {
        List<Suspect> right = suspects.release();
        if (alone && right.size() > 1) {
            startLater(right.remove(0), paint);
        }
        for (Suspect s : right) {
            accept(s.row, s.slot, s.match, paint);
        }
    }

    private void startLater(Suspect start, List<PlacedFrame> paint) {
        row(last.frame).status = Status.OUTLIER;
        progress.log(Frames.range(last.frame, start.frame - 1) + ": left out, the frames after agree with one another and"
                + " not with frame " + (last.frame + 1) + "; the panorama starts with frame " + start.row.frame);
        start.row.forgetPair();
        begin(start.row, start.slot, paint);
        failures.clear();
    }

    private void accept(FrameRow row, int slot, PairMatch match, List<PlacedFrame> paint) {
        if (alone) {
            meet(paint);
        }
        PlacedFrame item = new PlacedFrame(row.frame - 1, slot, last.transform.multiply(match.step),
                part);
        links.add(match.link(item.frame));
        if (item.frame < next()) {
            late.add(item.frame);
        }
        motion.describe(row, match.step);
        if (item.frame == last.frame + 1) {
            motion.follow(match.step);
        } else {
            failures.close(first, item.frame);
        }
        failures.clear();
        plausibility.add(match.differing);
        admit(row, item, paint);
        last = item;
    }

    /** Another frame agrees with the first one, which is looked for now if it was not before, and painted. */
    private void meet(List<PlacedFrame> paint) {
        if (!sought) {
            sought = true;
            seek(row(first));
        }
        admitFirst(row(first), paint);
    }

    private void admitFirst(FrameRow row, List<PlacedFrame> paint) {
        alone = false;
        admit(row, last, paint);
    }

    private void admit(FrameRow row, PlacedFrame item, List<PlacedFrame> paint) {
        row.order = lost.nextOrder();
        row.transform = item.transform;
        row.part = item.part;
        row.registered = true;
        paint.add(item);
    }

    // -------------------------------------------------------------- failures

    private void fail(FrameRow row, int slot) {
        if (row.status == Status.OK || row.status == Status.JUMP) {
            row.status = matcher.hasTexture(slot) ? Status.JUMP : Status.NO_TEXTURE;
        }
        failures.add(row);
        if (failures.count() > reach) {
            ended = true;
            if (!alone) {
                failures.logEnd(first, last.frame);
            }
        }
    }

    /**
     * No frame follows: says what is missing at the end, if that was not said before.
     *
     * @param paint receives the frames that waited for a witness, and are to be painted
     */
    void finish(List<PlacedFrame> paint) {
        if (suspects.any()) {
            settle(suspects.judgeLast(last, alone), paint);
        }
        if (!ended && failures.any()) {
            failures.closeLast(next() - 1, first, last.frame);
        }
    }

    /** Its only frame, which no other one agrees with, is the panorama. */
    void admitAlone(List<PlacedFrame> paint) {
        if (last != null && alone) {
            admitFirst(row(last.frame), paint);
        }
    }
}
