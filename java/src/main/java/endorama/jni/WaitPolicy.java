package endorama.jni;

/**
 * The wait policy of the library's threads: waiting threads sleep, unless the user has set OMP_WAIT_POLICY or GOMP_SPINCOUNT,
 * or another library has started GCC's OpenMP runtime before. A separate library, loaded before the main one, for the reason in
 * native/lib/wait_policy.c.
 */
final class WaitPolicy {
    private WaitPolicy() {
    }

    /** Sets OMP_WAIT_POLICY=passive for libraries loaded from now on; false if the policy is fixed already. */
    static native boolean enter();

    /** Restores the environment. */
    static native void leave();
}
