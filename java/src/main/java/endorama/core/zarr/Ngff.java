package endorama.core.zarr;

/** Versions of OME-NGFF that are written. */
public enum Ngff {
    /** On Zarr 2: a file a chunk. */
    V04("0.4"),
    /** On Zarr 3: a file for many chunks, a shard. */
    V05("0.5");

    private final String number;

    Ngff(String number) {
        this.number = number;
    }

    /** The version of a number. */
    public static Ngff of(String number) {
        return number.equals(V05.number) ? V05 : V04;
    }

    @Override
    public String toString() {
        return number;
    }
}
