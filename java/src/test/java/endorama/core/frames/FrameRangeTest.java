package endorama.core.frames;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.options.Commands;
import endorama.core.options.OptionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FrameRangeTest {
    private final TestFrames ten = new TestFrames(1, 1, PixelType.GREY8);

    FrameRangeTest() {
        for (int i = 1; i <= 10; i++) {
            ten.add(new byte[] {(byte) i});
        }
    }

    @ParameterizedTest
    @CsvSource({"2-9:3,2 5 8", "3-5,3 4 5", "8-,8 9 10", "-2,1 2", ":4,1 5 9", "7,7", "2-:5,2 7", "1-10,1 2 3 4 5 6 7 8 9 10",
        "'1-2,6-9:3',1 2 6 9", "'9,1-2',1 2 9", "'1-3, 2-4',1 2 3 4"})
    void takesTheseFrames(String range, String expected) throws FrameReadException {
        FrameSource some = new FrameRange(range).of(ten);
        StringBuilder frames = new StringBuilder();
        for (int i = 0; i < some.count(); i++) {
            byte number = ((byte[]) some.pixels(i))[0];
            assertEquals("f" + number, some.label(i));
            assertEquals(number, some.number(i));
            assertEquals(i, Frames.index(some, number));
            frames.append(i == 0 ? "" : " ").append(number);
        }
        assertEquals(expected, frames.toString());
        assertSame(ten, some.origin());
    }

    @Test
    void nothingIsAll() {
        assertSame(ten, new FrameRange("").of(ten));
        assertTrue(new FrameRange(" 1- ").isAll());
    }

    @ParameterizedTest
    @ValueSource(strings = {"0-3", "5-4", "2-9:0", "3..5", "a", "1-2-3", "2-11", "11-", "12", "1,", ",1", "1,,2", "1-2;4", "3,12"})
    void whatIsNoPartOfTheSequenceIsRefused(String range) {
        OptionException e = assertThrows(OptionException.class, () -> new FrameRange(range).of(ten));
        assertTrue(e.getMessage().startsWith("frames " + range + ": "), e.getMessage());
    }

    private FrameSource chosen(String line) {
        return FrameRange.chosen(Commands.MOSAIC.parseMacro(line), ten);
    }

    @Test
    void excludedFramesAreLeftOut() {
        FrameSource some = chosen("frames=1-7 exclude=3,5-6,9");
        assertEquals(4, some.count());
        assertEquals(7, some.number(3));
        assertArrayEquals(new int[] {3, 5, 6}, some.excluded());
        assertEquals(-1, Frames.index(some, 3));
        assertSame(ten, chosen(""));
        for (String wrong : new String[] {"exclude=11", "exclude=x", "exclude=1-10", "frames=2 exclude=2"}) {
            OptionException e = assertThrows(OptionException.class, () -> chosen(wrong));
            assertTrue(e.getMessage().startsWith("exclude "), e.getMessage());
        }
    }
}
