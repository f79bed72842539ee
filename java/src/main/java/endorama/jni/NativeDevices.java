package endorama.jni;

/** The devices that can compute, and the choice between them. */
public final class NativeDevices {
    /** A CUDA device. */
    public static final class DeviceInfo {
        /** Number of the device, from 0. */
        public final int device;
        /** Name by the maker. */
        public final String name;
        /** Compute capability. */
        public final int major, minor;
        /** Number of multiprocessors. */
        public final int multiprocessors;
        /** Bytes of memory in all, and free ones. */
        public final long memory, freeMemory;
        /** The compute capability is 7.5 or newer. */
        public final boolean usable;

        DeviceInfo(int device, String name, long[] numbers) {
            this.device = device;
            this.name = name;
            major = (int) numbers[0];
            minor = (int) numbers[1];
            multiprocessors = (int) numbers[2];
            memory = numbers[3];
            freeMemory = numbers[4];
            usable = numbers[5] != 0;
        }
    }

    /** The faster back end for a job. */
    public static final class Choice {
        /** {@link NativeContext#CPU} or {@link NativeContext#CUDA}. */
        public final int backend;
        /** The reason, for the log. */
        public final String reason;

        Choice(int backend, String reason) {
            this.backend = backend;
            this.reason = reason;
        }
    }

    /** The result of a self-test. */
    public static final class SelfTest {
        /** The bytes are those of plain C. */
        public final boolean agrees;
        /** Time of the tested back end, its start included. */
        public final double seconds;

        SelfTest(boolean agrees, double seconds) {
            this.agrees = agrees;
            this.seconds = seconds;
        }
    }

    private NativeDevices() {
    }

    /** Number of CUDA devices. */
    public static int count() {
        NativeLibrary.load();
        return Native.deviceCount(new String[1]);
    }

    /** Why there is no CUDA device; "" if there is one. */
    public static String reason() {
        NativeLibrary.load();
        String[] reason = new String[1];
        Native.deviceCount(reason);
        return reason[0];
    }

    /** A device, 0..count-1. */
    public static DeviceInfo describe(int device) {
        NativeLibrary.load();
        String[] name = new String[1];
        long[] numbers = new long[6];
        EndoramaException.check(Native.deviceDescribe(device, name, numbers));
        return new DeviceInfo(device, name[0], numbers);
    }

    /** CUDA version of the library, "13.0"; "" if it was built without. */
    public static String cudaVersion() {
        NativeLibrary.load();
        return version(Native.cudaVersion());
    }

    /** CUDA version that the driver offers; "" if there is none. */
    public static String driverVersion() {
        NativeLibrary.load();
        return version(Native.cudaDriverVersion());
    }

    private static String version(int number) {
        return number == 0 ? "" : number / 1000 + "." + number % 1000 / 10;
    }

    /** The faster back end for a number of frames of a size and type (0 8-bit, 1 16-bit, 2 RGB). */
    public static Choice choose(int width, int height, int type, long frames, int threads) {
        NativeLibrary.load();
        String[] reason = new String[1];
        int backend = Native.backendChoose(width, height, type, frames, threads, reason);
        return new Choice(backend, reason[0]);
    }

    /** The faster back end for a number of registrations by mutual information onto width x height x depth voxels. */
    public static Choice chooseMutual(int width, int height, int depth, long registrations, int threads) {
        NativeLibrary.load();
        String[] reason = new String[1];
        int backend = Native.backendChooseMutual(width, height, depth, registrations, threads, reason);
        return new Choice(backend, reason[0]);
    }

    /** Registers and paints a small sequence with plain C and with the given options. */
    public static SelfTest selfTest(ContextOptions o) {
        NativeLibrary.load();
        double[] numbers = new double[2];
        EndoramaException.check(Native.selfTest(o.backend, o.threads, 0, o.devices.length == 0 ? 0 : o.devices[0], o.memoryLimit, numbers));
        return new SelfTest(numbers[0] != 0, numbers[1]);
    }

    /** Opens cuFFT: the name of its file, or the reason why it does not open. */
    public static String fourierLibrary() {
        NativeLibrary.load();
        String[] error = new String[1];
        String name = Native.fourierLibrary(error);
        return name != null ? name : "does not open: " + error[0];
    }
}
