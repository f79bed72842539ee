package endorama.cli;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/**
 * The first Ctrl-C, for a command that ends by it; each further one does what Java does. By reflection, because sun.misc.Signal
 * is in every Java and in no specification; without it the first one already does what Java does.
 */
final class InterruptKey implements AutoCloseable {
    private Object signal;
    private Object before;

    /** Calls the action once, on another thread. */
    InterruptKey(Runnable action) {
        try {
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            InvocationHandler calls = (proxy, method, arguments) -> {
                if (!method.getName().equals("handle")) {
                    // Of Object.
                    return method.getName().equals("equals") ? (Object) (proxy == arguments[0]) : method.getName().equals("hashCode")
                            ? (Object) 0 : "Endorama";
                }
                close();
                action.run();
                return null;
            };
            signal = Class.forName("sun.misc.Signal").getConstructor(String.class).newInstance("INT");
            before = handle(Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, calls));
        } catch (ReflectiveOperationException | RuntimeException e) {
            signal = null;
        }
    }

    private Object handle(Object handler) throws ReflectiveOperationException {
        return signal.getClass().getMethod("handle", signal.getClass(), Class.forName("sun.misc.SignalHandler"))
                .invoke(null, signal, handler);
    }

    /** Lets Java handle the key again. */
    @Override
    public synchronized void close() {
        try {
            if (before != null) {
                handle(before);
                before = null;
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
