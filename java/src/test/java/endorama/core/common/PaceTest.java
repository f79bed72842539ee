package endorama.core.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PaceTest {
    private static String line(int first, int done, int total, double seconds) {
        Pace pace = new Pace();
        pace.tell(first);
        return pace.line(done, total, seconds);
    }

    /** The end of a run may be slower than its begin; the time left is then a lower bound. */
    @Test
    void timeLeftNeverGrows() {
        Pace pace = new Pace();
        pace.tell(0);
        assertEquals("50 %, 36 s left", pace.line(50, 100, 36));
        assertEquals("60 %, more than 36 s left", pace.line(60, 100, 150));
        assertEquals("75 %, 30 s left", pace.line(75, 100, 90));
        assertEquals("76 %, 30 s left", pace.line(76, 100, 94.5));
        pace.tell(76);
        pace.tell(10);
        assertEquals("20 %, 80 s left", pace.line(20, 100, 10));
    }

    @Test
    void saysHowFarAndHowLongStill() {
        assertEquals("30 %, 5 s left", line(0, 30, 100, 2));
        assertEquals("29 %, 3 min 4 s left", line(0, 29, 100, 75));
        assertEquals("1.0 %, 3 min 18 s left", line(0, 1, 100, 2));
        assertEquals("1.0 %, 5 h 30 min left", line(0, 100, 10000, 200));
        assertEquals("9.9 %, 119 s left", line(0, 99, 999, 13.08));
        assertEquals("99 %, 1 s left", line(0, 9999, 10000, 2));
        assertEquals("100 %", line(0, 100, 100, 2));
        assertEquals("0 %", line(0, 0, 100, 2));
    }

    /** No time is estimated in the first second, and in the first hundredth of the work. */
    @Test
    void saysNoTimeTooEarly() {
        assertEquals("30 %", line(0, 3, 10, 0.99));
        assertEquals("30 %, 3 s left", line(0, 3, 10, 1));
        assertEquals("0.9 %", line(0, 9, 1000, 60));
        assertEquals("1.0 %, 99 min 0 s left", line(0, 10, 1000, 60));
    }

    /** Time before the first call does not count. */
    @Test
    void countsFromTheFirstWordOn() throws InterruptedException {
        assertEquals("50 %, 10 s left", line(40, 50, 100, 2));
        assertEquals("40 %", line(40, 40, 100, 2));
        Pace pace = new Pace();
        pace.tell(7);
        assertEquals("7.0 %", pace.line(7, 100));
        Thread.sleep(1010);
        assertTrue(pace.line(8, 100).startsWith("8.0 %, "), "a hundredth in a second");
        assertEquals("2.0 %", pace.line(2, 100), "another computation");
        assertEquals("3.0 %", pace.line(3, 100));
    }
}
