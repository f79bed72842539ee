package endorama.core.common;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PaceTest {
    @Test
    void saysRateAndTimeLeft() {
        assertEquals("3/10", Pace.line(3, 10, 0.9));
        assertEquals("30/100, 15 a second, 5 s left", Pace.line(30, 100, 2));
        assertEquals("1/100, 0.50 a second, 3 min 18 s left", Pace.line(1, 100, 2));
        assertEquals("1/10000, 0.50 a second, 5 h 33 min left", Pace.line(1, 10000, 2));
        assertEquals("100/100, 50 a second", Pace.line(100, 100, 2));
        assertEquals("0/100", Pace.line(0, 100, 2));
    }
}
