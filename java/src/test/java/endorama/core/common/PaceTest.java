package endorama.core.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PaceTest {
    @Test
    void saysHowFarAndHowLongStill() {
        assertEquals("30 %, 5 s left", Pace.line(0, 30, 100, 2));
        assertEquals("29 %, 3 min 4 s left", Pace.line(0, 29, 100, 75));
        assertEquals("1.0 %, 3 min 18 s left", Pace.line(0, 1, 100, 2));
        assertEquals("1.0 %, 5 h 30 min left", Pace.line(0, 100, 10000, 200));
        assertEquals("9.9 %, 119 s left", Pace.line(0, 99, 999, 13.08));
        assertEquals("99 %, 1 s left", Pace.line(0, 9999, 10000, 2));
        assertEquals("100 %", Pace.line(0, 100, 100, 2));
        assertEquals("0 %", Pace.line(0, 0, 100, 2));
    }

    /** No time is estimated in the first second, and in the first hundredth of the work. */
    @Test
    void saysNoTimeTooEarly() {
        assertEquals("30 %", Pace.line(0, 3, 10, 0.99));
        assertEquals("30 %, 3 s left", Pace.line(0, 3, 10, 1));
        assertEquals("0.9 %", Pace.line(0, 9, 1000, 60));
        assertEquals("1.0 %, 99 min 0 s left", Pace.line(0, 10, 1000, 60));
    }

    /** Time before the first call does not count. */
    @Test
    void countsFromTheFirstWordOn() throws InterruptedException {
        assertEquals("50 %, 10 s left", Pace.line(40, 50, 100, 2));
        assertEquals("40 %", Pace.line(40, 40, 100, 2));
        Pace pace = new Pace();
        pace.tell(7);
        assertEquals("7.0 %", pace.line(7, 100));
        Thread.sleep(1010);
        assertTrue(pace.line(8, 100).startsWith("8.0 %, "), "a hundredth in a second");
        assertEquals("2.0 %", pace.line(2, 100), "another computation");
        assertEquals("3.0 %", pace.line(3, 100));
    }
}
