package endorama.jni;

/** Options of a context: {@code endo_context_options}, with its defaults. */
public final class ContextOptions {
    /** {@link NativeContext#AUTO}, {@link NativeContext#CPU} or {@link NativeContext#CUDA}. */
    public int backend = NativeContext.AUTO;
    /** CPU threads, 1..256; 0 = every processor the process may use. */
    public int threads;
    /** CUDA: devices, from 0, each once, at most 8; several share the pairs of a chunk. Empty: device 0. */
    public int[] devices = {};
    /** CUDA: bytes of device memory that the context may take; 0 = all. */
    public long memoryLimit;
    /** Calls that put, register or paint after which every further one fails, as tests want it; 0: never. */
    public int failAfter;

    /** The defaults with a back end and a number of threads. */
    public static ContextOptions of(int backend, int threads) {
        ContextOptions options = new ContextOptions();
        options.backend = backend;
        options.threads = threads;
        return options;
    }
}
