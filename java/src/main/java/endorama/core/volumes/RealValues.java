package endorama.core.volumes;

/** What the numbers that are kept of voxels stand for: value = slope * stored + intercept. Immutable. */
public final class RealValues {
    /** Numbers that stand for themselves. */
    public static final RealValues SAME = new RealValues(1, 0);

    /** Value of one step. */
    public final double slope;
    /** Value of 0. */
    public final double intercept;

    /** value = slope * stored + intercept. */
    public RealValues(double slope, double intercept) {
        this.slope = slope;
        this.intercept = intercept;
    }

    /** Nothing has to be said. */
    public boolean areSame() {
        return slope == 1 && intercept == 0;
    }

    @Override
    public String toString() {
        return "value = " + slope + " * stored " + (intercept < 0 ? "- " : "+ ") + Math.abs(intercept);
    }
}
