package endorama.core.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelType;
import endorama.core.mosaic.LivePlace;
import endorama.core.mosaic.LiveSession;
import endorama.core.options.Commands;
import endorama.core.options.MosaicParameters;
import endorama.core.transforms.DemoSequence;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Frames of a pipe, registered as they come. */
class LiveRunTest {
    private static final int WIDTH = 320;
    private static final int HEIGHT = 240;
    private static final LiveRun.Listener NOBODY = (session, place) -> { };

    private final List<String> lost = new ArrayList<>();
    private final Progress progress = new Progress() {
        @Override
        public void progress(int done, int total) {
        }

        @Override
        public boolean cancelled() {
            return false;
        }

        @Override
        public void log(String line) {
            lost.add(line);
        }
    };

    private LiveSession open(int width, int height, PixelType type) {
        return new LiveSession(width, height, type, null, MosaicParameters.defaults().withThreads(1), Progress.NONE);
    }

    private static LiveFrame frame(int width, int height, Object pixels) {
        return new LiveFrame(width, height, pixels instanceof int[] ? PixelType.RGB32 : PixelType.GREY8, "", System.nanoTime()) {
            @Override
            public Object pixels() throws FrameReadException {
                if (pixels == null) {
                    throw new FrameReadException("damaged");
                }
                return pixels;
            }
        };
    }

