package endorama.core.mosaic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelType;
import endorama.core.frames.TestFrames;
import endorama.core.options.Commands;
import endorama.core.options.MosaicParameters;
import endorama.core.options.Ranges;
import endorama.core.paint.Panorama;
import endorama.core.transforms.Drift;
import endorama.core.transforms.Rect;
import endorama.core.transforms.Transform;
import endorama.core.transforms.Transforms;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Quality, sweep, apply, drift. */
class AnalysisTest {
    @TempDir
    Path folder;
    private static final int W = 360;
    private static final int H = 288;

    @Test
    void truthIsBetterThanNoMotion() throws FrameReadException {
        TestFrames frames = TestFrames.demo(W, H, 10, 1);
        Transforms still = new Transforms();
        for (int i = 1; i <= 10; i++) {
            still.put(i, Transform.IDENTITY, true);
        }
        Quality good = Quality.measure(frames, frames.truth(), 2, MosaicParameters.defaults(), Progress.NONE);
        Quality bad = Quality.measure(frames, still, 2, MosaicParameters.defaults(), Progress.NONE);
        assertEquals(8, good.rows().size());
        assertEquals(3, good.rows().get(0).frame);
        assertEquals(1, good.rows().get(0).reference);
        assertTrue(good.mean() > bad.mean() + 0.1, good.mean() + " against " + bad.mean());
    }

    @Test
    void qualityLeavesOutWhatCannotBeRead() throws FrameReadException {
        TestFrames frames = TestFrames.demo(W, H, 6, 1).set(2, null);
        assertEquals(3, Quality.measure(frames, frames.truth(), 1, MosaicParameters.defaults(), Progress.NONE)
                .rows().size());
    }

    @Test
    void sweepNamesTheBest() throws FrameReadException {
        TestFrames frames = TestFrames.demo(W, H, 4, 1);
        MosaicParameters p = MosaicParameters.of(Commands.SWEEP.defaults()).with("method", "Paper");
        Sweep sweep = Sweep.run(frames, "template=3,31 cthresh=0.85", p, Progress.NONE);
        double worse = sweep.rows().get(0).meanQuality();
        double better = sweep.rows().get(1).meanQuality();
        String best = better > worse ? "template=31" : "template=3";
        assertTrue(sweep.best().startsWith("best quality with " + best + " cthresh=0.85: 0."), sweep.best());
    }

