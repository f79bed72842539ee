package endorama.jni;

/** The Kalman filter of a camera's path through a bracketed video. Frames go up, with gaps or without. */
public final class NativeExposureFilter extends Handle {
    /** Where a frame lies. */
    public static final class Place {
        /** Its pixel (0, 0) in the first frame; where nothing is known, the place of the last frame. */
        public final double x, y;
        /** The motion before stands in for a measurement that is missing or was not believed. */
        public final boolean predicted;

        private Place(double[] numbers) {
            x = numbers[0];
            y = numbers[1];
            predicted = numbers[3] != 0;
        }
    }

    private NativeExposureFilter(long pointer) {
        super(null, pointer);
    }

    /** Not started; period: exposures in a bracket, 0..1000. */
    public static NativeExposureFilter create(int period) {
        NativeLibrary.load();
        long[] out = new long[1];
        EndoramaException.check(Native.exposureFilterCreate(period, out));
        return new NativeExposureFilter(out[0]);
    }

    /** This frame lies at (x, y) for certain. */
    public void start(long frame, double x, double y) {
        long filter = acquire();
        try {
            EndoramaException.check(Native.exposureFilterStart(filter, frame, x, y));
        } finally {
            release();
        }
    }

    /**
     * The place of the next frame.
     *
     * @param x place of the reference
     * @param y the same
     * @param shift dx, dy, certainty, deviation x and y of the shift to the reference; null if nothing was measured
     */
    public Place step(long frame, double x, double y, double[] shift) {
        double[] place = new double[4];
        long filter = acquire();
        try {
            EndoramaException.check(Native.exposureFilterStep(filter, frame, x, y, shift, place));
        } finally {
            release();
        }
        return new Place(place);
    }

    @Override
    void destroy(long object) {
        Native.exposureFilterDestroy(object);
    }
}
