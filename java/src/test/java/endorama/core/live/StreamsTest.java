package endorama.core.live;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelType;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Bytes of pipes as frames. */
class StreamsTest {
    private static byte[] bytes(Object... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (Object part : parts) {
            if (part instanceof String) {
                byte[] text = ((String) part).getBytes(StandardCharsets.ISO_8859_1);
                all.write(text, 0, text.length);
            } else {
                all.write((Integer) part);
            }
        }
        return all.toByteArray();
    }

    private static PipeFrames y4m(Object... parts) throws IOException {
        return PipeFrames.y4m(new ByteArrayInputStream(bytes(parts)));
    }

    private static PipeFrames raw(String format, String size, Object... parts) throws IOException {
        return PipeFrames.raw(new ByteArrayInputStream(bytes(parts)), format, size);
    }

    private static int[] colours(PipeFrames frames) throws IOException {
        return ((int[]) frames.next().pixels()).clone();
    }

    private static void assertColour(int red, int green, int blue, int colour) {
        assertEquals(red, colour >> 16 & 255, 1, Integer.toHexString(colour));
        assertEquals(green, colour >> 8 & 255, 1, Integer.toHexString(colour));
        assertEquals(blue, colour & 255, 1, Integer.toHexString(colour));
        assertEquals(255, colour >>> 24);
    }

    /** Levels of BT.601: red, green, blue, white and black, as the standard gives them. */
    @Test
    void coloursOfLimitedRange() throws IOException {
        int[] got = colours(y4m("YUV4MPEG2 W5 H1 F25:1 C444\nFRAME\n", 81, 145, 41, 235, 16, 90, 54, 240, 128, 128, 240, 34,
                110, 128, 128));
        assertColour(255, 0, 0, got[0]);
        assertColour(0, 255, 0, got[1]);
        assertColour(0, 0, 255, got[2]);
        assertColour(255, 255, 255, got[3]);
        assertColour(0, 0, 0, got[4]);
    }

    /** A frame of 720 rows is in BT.709. */
    @Test
    void tallFramesAreBt709() throws IOException {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        stream.write(bytes("YUV4MPEG2 H720 W1 C444\nFRAME\n"));
        for (int level : new int[] {63, 102, 240}) {
            byte[] plane = new byte[720];
            Arrays.fill(plane, (byte) level);
            stream.write(plane);
        }
        int[] got = colours(PipeFrames.y4m(new ByteArrayInputStream(stream.toByteArray())));
        assertColour(255, 0, 0, got[719]);
    }

    @Test
    void fullRangeStaysAsItIs() throws IOException {
        int[] got = colours(y4m("YUV4MPEG2 W2 H1 C444 XYSCSS=444 XCOLORRANGE=FULL\nFRAME\n", 0, 201, 128, 128, 128, 128));
        assertEquals(0xff000000, got[0]);
        assertEquals(0xffc9c9c9, got[1]);
    }

    /** Of 3 x 3 pixels in 4:2:0 the last column and row have colours of their own; without C it is 4:2:0. */
    @Test
    void coloursAreShared() throws IOException {
        for (String format : new String[] {"", " C420", " C420jpeg", " C420mpeg2", " C420paldv"}) {
            int[] got = colours(y4m("YUV4MPEG2 W3 H3" + format + " XCOLORRANGE=FULL\nFRAME Ip\n", 9, 9, 9, 9, 9, 9, 9, 9, 9,
                    128, 128, 128, 128, 128, 138, 128, 148));
            assertEquals(got[0], got[4]);
            assertTrue((got[2] >> 16 & 255) > (got[0] >> 16 & 255) && got[5] == got[2], format);
            assertTrue((got[8] >> 16 & 255) > (got[2] >> 16 & 255) && got[6] == got[0], format);
        }
        int[] got = colours(y4m("YUV4MPEG2 W3 H2 C422\nFRAME\n", 99, 99, 99, 99, 99, 99, 128, 128, 128, 128, 128, 148, 168, 128));
        assertTrue(got[0] == got[1] && got[2] != got[0] && got[3] == got[4] && got[3] != got[0]);
    }

    /** Streams that follow each other are one, unless their frames are others. */
    @Test
    void anotherStreamFollows() throws IOException {
        String header = "YUV4MPEG2 W2 H1 Cmono\n";
        PipeFrames frames = y4m(header + "FRAME\n", 7, 250, header + "FRAME\n", 1, 2, "YUV4MPEG2 W1 H1 Cmono\nFRAME\n", 3);
        frames.next();
        assertArrayEquals(new byte[] {1, 2}, (byte[]) frames.next().pixels());
        StreamException e = assertThrows(StreamException.class, frames::next);
        assertTrue(e.getMessage().startsWith("after 2 frames a stream of another kind begins, of 1 x 1 pixels"), e.getMessage());
    }

