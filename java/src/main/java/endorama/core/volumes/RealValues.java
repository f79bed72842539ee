package endorama.core.volumes;

/** The map from stored numbers of voxels to values: value = slope * stored + intercept. Immutable. */
public final class RealValues {
    /** The identity. */
    public static final RealValues SAME = new RealValues(1, 0);

    /** Value of one stored step. */
    public final double slope;
    /** Value of a stored 0. */
    public final double intercept;

    /** The map value = slope * stored + intercept. */
    public RealValues(double slope, double intercept) {
        this.slope = slope;
        this.intercept = intercept;
    }

    /** The map is the identity. */
    public boolean areSame() {
        return slope == 1 && intercept == 0;
    }

    @Override
    public String toString() {
        return "value = " + slope + " * stored " + (intercept < 0 ? "- " : "+ ") + Math.abs(intercept);
    }
}
