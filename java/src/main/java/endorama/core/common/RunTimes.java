package endorama.core.common;

/** Where the time of a run went, s. What a device does meanwhile counts where it is waited for. */
public final class RunTimes {
    /** Starting the back end. */
    public double start;
    /** Finding the field of view. */
    public double field;
    /** Reading frames from the source. */
    public double read;
    /** Copying them into the store. */
    public double put;
    /** Registering pairs along the chain. */
    public double register;
    /** Registering pairs beyond it, and solving for places; without reading and copying. */
    public double loops;
    /** Waiting for what looks at frames while they are registered, and solving for the light. */
    public double light;
    /** Painting. */
    public double paint;
    /** Reading the finished panorama. */
    public double panorama;

    public RunTimes() {
    }

    public static double since(long start) {
        return (System.nanoTime() - start) / 1e9;
    }
}
