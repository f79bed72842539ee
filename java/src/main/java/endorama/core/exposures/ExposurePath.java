package endorama.core.exposures;

import endorama.core.exposures.ExposurePairs.Shift;

/** Where the frames lie: each where it was measured, or else where the last aligned one lies. */
class ExposurePath implements AutoCloseable {
    private double x;
    private double y;

    /** The row's place is certain: the path begins here. */
    void start(ExposureRow row) {
        x = row.x;
        y = row.y;
    }

    /**
     * Gives the row a place by its shift from a reference that lies at (fromX, fromY).
     *
     * @return false if the shift was not believed, and the place is another one
     */
    boolean measured(ExposureRow row, double fromX, double fromY, Shift shift) {
        row.x = fromX + shift.dx();
        row.y = fromY + shift.dy();
        x = row.x;
        y = row.y;
        return true;
    }

    /** Gives the row a place without a shift. */
    void hold(ExposureRow row) {
        row.x = x;
        row.y = y;
    }

    @Override
    public void close() {
    }
}
