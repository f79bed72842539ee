package endorama.core;

import endorama.core.ExposurePairs.Shift;

/** Where the frames lie: each measured, or where the last aligned one lies. */
class ExposurePath {
    private double x;
    private double y;

    /** The place of a row is what the path starts from. */
    void start(ExposureRow row) {
        x = row.x;
        y = row.y;
    }

    /** Gives the row a place that was measured, or another; false if it was not believed. */
    boolean measured(ExposureRow row, double measuredX, double measuredY, Shift shift) {
        row.x = measuredX;
        row.y = measuredY;
        start(row);
        return true;
    }

    /** Gives the row a place without a measurement. */
    void hold(ExposureRow row) {
        row.x = x;
        row.y = y;
    }
}
