package endorama.jni;

/**
 * What threads of the library do that wait for work: they sleep, unless the user has said otherwise (OMP_WAIT_POLICY,
 * GOMP_SPINCOUNT) or another library has started GCC's OpenMP runtime before. In a library of its own, which is loaded
 * before the other one: native/lib/wait_policy.c says why.
 */
final class WaitPolicy {
    private WaitPolicy() {
    }

    /** From here on, what is loaded finds OMP_WAIT_POLICY=passive; false if that is decided already. */
    static native boolean enter();

    /** The environment is as it was. */
    static native void leave();
}
