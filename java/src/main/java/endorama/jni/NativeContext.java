package endorama.jni;

import java.util.function.BooleanSupplier;

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
    /** The library's hook that polls for an end; 0: none. */
    private long hook;

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
        NativeLibrary.load();
        long[] out = new long[1];
        EndoramaException.check(Native.contextCreate(o.backend, o.threads, 0, o.devices, o.memoryLimit, out));
        return new NativeContext(out[0], o.failAfter);
    }

    /** Counts a call that works on the device; fails like a broken device after {@link ContextOptions#failAfter} calls. */
    synchronized void step() {
        if (failAfter > 0 && steps >= failAfter) {
            throw new EndoramaException(EndoramaException.Status.DEVICE, "device failed (as asked for after "
                    + failAfter + " calls)");
        }
        steps++;
    }

    /**
     * Sets a hook that long calls poll, on the thread that made them: they end where it is true with {@link
     * EndoramaException.Status#CANCELLED}. It must not use this context.
     *
     * @param cancelled null: nothing is asked any more
     */
    public void setCancel(BooleanSupplier cancelled) {
        long context = acquire();
        try {
            clearCancel(context);
            if (cancelled != null) {
                long[] out = new long[1];
                EndoramaException.check(Native.contextSetCancel(context, cancelled, out));
                hook = out[0];
            }
        } finally {
            release();
        }
    }

    private void clearCancel(long context) {
        if (hook != 0) {
            Native.contextClearCancel(context, hook);
            hook = 0;
        }
    }

    /** Description of the back end, for people: {@code cpu (avx512, 2 threads)}. */
    public String description() {
        long context = acquire();
        try {
            return Native.contextDescription(context);
        } finally {
            release();
        }
    }

    /** A remark for the log: why it has fewer threads than were asked for; empty if it has not. */
    public String note() {
        long context = acquire();
        try {
            return Native.contextNote(context);
        } finally {
            release();
        }
    }

    /** Number of CPU threads: what was asked for, or as many as the system lets this process have. */
    public int threads() {
        long context = acquire();
        try {
            return Native.contextThreads(context);
        } finally {
            release();
        }
    }

    /** The first word of {@link #description}: {@code cpu} or {@code cuda}. */
    public String backend() {
        String text = description();
        int end = text.indexOf(' ');
        return end < 0 ? text : text.substring(0, end);
    }

    /** The template side, px, of the option value 0 in frames of this width. */
    public static int automaticTemplate(int width) {
        NativeLibrary.load();
        return Native.templateSide(width);
    }

    @Override
    void destroy(long object) {
        clearCancel(object);
        Native.contextDestroy(object);
    }
}
