package endorama.core.engine;

import endorama.core.common.Progress;
import endorama.core.frames.PixelType;
import endorama.core.options.MosaicParameters;
import endorama.core.options.OptionException;
import endorama.jni.ContextOptions;
import endorama.jni.EndoramaException;
import endorama.jni.NativeContext;
import endorama.jni.NativeDevices;
import java.util.function.Supplier;

/**
 * The back end of a job. Auto takes the one that the library estimates to be faster, and the CPU where CUDA does not start or
 * fails on the way; CUDA and CPU compute there or fail with the reason.
 */
public final class BackEnd implements AutoCloseable {
    /** System property, for tests: number of calls after which the first context fails, like a broken device. */
    public static final String FAIL_AFTER = "endorama.failAfter";
    /** System property: bytes of device memory that a context may take. */
    public static final String DEVICE_MEMORY = "endorama.deviceMemory";

    private final int threads;
    private NativeContext context;
    private boolean replaceable;
    private String description;

    private BackEnd(int threads) {
        this.threads = threads;
    }

    /**
     * Starts the back end that the parameters ask for, and logs the choice of Auto and its reason.
     *
     * @param frames how many are registered or painted
     * @throws EndoramaException if it cannot start
     * @throws OptionException if there is no such device
     */
    public static BackEnd open(int width, int height, PixelType type, MosaicParameters parameters, long frames,
            Progress progress) {
        return open(parameters, progress, () -> NativeDevices.choose(width, height, type.code(), frames,
                parameters.threads()));
    }

    /** The context options that the parameters ask for. */
    public static ContextOptions options(MosaicParameters parameters) {
        ContextOptions options = ContextOptions.of(parameters.backend(), parameters.threads());
        options.devices = parameters.devices().stream().mapToInt(Integer::intValue).toArray();
        options.failAfter = Math.max(0, Integer.getInteger(FAIL_AFTER, 0));
        options.memoryLimit = Math.max(0, Long.getLong(DEVICE_MEMORY, 0));
        return options;
    }

    /** Starts the back end for a number of registrations by mutual information onto a volume of this size, voxels. */
    public static BackEnd openMutual(int width, int height, int depth, MosaicParameters parameters, long registrations,
            Progress progress) {
        return open(parameters, progress, () -> NativeDevices.chooseMutual(width, height, depth, registrations,
                parameters.threads()));
    }

    /** chosen: called where the back end is left open. */
    private static BackEnd open(MosaicParameters parameters, Progress progress, Supplier<NativeDevices.Choice> chosen) {
        BackEnd made = new BackEnd(parameters.threads());
        ContextOptions options = options(parameters);
        boolean auto = options.backend == NativeContext.AUTO;
        if (auto) {
            NativeDevices.Choice choice = chosen.get();
            options.backend = choice.backend;
            progress.note("backend " + choice.reason);
        }
        if (options.backend == NativeContext.CUDA) {
            check(options.devices);
        } else {
            options.devices = new int[0];
            options.memoryLimit = 0;
        }
        made.replaceable = auto && (options.backend == NativeContext.CUDA || options.failAfter > 0);
        made.start(options, progress);
        String note = made.context.note();
        if (!note.isEmpty()) {
            progress.log(note);
        }
        return made;
    }

    private void start(ContextOptions options, Progress progress) {
        try {
            set(NativeContext.create(options));
        } catch (EndoramaException e) {
            if (!replaces(e)) {
                throw e;
            }
            progress.log("backend CPU: CUDA does not start: " + e.getMessage());
            replace();
        }
    }

    /** Throws if one of the devices does not exist. */
    private static void check(int[] devices) {
        int n = NativeDevices.count();
        for (int device : devices) {
            if (n > 0 && device >= n) {
                throw new OptionException("devices", "devices " + device + ": there "
                        + (n == 1 ? "is 1 device, number 0" : "are " + n + " devices, 0.." + (n - 1)));
            }
        }
    }

    private void set(NativeContext started) {
        context = started;
        description = (description == null ? "" : description + ", then ") + started.description();
    }

    public NativeContext context() {
        return context;
    }

    /** {@code cpu} or {@code cuda}. */
    public String name() {
        return context.backend();
    }

    /** Everything that computed, for people: {@code cpu (avx512, 2 threads)}. */
    public String description() {
        return description;
    }

    /** The CPU can continue after this failure. */
    public boolean replaces(EndoramaException e) {
        return replaceable && (e.status() == EndoramaException.Status.DEVICE
                || e.status() == EndoramaException.Status.MEMORY
                || e.status() == EndoramaException.Status.UNSUPPORTED);
    }

    /** Replaces the context by one of the CPU, and logs it; the old one lives until all objects made from it are closed. */
    public void replace(EndoramaException e, Progress progress) {
        progress.log("backend " + name() + " failed: " + e.getMessage() + "; the CPU goes on, nothing is lost");
        replace();
    }

    private void replace() {
        close();
        replaceable = false;
        set(NativeContext.create(NativeContext.CPU, threads));
    }

    @Override
    public void close() {
        if (context != null) {
            context.close();
        }
    }
}
