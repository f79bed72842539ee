package endorama.jni;

import java.util.function.LongFunction;

/**
 * A native object with a use count: {@link #close()} frees it as soon as it is unused, so that neither a running call nor an
 * object made from this one can see it freed. One thread at a time, except for close.
 */
abstract class Handle implements AutoCloseable {
    /** A call of the library on an object, which returns a status. */
    interface Call {
        int on(long object);
    }

    /** A call of the library that puts the pointer of a new object into out[0] and returns a status. */
    interface Making {
        int into(long[] out);
    }

    private final Handle parent;
    private final long pointer;
    private int uses = 1;
    private boolean closed;

    /** Takes over a native object that belongs to a parent (null: to none). */
    Handle(Handle parent, long pointer) {
        this.parent = parent;
        this.pointer = pointer;
        if (parent != null) {
            parent.acquire();
        }
    }

    /** Loads the library if needed, and makes an object; returns its pointer. */
    static long made(Making making) {
        NativeLibrary.load();
        long[] out = new long[1];
        EndoramaException.check(making.into(out));
        return out[0];
    }

    /** The native pointer, which stays valid until {@link #release()}. */
    final synchronized long acquire() {
        if (closed) {
            throw new IllegalStateException(getClass().getSimpleName() + " is closed");
        }
        uses++;
        return pointer;
    }

    final void release() {
        synchronized (this) {
            if (--uses > 0) {
                return;
            }
        }
        destroy(pointer);
        if (parent != null) {
            parent.release();
        }
    }

    /** Applies a function of the library to this object, which is not freed meanwhile. */
    final <T> T ask(LongFunction<T> question) {
        long object = acquire();
        try {
            return question.apply(object);
        } finally {
            release();
        }
    }

    /** Calls the library with this object, and throws if the call failed. */
    final void run(Call call) {
        ask(object -> {
            check(call.on(object));
            return null;
        });
    }

    /** Throws if the status of a call is a failure. */
    void check(int status) {
        EndoramaException.check(status);
    }

    /** Frees the native object as soon as no call and no object made from it uses it; twice does nothing. */
    @Override
    public final void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        release();
    }

    /** Frees the native object; called once. */
    abstract void destroy(long object);
}