    @Test
    void greyStaysAndFramesEnd() throws IOException {
        PipeFrames frames = y4m("YUV4MPEG2 W2 H1 Cmono\nFRAME\n", 7, 250, "FRAME\n", 1, 2);
        LiveFrame first = frames.next();
        assertEquals(PixelType.GREY8, first.type);
        assertArrayEquals(new byte[] {7, (byte) 250}, (byte[]) first.pixels());
        first.release();
        assertArrayEquals(new byte[] {1, 2}, (byte[]) frames.next().pixels());
        assertNull(frames.next());
    }

    @Test
    void aFrameThatIsCutOffIsNamed() throws IOException {
        PipeFrames frames = y4m("YUV4MPEG2 W2 H1 Cmono\nFRAME\n", 7, 250, "FRAME\n", 1);
        frames.next();
        FrameReadException e = assertThrows(FrameReadException.class, frames::next);
        assertEquals("frame 2 is cut off: 1 of 2 bytes", e.getMessage());
        assertNull(frames.next());
        PipeFrames raw = raw("gray8", "2x1", 1, 2, 3);
        assertNotNull(raw.next());
        assertThrows(FrameReadException.class, raw::next);
        assertNull(raw.next());
    }

    @Test
    void whatIsNoStreamIsRefused() {
        String[][] bad = {{"", "empty"}, {"RIFF....AVI ", "no YUV4MPEG2"}, {"YUV4MPEG2\n", "must be 1 x 1"},
            {"YUV4MPEG2 W2 H-1\n", "the height"}, {"YUV4MPEG2 Wx H1\n", "the width"}, {"YUV4MPEG2 W0 H1\n", "must be 1 x 1"},
            {"YUV4MPEG2 W2 H1 C420p10\n", "must be C420"}, {"YUV4MPEG2 W2 H1 C\n", "must be C420"},
            {"YUV4MPEG2 W999999 H999999\n", "too large"}, {"YUV4MPEG2 W99999 H99999 Cmono\n", "too large"},
            {"YUV4MPEG2X W2 H1\n", "none of YUV4MPEG2"}};
        for (String[] one : bad) {
            StreamException e = assertThrows(StreamException.class, () -> y4m(one[0]), one[0]);
            assertTrue(e.getMessage().contains(one[1]), one[0] + ": " + e.getMessage());
        }
    }

    @Test
    void aDamagedStreamSaysWhere() throws IOException {
        PipeFrames frames = y4m("YUV4MPEG2 W1 H1 Cmono\nFRAME\n", 1, "FRAMES\n", 1);
        frames.next();
        StreamException e = assertThrows(StreamException.class, frames::next);
        assertTrue(e.getMessage().contains("after 1 frames"), e.getMessage());
    }

    @Test
    void interlacedStreamsAreSaid() throws IOException {
        assertTrue(y4m("YUV4MPEG2 W1 H1 It\n").warning().contains("interlaced"));
        assertNull(y4m("YUV4MPEG2 W1 H1 Ip\n").warning());
        assertNull(raw("gray8", "1x1").warning());
    }

    @Test
    void rawPixels() throws IOException {
        assertArrayEquals(new byte[] {1, (byte) 200}, (byte[]) raw("gray8", "2x1", 1, 200).next().pixels());
        assertArrayEquals(new short[] {0x0201, (short) 0xff03}, (short[]) raw("GRAY16", "1x2", 1, 2, 3, 255).next().pixels());
        assertArrayEquals(new int[] {0xff010203}, colours(raw("rgb24", "1x1", 1, 2, 3)));
        assertArrayEquals(new int[] {0xff030201}, colours(raw("bgr24", "1x1", 1, 2, 3)));
        for (String[] bad : new String[][] {{"yuyv422", "2x2"}, {"gray8", "2"}, {"gray8", "-2x2"}, {"gray8", "1234567x2"}}) {
            assertThrows(IllegalArgumentException.class, () -> PipeFrames.checkRaw(bad[0], bad[1]), bad[1]);
        }
        assertThrows(StreamException.class, () -> PipeFrames.checkRaw("gray8", "0x7"));
        assertThrows(StreamException.class, () -> PipeFrames.checkRaw("rgb24", "999999x999999"));
    }
}
