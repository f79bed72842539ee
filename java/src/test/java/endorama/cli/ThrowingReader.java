package endorama.cli;

import java.io.IOException;
import java.util.Locale;
import java.util.function.Supplier;
import javax.imageio.ImageReader;
import javax.imageio.spi.IIORegistry;
import javax.imageio.spi.ImageReaderSpi;
import javax.imageio.stream.ImageInputStream;

/** An image reader that throws what a test chooses, on files that start with the letters BOOM. */
final class ThrowingReader extends ImageReaderSpi implements AutoCloseable {
    static final byte[] FILE = {'B', 'O', 'O', 'M'};

    private final Supplier<Throwable> thrown;

    private ThrowingReader(Supplier<Throwable> thrown) {
        super("Endorama", "1", new String[] {"boom"}, null, null, "none", new Class<?>[] {ImageInputStream.class}, null,
                false, null, null, null, null, false, null, null, null, null);
        this.thrown = thrown;
    }

    /** Registers the reader until it is closed. */
    static ThrowingReader of(Supplier<Throwable> thrown) {
        ThrowingReader reader = new ThrowingReader(thrown);
        IIORegistry.getDefaultInstance().registerServiceProvider(reader);
        return reader;
    }

    @Override
    public void close() {
        IIORegistry.getDefaultInstance().deregisterServiceProvider(this);
    }

    @Override
    public boolean canDecodeInput(Object source) throws IOException {
        ImageInputStream in = (ImageInputStream) source;
        in.mark();
        boolean mine = in.read() == FILE[0] && in.read() == FILE[1] && in.read() == FILE[2] && in.read() == FILE[3];
        in.reset();
        return mine;
    }

    @Override
    public ImageReader createReaderInstance(Object extension) {
        return ThrowingReader.<RuntimeException>sneak(thrown.get());
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> ImageReader sneak(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @Override
    public String getDescription(Locale locale) {
        return "fails";
    }

    /** A command whose input is read on a thread that dies, and then fails itself. */
    public static void main(String[] args) {
        of(() -> {
            Thread thread = new Thread(() -> {
                throw new AssertionError("one thread less");
            }, "helper");
            thread.start();
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return new StackOverflowError();
        });
        Main.main(args);
    }
}
