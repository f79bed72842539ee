package endorama.core.common;

/** Times of the stages of a run, s. Work of a device counts where it is waited for. */
public final class RunTimes {
    /** Starting the back end. */
    public final double start;
    /** Finding the field of view. */
    public final double field;
    /** Reading frames from the source. */
    public final double read;
    /** Copying frames into the store. */
    public final double put;
    /** Registering pairs along the chain. */
    public final double register;
    /** Registering loops and solving for poses; without reading and copying. */
    public final double loops;
    /** Waiting for the survey of frames during registration, and solving for the light. */
    public final double light;
    /** Painting. */
    public final double paint;
    /** Reading the finished panorama. */
    public final double panorama;

    /** Takes the values of {@code endo_mosaic_times}, in that order. */
    public RunTimes(double[] seconds) {
        start = seconds[0];
        field = seconds[1];
        read = seconds[2];
        put = seconds[3];
        register = seconds[4];
        loops = seconds[5];
        light = seconds[6];
        paint = seconds[7];
        panorama = seconds[8];
    }

    public static double since(long start) {
        return (System.nanoTime() - start) / 1e9;
    }
}
