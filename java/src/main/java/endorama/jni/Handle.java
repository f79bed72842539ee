package endorama.jni;

/**
 * A native object with a use count: {@link #close()} frees it as soon as it is unused, so that neither a running call nor an
 * object made from this one can see it freed. One thread at a time, except for close.
 */
abstract class Handle implements AutoCloseable {
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
