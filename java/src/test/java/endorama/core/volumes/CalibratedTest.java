package endorama.core.volumes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Voxel sizes in units of length; other units are reported, and taken for a millimetre. */
class CalibratedTest {
    private final List<String> notes = new ArrayList<String>();

    private double[] voxel(double x, String unit) {
        return Affine3.steps(Calibrated.grid("a", new int[] {4, 5, 6}, new double[] {x, 1, 1}, unit, new double[3], notes)
                .world());
    }

    @ParameterizedTest
    @CsvSource({"2, mm, 2", "2, cm, 20", "2, m, 2000", "2, micron, 0.002", "2, nm, 2e-6", "2, inch, 50.8", "2, pixel, 2",
        "1.1e-6, mm, 1.1e-6", "0.9e6, mm, 0.9e6"})
    void sizesAreMillimetres(double size, String unit, double millimetres) {
        assertEquals(millimetres, voxel(size, unit)[0], 1e-9 * millimetres);
        assertTrue(notes.isEmpty(), notes.toString());
    }

    @ParameterizedTest
    @CsvSource({"0.9e-6, mm", "1.1e6, mm", "0, mm", "-1, mm", "NaN, mm", "0.5, nm", "2000, m"})
    void sizesThatCannotBeAreOne(double size, String unit) {
        assertEquals(1, voxel(size, unit)[0]);
        assertEquals(1, notes.size());
        assertTrue(notes.get(0).contains("a voxel size of " + size + " cannot be"), notes.toString());
    }

    @Test
    void otherUnitsAreSaid() {
        assertEquals(2, voxel(2, "light years")[0]);
        assertTrue(notes.get(0).contains("the unit \"light years\" is no length"), notes.toString());
    }
}
