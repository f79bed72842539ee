package endorama.core.mosaic;

import static endorama.core.mosaic.TestRuns.run;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelType;
import endorama.core.frames.TestFrames;
import endorama.core.options.MosaicParameters;
import endorama.core.paint.Panorama;
import endorama.core.mosaic.FrameRow.Status;
import endorama.core.transforms.DemoSequence;
import endorama.core.transforms.Drift;
import endorama.core.transforms.Transform;
import endorama.jni.NativeDemo;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class MosaicSessionTest {
    private static final int W = 360;
    private static final int H = 288;

    private static String log(MosaicResult result) {
        return String.join("\n", result.log());
    }

    @Test
    void demoIsRegisteredAndPainted() throws FrameReadException {
        TestFrames frames = TestFrames.demo(W, H, 20, 1);
        MosaicResult result = run(frames);
        assertEquals(20, result.registered());
        Drift drift = Drift.of(result.saved(), frames.truth(), W, H);
        assertTrue(drift.meanPairError() <= 0.5, "pair error " + drift.meanPairError());
        assertTrue(drift.maxPairError() <= 1, "pair error " + drift.maxPairError());
        Panorama p = result.panorama();
        assertEquals(p.width() * p.height(), ((int[]) p.pixels()).length);
        int middle = (p.originY() + H / 2) * p.width() + p.originX() + W / 2;
        assertEquals(-1, p.painted()[middle]);
        assertEquals(0xff, ((int[]) p.pixels())[middle] >>> 24);
        assertTrue(result.meanQuality() > 0.5);
        assertTrue(result.computed() > 0 && result.reused() > 0);
        assertTrue(result.field().startsWith("circle"));
    }

    @Test
    void sameFramesGiveTheSameBytesWithAnyNumberOfThreads() throws FrameReadException {
        TestFrames frames = TestFrames.demo(W, H, 8, 3);
        MosaicResult one = run(frames, MosaicParameters.defaults().withThreads(1));
        MosaicResult many = run(frames, MosaicParameters.defaults().withThreads(4));
        assertEquals(one.transforms(), many.transforms());
        assertArrayEquals((int[]) one.panorama().pixels(), (int[]) many.panorama().pixels());
    }

    @Test
    void sixteenBitIsScaledByItsOwnRange() throws FrameReadException {
        TestFrames frames = TestFrames.demo(W, H, 8, 1);
        MosaicResult result = run(frames.grey16());
        assertEquals(8, result.registered());
        assertTrue(Drift.of(result.saved(), frames.truth(), W, H).meanPairError() <= 0.5);
        assertTrue(result.panorama().pixels() instanceof short[]);
    }

    /** Every other frame dark, the others clipped: the shift between exposures starts the searches near their results. */
    @Test
    void jumpsOfBrightnessAreBridged() throws FrameReadException {
        NativeDemo.Options options = new NativeDemo.Options();
        options.width = W;
        options.height = H;
        options.step = 9;
        options.rotation = 0;
        options.zoom = 0;
        TestFrames frames = TestFrames.demo(options, 12);
        for (int i = 0; i < 12; i++) {
            frames.set(i, exposed((int[]) frames.get(i), i % 2 == 0 ? 0.3 : 2.2));
        }
        MosaicParameters parameters = MosaicParameters.defaults().with("initial", "Exposures");
        MosaicResult result = run(frames, parameters);
        assertEquals(12, result.registered(), log(result));
        assertTrue(Drift.of(result.saved(), frames.truth(), W, H).maxPairError() <= 0.5);
        assertTrue(result.computed() < run(frames, parameters.with("initial", "None")).computed());
        assertEquals(result.transforms(), run(frames, parameters.withThreads(1)).transforms());
    }

    /** A scope that rolls by up to 15 degrees from frame to frame, and comes closer. */
    @Test
    void largeTurnsAreBridged() throws FrameReadException {
        NativeDemo.Options options = new NativeDemo.Options();
        options.width = W;
        options.height = H;
        options.frames = 24;
        options.step = 8;
        options.rotation = 60;
        options.zoom = 30;
        TestFrames frames = TestFrames.demo(options, 6);
        MosaicResult flow = run(frames, MosaicParameters.defaults().with("method", "Paper"));
        assertTrue(flow.registered() <= 2, log(flow));
        MosaicResult result = run(frames, MosaicParameters.defaults().with("initial", "Fourier"));
        assertEquals(6, result.registered(), log(result));
        Drift drift = Drift.of(result.saved(), frames.truth(), W, H);
        assertTrue(drift.maxPairError() <= 1.5, "pair error " + drift.maxPairError());
        assertTrue(result.meanQuality() > 0.7, "quality " + result.meanQuality());
    }

    private static int[] exposed(int[] colours, double gain) {
        int[] exposed = new int[colours.length];
        for (int i = 0; i < colours.length; i++) {
            int r = (int) Math.min(255, (colours[i] >> 16 & 255) * gain);
            int g = (int) Math.min(255, (colours[i] >> 8 & 255) * gain);
            int b = (int) Math.min(255, (colours[i] & 255) * gain);
            exposed[i] = 0xff000000 | r << 16 | g << 8 | b;
        }
        return exposed;
    }

    @Test
    void chainGoesOnAfterBlackFrames() throws FrameReadException {
        TestFrames frames = TestFrames.demo(W, H, 14, 1).set(5, new int[W * H]).set(6, new int[W * H]);
        MosaicResult result = run(frames);
        assertEquals(12, result.registered());
        assertEquals(Status.NO_TEXTURE, result.rows().get(5).status);
        assertEquals(Status.NO_TEXTURE, result.rows().get(6).status);
        assertFalse(result.rows().get(5).registered);
        assertEquals(5, result.rows().get(7).reference);
        assertTrue(log(result).contains("frames 6-7 left out (frame 6: no texture); tracking from frame 1 goes on with"
                + " frame 8"), log(result));
        assertTrue(Drift.of(result.saved(), frames.truth(), W, H).maxPairError() <= 1);
        double predicted = Drift.rms(result.rows().get(5).transform, frames.truth().get(6), W, H);
        assertTrue(predicted < 6, "the motion goes on: " + predicted);
    }

    @Test
    void blackStartIsSkipped() throws FrameReadException {
        TestFrames demo = TestFrames.demo(W, H, 6, 1);
        TestFrames frames = new TestFrames(W, H, PixelType.RGB32).add(new int[W * H]).addAll(demo);
        MosaicResult result = run(frames);
        assertEquals(6, result.registered());
        assertEquals(Status.NO_TEXTURE, result.rows().get(0).status);
        assertEquals(Transform.IDENTITY, result.rows().get(1).transform);
    }

    /** Two scenes make two panoramas, equal to those made alone; the larger one is the first. */
    @Test
    void jumpBeginsAnotherPanorama() throws FrameReadException {
        TestFrames frames = TestFrames.demo(W, H, 10, 1).addAll(TestFrames.demo(W, H, 15, 99));
        // A common field, because it is detected in the frames of a sequence.
        byte[] mask = new byte[W * H];
        for (int y = 60; y < 230; y++) {
            java.util.Arrays.fill(mask, y * W + 90, y * W + 270, (byte) 1);
        }
        // A common light.
        MosaicParameters field = MosaicParameters.defaults().with("field", "Selection").with("light", "None")
                .withSelection(mask);
        MosaicResult result = run(frames, field);
        assertEquals(25, result.registered(), log(result));
        assertFalse(result.cancelled());
        assertEquals(2, result.panoramas().size());
        MosaicResult[] alone = {run(TestFrames.demo(W, H, 15, 99), field), run(TestFrames.demo(W, H, 10, 1), field)};
        for (int part = 1; part <= 2; part++) {
            assertArrayEquals((int[]) alone[part - 1].panorama().pixels(),
                    (int[]) result.panoramas().get(part - 1).pixels());
        }
        for (FrameRow row : result.rows()) {
            boolean first = row.frame <= 10;
            assertEquals(first ? 2 : 1, row.part);
            assertEquals(alone[row.part - 1].rows().get(first ? row.frame - 1 : row.frame - 11).transform, row.transform);
        }
        assertTrue(log(result).contains("tracking from frame 1 lost at frame 11 ("), log(result));
    }

    @Test
    void identicalFramesDoNotMove() throws FrameReadException {
        TestFrames one = TestFrames.demo(W, H, 1, 1);
        TestFrames frames = new TestFrames(W, H, PixelType.RGB32);
        for (int i = 0; i < 6; i++) {
            frames.add(one.get(0));
        }
        MosaicResult result = run(frames);
        assertEquals(6, result.registered());
        double drift = Drift.rms(Transform.IDENTITY, result.rows().get(5).transform, W, H);
        assertTrue(drift < 0.5, "drift after five pairs " + drift);
    }

    @Test
    void spoiltFramesAreSkippedAndNamed() throws FrameReadException {
        TestFrames frames = TestFrames.demo(W, H, 10, 1).set(3, null).set(6, new int[17]);
        MosaicResult result = run(frames);
        assertEquals(8, result.registered());
        assertEquals(Status.SKIPPED, result.rows().get(3).status);
        assertEquals(Status.SKIPPED, result.rows().get(6).status);
        assertEquals(3, result.rows().get(4).reference);
        assertTrue(log(result).contains("frame 4 (f4): spoilt"), log(result));
        assertTrue(log(result).contains("frame 7 (f7): has 17 pixels"), log(result));
    }

    @Test
    void nothingToFollowIsReportedNotThrown() throws FrameReadException {
        TestFrames frames = new TestFrames(W, H, PixelType.GREY8);
        for (int i = 0; i < 5; i++) {
            frames.add(new byte[W * H]);
        }
        MosaicResult result = run(frames);
        assertEquals(0, result.registered());
        assertNull(result.panorama());
        assertEquals(5, result.rows().size());
    }

    @Test
    void oneFrameIsNoSequence() {
        FrameReadException e = assertThrows(FrameReadException.class, () -> run(TestFrames.demo(W, H, 1, 1)));
        assertTrue(e.getMessage().contains("at least 2 frames"));
    }

    @Test
    void templateMustFitIntoTheField() {
        MosaicParameters p = MosaicParameters.defaults().with("template", 255);
        TestFrames small = TestFrames.demo(240, 200, 3, 1);
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> run(small, p));
        assertTrue(e.getMessage().startsWith("template 255: larger than the field of view"), e.getMessage());
    }

    @Test
    void selectionIsUsedAndChecked() throws FrameReadException {
        TestFrames frames = TestFrames.demo(W, H, 3, 1);
        MosaicParameters p = MosaicParameters.defaults().with("field", "Selection");
        assertThrows(IllegalArgumentException.class, () -> run(frames, p));
        assertThrows(IllegalArgumentException.class, () -> run(frames, p.withSelection(new byte[3])));
        assertThrows(IllegalArgumentException.class, () -> run(frames, p.withSelection(new byte[W * H])));
        byte[] mask = new byte[W * H];
        for (int y = 60; y < 220; y++) {
            java.util.Arrays.fill(mask, y * W + 100, y * W + 260, (byte) 1);
        }
        MosaicResult result = run(frames, p.withSelection(mask));
        assertEquals(3, result.registered());
        assertTrue(result.panorama().width() < 200);
    }

    @Test
    void limitStopsPaintingNotRegistration() throws FrameReadException {
        NativeDemo.Options o = new NativeDemo.Options();
        o.width = 900;
        o.height = 900;
        o.frames = 40;
        o.step = 20;
        o.rotation = 0;
        MosaicParameters p = MosaicParameters.defaults().with("max_canvas", 1);
        try (DemoSequence demo = new DemoSequence(o)) {
            MosaicResult result = run(demo, p);
            Panorama panorama = result.panorama();
            assertTrue((long) panorama.width() * panorama.height() <= 1000000);
            assertTrue(log(result).contains("max_canvas"), log(result));
            assertEquals(40, result.rows().size());
            assertTrue(result.registered() > 30, "registered " + result.registered());
        }
    }

    @Test
    void cancelKeepsWhatIsDone() throws FrameReadException {
        final AtomicInteger done = new AtomicInteger();
        Progress stopsEarly = new Progress() {
            @Override
            public void progress(int n, int total) {
                assertTrue(n >= done.get());
                done.set(n);
            }

            @Override
            public boolean cancelled() {
                return done.get() >= 5;
            }

            @Override
            public void log(String line) {
            }
        };
        MosaicResult result = new MosaicSession(TestFrames.demo(W, H, 40, 1), MosaicParameters.defaults(), stopsEarly)
                .run();
        assertTrue(result.cancelled());
        assertEquals(done.get(), result.rows().size());
        assertEquals(done.get(), result.registered());
        assertNotNull(result.panorama());
    }

    /** Unwatched painting along the chain is postponed until it is needed: the picture is the same. */
    @Test
    void whatWaitsIsPaintedWhenARunIsCancelled() throws FrameReadException {
        TestFrames frames = TestFrames.demo(W, H, 40, 1);
        final AtomicInteger seen = new AtomicInteger();
        MosaicResult watched = new MosaicSession(frames, MosaicParameters.defaults(), stoppingAt(5),
                snapshot -> seen.incrementAndGet()).run();
        MosaicResult alone = new MosaicSession(frames, MosaicParameters.defaults(), stoppingAt(5)).run();
        assertTrue(seen.get() > 0);
        assertTrue(watched.cancelled() && alone.cancelled());
        assertEquals(watched.registered(), alone.registered());
        assertArrayEquals((int[]) watched.panorama().pixels(), (int[]) alone.panorama().pixels());
        assertArrayEquals(watched.panorama().painted(), alone.panorama().painted());
    }

    private static Progress stoppingAt(int frames) {
        final AtomicInteger done = new AtomicInteger();
        return new Progress() {
            @Override
            public void progress(int n, int total) {
                done.set(n);
            }

            @Override
            public boolean cancelled() {
                return done.get() >= frames;
            }

            @Override
            public void log(String line) {
            }
        };
    }

    @Test
    void listenerSeesThePanoramaGrow() throws FrameReadException {
        final AtomicInteger seen = new AtomicInteger();
        new MosaicSession(TestFrames.demo(W, H, 60, 1), MosaicParameters.defaults(), Progress.NONE,
                new MosaicListener() {
                    @Override
                    public void panorama(Supplier<Panorama> snapshot) {
                        assertTrue(snapshot.get().width() >= W / 2);
                        seen.incrementAndGet();
                    }
                }).run();
        assertTrue(seen.get() >= 2);
    }
}
