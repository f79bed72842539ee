package endorama.jni;

/** A back end with its threads. Belongs to one thread at a time; several may work at once. */
public final class NativeContext extends Handle {
    /** CUDA where a device is usable, else the CPU. */
    public static final int AUTO = 0;
    /** The CPU. */
    public static final int CPU = 1;
    /** CUDA, or a failure that says why not. */
    public static final int CUDA = 2;

    /** For tests. */
    private final int failAfter;
    private int steps;

    private NativeContext(long pointer, int failAfter) {
        super(null, pointer);
        this.failAfter = failAfter;
    }

    /**
     * Loads the library if necessary and makes a context.
     *
     * @param backend {@link #AUTO}, {@link #CPU} or {@link #CUDA}
     * @param threads CPU threads, 1..256, or 0 for every processor the process may use
     */
    public static NativeContext create(int backend, int threads) {
        return create(ContextOptions.of(backend, threads));
    }

    /** Loads the library if necessary and makes a context. */
    public static NativeContext create(ContextOptions o) {
        return new NativeContext(made(out -> Native.contextCreate(o.backend, o.threads, 0, o.devices, o.memoryLimit, out)),
                o.failAfter);
    }

    /** Counts a call that works on the device; fails like a broken device after {@link ContextOptions#failAfter} calls. */
    int step(Call call) {
        return ask(context -> {
            count();
            return call.on(context);
        });
    }

    private synchronized void count() {
        if (failAfter > 0 && steps >= failAfter) {
            throw new EndoramaException(EndoramaException.Status.DEVICE, "device failed (as asked for after "
                    + failAfter + " calls)");
        }
        steps++;
    }

    /** Description of the back end, for people: {@code cpu (avx512, 2 threads)}. */
    public String description() {
        return ask(Native::contextDescription);
    }

    /** A remark for the log: why it has fewer threads than were asked for; empty if it has not. */
    public String note() {
        return ask(Native::contextNote);
    }

    /** Number of CPU threads: what was asked for, or as many as the system lets this process have. */
    public int threads() {
        return ask(Native::contextThreads);
    }

    /** The first word of {@link #description}: {@code cpu} or {@code cuda}. */
    public String backend() {
        String text = description();
        int end = text.indexOf(' ');
        return end < 0 ? text : text.substring(0, end);
    }

    @Override
    void destroy(long object) {
        Native.contextDestroy(object);
    }
}