    /** Grey frames of the demo as y4m, to and fro, at a rate, into a pipe of the system. */
    private static Thread camera(Pipe pipe, int frames, double rate) throws FrameReadException {
        List<byte[]> grey = new ArrayList<>();
        try (DemoSequence demo = DemoSequence.of(Commands.DEMO.parseMacro("width=" + WIDTH + " height=" + HEIGHT
                + " frames=40 step=5"))) {
            for (int i = 0; i < demo.count(); i++) {
                int[] pixels = (int[]) demo.pixels(i);
                byte[] bytes = new byte[pixels.length];
                for (int k = 0; k < bytes.length; k++) {
                    bytes[k] = (byte) (pixels[k] >> 8);
                }
                grey.add(bytes);
            }
        }
        Thread thread = new Thread(() -> {
            try (OutputStream out = Channels.newOutputStream(pipe.sink())) {
                out.write(("YUV4MPEG2 W" + WIDTH + " H" + HEIGHT + " F25:1 Cmono\n").getBytes());
                long start = System.nanoTime();
                for (int i = 0; i < frames; i++) {
                    long left = start + (long) (i * 1e9 / rate) - System.nanoTime();
                    if (left > 0) {
                        Thread.sleep(left / 1000000, (int) (left % 1000000));
                    }
                    out.write("FRAME\n".getBytes());
                    int at = i % 78;
                    out.write(grey.get(at < 40 ? at : 78 - at));
                }
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "camera");
        thread.setDaemon(true);
        return thread;
    }

    /** What it takes at 25 frames a second; bounds are those of a machine that does much else. */
    @Test
    void latencyAtAFixedRate() throws Exception {
        Pipe pipe = Pipe.open();
        FrameSlot slot = new FrameSlot(false);
        LiveRun run = new LiveRun(slot, this::open, NOBODY, progress);
        new FrameReader(() -> PipeFrames.y4m(Channels.newInputStream(pipe.source())), slot, lost::add).start();
        camera(pipe, 150, 25).start();
        assertNull(run.run(() -> false));
        try (LiveSession session = run.session()) {
            long put = session.counts().put;
            System.out.println(String.format(Locale.ROOT, "live: %d x %d at 25 frames a second: %s; %d of %d dropped", WIDTH, HEIGHT,
                    run.latencies(), slot.dropped(), slot.offered()));
            assertEquals(150, slot.offered());
            assertEquals(150, put + slot.dropped());
            assertTrue(run.latencies().quantile(0.5) < 200, run.latencies().toString());
            assertTrue(run.latencies().quantile(0.99) < 2000, run.latencies().toString());
            assertTrue(slot.dropped() < 75, slot.dropped() + " dropped");
            assertTrue(session.counts().kept > 3 && session.counts().lost == 0);
        }
        assertEquals(0, lost.size(), lost.toString());
    }

    /** More than any machine registers comes: frames are dropped, and latency stays that of one or two frames. */
    @Test
    void framesThatComeTooFastAreDropped() throws Exception {
        Pipe pipe = Pipe.open();
        FrameSlot slot = new FrameSlot(false);
        LiveRun run = new LiveRun(slot, this::open, (session, place) -> {
            try {
                Thread.sleep(10);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, progress);
        new FrameReader(() -> PipeFrames.y4m(Channels.newInputStream(pipe.source())), slot, lost::add).start();
        camera(pipe, 200, 1000).start();
        assertNull(run.run(() -> false));
        try (LiveSession session = run.session()) {
            assertEquals(200, session.counts().put + slot.dropped());
            assertTrue(slot.dropped() > 50, slot.dropped() + " dropped");
        }
    }

    @Test
    void itEndsWhenItIsToldOrNothingComes() throws Exception {
        FrameSlot slot = new FrameSlot(false);
        LiveRun told = new LiveRun(slot, this::open, NOBODY, progress);
        assertNull(told.run(() -> true));
        assertNull(told.session());
        long start = System.nanoTime();
        LiveRun idle = new LiveRun(new FrameSlot(false), this::open, NOBODY, progress).idle(0.2);
        assertNull(idle.run(() -> false));
        assertEquals(0.2, (System.nanoTime() - start) / 1e9, 1);
        FrameSlot one = new FrameSlot(false);
        one.offer(frame(64, 48, new byte[64 * 48]));
        LiveRun seconds = new LiveRun(one, this::open, NOBODY, progress).seconds(0.1);
        assertNull(seconds.run(() -> false));
        assertNotNull(seconds.session());
        seconds.session().close();
    }

    @Test
    void framesThatCannotBeUsedAreSaid() throws Exception {
        FrameSlot slot = new FrameSlot(true);
        List<LivePlace> places = new ArrayList<>();
        LiveRun run = new LiveRun(slot, this::open, (session, place) -> places.add(place), progress);
        Thread offering = new Thread(() -> {
            try {
                slot.offer(frame(64, 48, new byte[64 * 48]));
                slot.offer(frame(64, 48, null));
                slot.offer(frame(64, 50, new byte[64 * 50]));
                slot.offer(frame(64, 48, new int[64 * 48]));
                slot.offer(frame(64, 48, new byte[64 * 48]));
                slot.end(new StreamException("after 5 frames something else comes"));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        offering.start();
        Exception ended = run.run(() -> false);
        assertEquals("after 5 frames something else comes", ended.getMessage());
        assertEquals(2, places.size());
        assertEquals(2, lost.size(), lost.toString());
        assertEquals("damaged", lost.get(0));
        assertTrue(lost.get(1).contains("64 x 50, 8-bit grey"), lost.get(1));
        run.session().close();
    }

    /** While the session opens frames come: the newest of them is the first one. */
    @Test
    void theFirstFrameIsNotStale() throws Exception {
        FrameSlot slot = new FrameSlot(false);
        List<LivePlace> places = new ArrayList<>();
        slot.offer(frame(64, 48, null));
        LiveRun run = new LiveRun(slot, (width, height, type) -> {
            try {
                slot.offer(frame(64, 48, null));
                slot.offer(frame(64, 48, new byte[64 * 48]));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            slot.end(null);
            return open(width, height, type);
        }, (session, place) -> places.add(place), progress);
        assertNull(run.run(() -> false));
        assertEquals(1, places.size());
        assertEquals(2, slot.dropped());
        assertTrue(lost.isEmpty(), lost.toString());
        run.session().close();
    }

    /** What Java cannot go on after leaves nothing open. */
    @Test
    void anErrorClosesTheSession() throws Exception {
        FrameSlot slot = new FrameSlot(false);
        slot.offer(frame(64, 48, new byte[64 * 48]));
        LiveRun run = new LiveRun(slot, this::open, (session, place) -> {
            throw new OutOfMemoryError("injected");
        }, progress);
        assertThrows(OutOfMemoryError.class, () -> run.run(() -> false));
        assertThrows(IllegalStateException.class, () -> run.session().counts());
        assertFalse(slot.offer(frame(64, 48, new byte[64 * 48])));
    }

    @Test
    void withoutAnyFrameTheFailureIsThrown() {
        FrameSlot slot = new FrameSlot(false);
        StreamException because = new StreamException("it is empty");
        slot.end(because);
        assertSame(because, assertThrows(IOException.class,
                () -> new LiveRun(slot, this::open, NOBODY, progress).run(() -> false)));
        FrameSlot bad = new FrameSlot(false);
        assertThrows(IllegalArgumentException.class, () -> {
            bad.offer(frame(64, 48, new byte[64 * 48]));
            new LiveRun(bad, (width, height, type) -> {
                throw new IllegalArgumentException("field");
            }, NOBODY, progress).run(() -> false);
        });
    }
}
