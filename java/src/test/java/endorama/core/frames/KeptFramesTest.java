package endorama.core.frames;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Frames that are kept instead of read again. */
class KeptFramesTest {
    private static final int BYTES = 6;

    /** Counts what is asked for; frame 4 fails when it is asked for first. */
    private static final class Asked implements FrameSource {
        final List<Integer> read = new ArrayList<Integer>();
        final List<Integer> back = new ArrayList<Integer>();
        int[] expected = {};
        private final boolean keepable;

        Asked(boolean keepable) {
            this.keepable = keepable;
        }

        @Override
        public int count() {
            return 10;
        }

        @Override
        public int width() {
            return 3;
        }

        @Override
        public int height() {
            return 2;
        }

        @Override
        public PixelType type() {
            return PixelType.GREY8;
        }

        @Override
        public String label(int index) {
            return "";
        }

        @Override
        public boolean mayBeKept() {
            return keepable;
        }

        @Override
        public Object pixels(int index) throws FrameReadException {
            read.add(index);
            if (index == 4 && read.indexOf(4) == read.size() - 1) {
                throw new FrameReadException("not now");
            }
            byte[] pixels = new byte[BYTES];
            Arrays.fill(pixels, (byte) index);
            return pixels;
        }

        @Override
        public void giveBack(int index, Object pixels) {
            back.add(index);
        }

        @Override
        public void expect(int[] frames) {
            expected = frames;
        }
    }

    @Test
    void theFirstOnesAreKept() throws FrameReadException {
        Asked asked = new Asked(true);
        KeptFrames kept = new KeptFrames(asked, 3 * BYTES + 5);
        Object[] first = new Object[4];
        for (int i = 0; i < 4; i++) {
            assertFalse(kept.isAtHand(i));
            first[i] = kept.pixels(i);
            kept.giveBack(i, first[i]);
            assertEquals(i < 3, kept.isAtHand(i));
        }
        for (int i = 0; i < 3; i++) {
            assertSame(first[i], kept.pixels(i));
        }
        assertArrayEquals(new byte[] {3, 3, 3, 3, 3, 3}, (byte[]) kept.pixels(3));
        assertEquals(Arrays.asList(0, 1, 2, 3, 3), asked.read);
        assertEquals(Arrays.asList(3), asked.back, "what is kept is not given back");
    }

    @Test
    void whatFailedIsReadAgain() throws FrameReadException {
        KeptFrames kept = new KeptFrames(new Asked(true), 100 * BYTES);
        assertThrows(FrameReadException.class, () -> kept.pixels(4));
        assertFalse(kept.isAtHand(4));
        kept.pixels(4);
        assertTrue(kept.isAtHand(4));
    }

    @Test
    void nothingIsKeptOfArraysThatMayChange() throws FrameReadException {
        Asked asked = new Asked(false);
        KeptFrames kept = new KeptFrames(asked, 100 * BYTES);
        kept.pixels(0);
        kept.giveBack(0, kept.pixels(0));
        assertEquals(Arrays.asList(0, 0), asked.read);
        assertEquals(Arrays.asList(0), asked.back);
    }

    @Test
    void onlyWhatIsMissingIsExpected() throws FrameReadException {
        Asked asked = new Asked(true);
        KeptFrames kept = new KeptFrames(asked, 100 * BYTES);
        kept.pixels(2);
        kept.expect(new int[] {1, 2, 3});
        assertArrayEquals(new int[] {1, 3}, asked.expected);
    }
}
