package endorama.core.frames;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
    @CsvSource({"2-9:3,2 5 8", "3-5,3 4 5", "8-,8 9 10", "-2,1 2", ":4,1 5 9", "7,7", "2-:5,2 7", "1-10,1 2 3 4 5 6 7 8 9 10"})
    void takesTheseFrames(String range, String expected) throws FrameReadException {
        FrameSource some = new FrameRange(range).of(ten);
        StringBuilder frames = new StringBuilder();
        for (int i = 0; i < some.count(); i++) {
            byte number = ((byte[]) some.pixels(i))[0];
            assertEquals("f" + number, some.label(i));
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
    @ValueSource(strings = {"0-3", "5-4", "2-9:0", "3..5", "a", "1-2-3", "2-11", "11-", "12"})
    void whatIsNoPartOfTheSequenceIsRefused(String range) {
        OptionException e = assertThrows(OptionException.class, () -> new FrameRange(range).of(ten));
        assertTrue(e.getMessage().startsWith("frames " + range + ": "), e.getMessage());
    }
}
