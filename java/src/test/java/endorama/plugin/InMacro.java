package endorama.plugin;

import ij.Macro;
import java.util.concurrent.Callable;

/** Runs code as ImageJ runs a command of a macro: on a thread to which an option string is bound. */
final class InMacro {
    private InMacro() {
    }

    static <T> T call(String options, Callable<T> body) throws Exception {
        Thread thread = Thread.currentThread();
        String name = thread.getName();
        thread.setName("Run$_" + name);
        Macro.setOptions(options);
        try {
            return body.call();
        } finally {
            Macro.setOptions(null);
            thread.setName(name);
        }
    }
}