    @Test
    void sweepRunsEveryCombination() throws FrameReadException {
        TestFrames frames = TestFrames.demo(W, H, 5, 1);
        MosaicParameters p = MosaicParameters.of(Commands.SWEEP.defaults());
        Sweep sweep = Sweep.run(frames, "template=15-19:2 cthresh=0.8-0.9:0.05 cross=2,4", p, Progress.NONE);
        assertEquals(18, sweep.rows().size());
        assertEquals("[template, cthresh, cross, quality, pairs, ok, computed, reused, time_ms]",
                sweep.columns().toString());
        for (Sweep.Row row : sweep.rows()) {
            assertEquals(4, row.pairs);
            assertTrue(row.computed > 0 && row.meanQuality() > 0.3);
        }
        assertEquals(0.9, (Double) sweep.rows().get(17).options.get("cthresh"), 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "iir=1-3", "template", "template=", "template=a", "template=31-15", "template=15-31:0",
        "template=15 template=17", "template=15-31:2:3", "cthresh=0-1:0.000001"})
    void badRangesAreErrors(String ranges) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> Ranges.combinations(ranges));
        assertTrue(e.getMessage().startsWith("ranges"), e.getMessage());
    }

    @Test
    void rangesHitTheirEnd() {
        List<Map<String, Object>> all = Ranges.combinations("cthresh=0.70-0.90:0.05");
        assertEquals(5, all.size());
        assertEquals(0.9, (Double) all.get(4).get("cthresh"), 0);
        assertEquals(-0.5, (Double) Ranges.combinations("cthresh=-0.5-0.5:0.5").get(0).get("cthresh"), 0);
    }

    @Test
    void combinationsAreCounted() {
        assertEquals(20000, Ranges.combinations("uthresh=1-200 cthresh=0.01-1:0.01").size());
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
                () -> Ranges.combinations("uthresh=1-201 cthresh=0.01-1:0.01"));
        assertEquals("ranges: 20100 combinations and more; at most 20000", e.getMessage());
    }

    @Test
    void sweepChecksValues() {
        TestFrames frames = TestFrames.demo(W, H, 3, 1);
        MosaicParameters p = MosaicParameters.of(Commands.SWEEP.defaults());
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
                () -> Sweep.run(frames, "template=16-20:2", p, Progress.NONE));
        assertTrue(e.getMessage().contains("template 16"), e.getMessage());
    }

    @Test
    void appliedTransformsPaintTheSamePanorama() throws FrameReadException {
        TestFrames frames = TestFrames.demo(W, H, 9, 1);
        MosaicParameters union = MosaicParameters.defaults().with("painting", "Union");
        MosaicResult result = new MosaicSession(frames, union, Progress.NONE).run();
        MosaicParameters p = MosaicParameters.of(Commands.APPLY.defaults()).with("painting", "Union");
        Panorama again = new ApplyTransforms(frames, result.saved(), p, Progress.NONE).panorama();
        assertArrayEquals((int[]) result.panorama().pixels(), (int[]) again.pixels());
        assertEquals(result.panorama().originX(), again.originX());
    }

    /** Applies with so little memory that the panorama goes to the disk. */
    private static Panorama onDisk(ApplyTransforms apply) throws FrameReadException {
        System.setProperty(Engine.MEMORY, "1");
        try {
            return apply.panorama();
        } finally {
            System.clearProperty(Engine.MEMORY);
        }
    }

    /** Apply uses the light, weights and extra pictures of the mosaic; bands and the disk change nothing. */
    @ParameterizedTest
    @ValueSource(strings = {"Even", "None"})
    void appliedTransformsBlendTheSamePanorama(String light) throws Exception {
        TestFrames frames = TestFrames.demo(W, H, 9, 1);
        MosaicParameters blend = MosaicParameters.defaults().with("extra", "Both").with("light", light)
                .with("scale", 0.8);
        MosaicResult result = new MosaicSession(frames, blend, Progress.NONE).run();
        assertEquals(0, result.doubtful());
        MosaicParameters p = MosaicParameters.of(Commands.APPLY.defaults()).with("extra", "Both").with("light", light)
                .with("scale", 0.8);
        Panorama wanted = result.panorama();
        try (Panorama again = new ApplyTransforms(frames, result.saved(), p, Progress.NONE).panorama();
                Panorama onDisk = onDisk(new ApplyTransforms(frames, result.saved(), p.withScratch(folder.toFile()),
                        Progress.NONE))) {
            for (Panorama applied : new Panorama[] {again, onDisk}) {
                assertArrayEquals((int[]) wanted.pixels(), (int[]) applied.pixels());
                assertArrayEquals(wanted.coverage(), applied.coverage());
                assertArrayEquals(wanted.uncertainty(), applied.uncertainty());
                assertEquals(wanted.transform(), applied.transform());
            }
        }
        assertEquals(0, folder.toFile().list().length);
    }

    /** A doubtful frame counts little beside others, as in the mosaic that saved it. */
    @Test
    void doubtfulFramesCountLittle() throws Exception {
        TestFrames frames = TestFrames.demo(W, H, 5, 1);
        Transforms transforms = frames.truth();
        MosaicParameters p = MosaicParameters.of(Commands.APPLY.defaults()).with("light", "None");
        int[][] pixels = new int[2][];
        for (int doubtful = 0; doubtful < 2; doubtful++) {
            transforms.put(3, new Transforms.Solution(transforms.get(3), 0, false, doubtful == 1));
            try (Panorama applied = new ApplyTransforms(frames, transforms, p, Progress.NONE).panorama()) {
                pixels[doubtful] = (int[]) applied.pixels();
            }
        }
        assertFalse(Arrays.equals(pixels[0], pixels[1]));
    }

    /** Frames are not cropped; where they overlap the first frame, the pixels are those of frames in its size. */
    @Test
    void alignedFramesMayShowAll() throws FrameReadException {
        TestFrames frames = TestFrames.demo(W, H, 5, 1);
        MosaicParameters frame = MosaicParameters.of(Commands.APPLY.defaults());
        Rect all = new Rect(0, 0, W, H);
        for (int i = 1; i <= 5; i++) {
            Rect one = new Rect(0, 0, W, H).transformed(frames.truth().get(i));
            all = new Rect(Math.min(all.left, one.left), Math.min(all.top, one.top), Math.max(all.right, one.right),
                    Math.max(all.bottom, one.bottom));
        }
        try (AppliedFrames small = new ApplyTransforms(frames, frames.truth(), frame, Progress.NONE).frames();
                AppliedFrames large = new ApplyTransforms(frames, frames.truth(), frame.with("extent", "All"),
                        Progress.NONE).frames()) {
            assertEquals(W, small.width());
            assertEquals(all.width(), large.width());
            assertEquals(all.height(), large.height());
            assertTrue(large.width() > W && large.originX() == -all.left && large.originY() == -all.top);
            int[] cut = (int[]) small.pixels(4);
            int[] whole = (int[]) large.pixels(4);
            int more = 0;
            for (int i = 0; i < whole.length; i++) {
                int x = i % large.width() - large.originX();
                int y = i / large.width() - large.originY();
                boolean inside = x >= 0 && y >= 0 && x < W && y < H;
                assertEquals(inside ? cut[y * W + x] : whole[i], whole[i]);
                more += !inside && (whole[i] & 0xffffff) != 0 ? 1 : 0;
            }
            assertTrue(more > 100, "pixels " + more);
        }
        Transforms wild = new Transforms();
        wild.put(1, Transform.IDENTITY, true);
        wild.put(2, Transform.translation(40000, 40000), true);
        String message = assertThrows(IllegalArgumentException.class, () -> new ApplyTransforms(frames, wild,
                frame.with("extent", "All"), Progress.NONE).frames()).getMessage();
        assertTrue(message.startsWith("extent All: with frame 2 the frames take 40"), message);
        assertTrue(message.endsWith("max_canvas allows 1000 megapixels"), message);
    }

    @Test
    void alignedFramesStandStill() throws FrameReadException {
        TestFrames frames = TestFrames.demo(W, H, 6, 1);
        MosaicParameters p = MosaicParameters.of(Commands.APPLY.defaults());
        TestFrames still = new TestFrames(W, H, PixelType.RGB32);
        try (AppliedFrames aligned = new ApplyTransforms(frames, frames.truth(), p, Progress.NONE).frames()) {
            assertEquals(6, aligned.count());
            for (int i = 0; i < aligned.count(); i++) {
                still.add(aligned.pixels(i));
            }
        }
        MosaicResult result = new MosaicSession(still, MosaicParameters.defaults(), Progress.NONE).run();
        assertTrue(Drift.rms(Transform.IDENTITY, result.rows().get(3).transform, W, H) < 2);
    }

    @Test
    void alignedFramesThatCannotBeReadAreBlack() throws FrameReadException {
        TestFrames frames = TestFrames.demo(W, H, 4, 1).set(2, null);
        Transforms transforms = frames.truth();
        transforms.put(2, transforms.get(2), false);
        MosaicParameters p = MosaicParameters.of(Commands.APPLY.defaults());
        try (AppliedFrames aligned = new ApplyTransforms(frames, transforms, p, Progress.NONE).frames()) {
            assertEquals(3, aligned.count());
            assertEquals(3, aligned.number(1));
            for (int i = 0; i < 3; i++) {
                boolean black = java.util.Arrays.stream((int[]) aligned.pixels(i)).allMatch(v -> (v & 0xffffff) == 0);
                assertEquals(i == 1, black, "frame " + aligned.number(i));
            }
            assertEquals(1, aligned.unreadable());
        }
    }

    @Test
    void transformsOfAnotherSequenceAreAnError() {
        Transforms late = new Transforms();
        late.put(50, Transform.IDENTITY, true);
        TestFrames frames = TestFrames.demo(W, H, 3, 1);
        assertThrows(FrameReadException.class,
                () -> new ApplyTransforms(frames, late, MosaicParameters.defaults(), Progress.NONE).panorama());
    }

    @Test
    void driftOfAKnownError() {
        Transforms truth = new Transforms();
        Transforms found = new Transforms();
        for (int i = 1; i <= 3; i++) {
            truth.put(i, Transform.translation(10 * i, 0), true);
            found.put(i, Transform.translation(10 * i, i), true);
        }
        Drift drift = Drift.of(found, truth, 100, 50);
        assertEquals(1, drift.meanPairError(), 1e-9);
        assertEquals(2, drift.lastDrift(), 1e-9);
        assertEquals(Math.sqrt(2.5), drift.driftRms(), 1e-9);
    }
}
