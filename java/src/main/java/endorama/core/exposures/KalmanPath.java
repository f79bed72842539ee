package endorama.core.exposures;

import endorama.core.exposures.ExposurePairs.Shift;
import endorama.jni.NativeExposureFilter;

/**
 * The path of a camera through a video: shifts that the motion so far speaks against are not believed, and its
 * prediction stands in for what is not measured.
 */
final class KalmanPath extends ExposurePath {
    private final NativeExposureFilter filter;
    /** Predictions are rounded where measured shifts are whole, so that no frame is interpolated. */
    private final boolean whole;
    private boolean started;

    KalmanPath(int period, boolean whole) {
        this.whole = whole;
        filter = NativeExposureFilter.create(period);
    }

    @Override
    void start(ExposureRow row) {
        filter.start(row.frame, row.x, row.y);
        started = true;
    }

    @Override
    boolean measured(ExposureRow row, double fromX, double fromY, Shift shift) {
        if (!started) {
            row.x = fromX + shift.dx();
            row.y = fromY + shift.dy();
            start(row);
            return true;
        }
        place(row, filter.step(row.frame, fromX, fromY, shift.measurement()));
        return !row.predicted;
    }

    @Override
    void hold(ExposureRow row) {
        if (started) {
            place(row, filter.step(row.frame, 0, 0, null));
        }
    }

    private void place(ExposureRow row, NativeExposureFilter.Place place) {
        row.predicted = place.predicted;
        row.x = whole ? Math.rint(place.x) : place.x;
        row.y = whole ? Math.rint(place.y) : place.y;
    }

    @Override
    public void close() {
        filter.close();
    }
}
