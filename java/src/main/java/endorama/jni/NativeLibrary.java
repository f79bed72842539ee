package endorama.jni;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Loads the native library, once for each class loader: <ol> <li>the file that the system property {@value #PROPERTY} names (an
 * absolute path), and nothing else;</li> <li>otherwise the resource {@code /native/<os>-<arch>/libendorama-<version>.so} of the
 * jar (under Windows {@code endorama-<version>.dll}, under macOS {@code libendorama-<version>.dylib}), copied to a temporary
 * file, loaded, and deleted again. Several Java machines and several class loaders may do so at once. Windows keeps a file that
 * is in use: there a later start deletes it, when it is a day old.</li> </ol> A failure is remembered, and its message tells
 * which file, which platform and what to do.
 */
public final class NativeLibrary {
    /** System property with the absolute path of the library. */
    public static final String PROPERTY = "endorama.library";
    /** Version of this software and of the library it needs. */
    public static final String VERSION = "0.1.0";
    /** {@code ENDO_ABI} that this class was written for. */
    static final int ABI = 15;

    private static String origin;
    private static EndoramaException failure;

    private NativeLibrary() {
    }

    /**
     * Loads the library unless that is done.
     *
     * @throws EndoramaException with status {@code LIBRARY} if it cannot be
     */
    public static synchronized void load() {
        if (failure != null) {
            throw new EndoramaException(failure.status(), failure.getMessage(), failure);
        }
        if (origin != null) {
            return;
        }
        try {
            String property = System.getProperty(PROPERTY);
            String from = property != null ? loadFile(property) : loadResource(resource());
            checkAbi(from);
            origin = from;
        } catch (EndoramaException e) {
            failure = e;
            throw e;
        }
    }

    /** The file or jar resource that the library was loaded from. Loads it first. */
    public static synchronized String origin() {
        load();
        return origin;
    }

    /** Version of the loaded library. */
    public static String version() {
        load();
        return Native.version();
    }

    /** Name of the resource for this platform. */
    static String resource() {
        return resource(platform());
    }

    static String resource(String platform) {
        return "/native/" + platform + "/" + prefix(platform) + suffix(platform);
    }

    /** Beginning of the library's file name: {@code libendorama-0.1.0}. */
    private static String prefix(String platform) {
        return (platform.startsWith("windows") ? "" : "lib") + "endorama-" + VERSION;
    }

    private static String suffix(String platform) {
        return platform.startsWith("windows") ? ".dll" : platform.startsWith("macos") ? ".dylib" : ".so";
    }

    /** Operating system and processor: {@code linux-amd64}, {@code windows-amd64}. */
    static String platform() {
        return platform(System.getProperty("os.name", "?"), System.getProperty("os.arch", "?"));
    }

    static String platform(String name, String processor) {
        String os = name.toLowerCase(Locale.ROOT);
        String arch = processor.toLowerCase(Locale.ROOT);
        os = os.startsWith("mac") ? "macos" : os.replaceAll("\\s.*", "");
        if (arch.equals("x86_64")) {
            arch = "amd64";
        } else if (arch.equals("arm64")) {
            arch = "aarch64";
        }
        return os + "-" + arch;
    }

    private static String loadFile(String path) {
        File file = new File(path);
        if (!file.isAbsolute() || !file.isFile()) {
            throw failed("-D" + PROPERTY + "=" + path + ": " + (file.isAbsolute() ? "no such file"
                    : "must be an absolute path"), null);
        }
        link(path, path);
        return path;
    }

    private static String loadResource(String resource) {
        try (InputStream in = NativeLibrary.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw failed("this build has no native library for " + platform() + " (no " + resource
                        + " in the jar). Build it on this machine, or name a library with -D" + PROPERTY
                        + "=/absolute/path/libendorama.so", null);
            }
            String prefix = prefix(platform()) + "-";
            String suffix = suffix(platform());
            Path file = Files.createTempFile(prefix, suffix).toAbsolutePath();
            try {
                Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
                link(file.toString(), resource);
            } finally {
                deleteUnused(file, prefix, suffix);
            }
            return "jar:" + resource;
        } catch (IOException e) {
            throw failed(resource + " of the jar could not be copied to the temporary folder "
                    + System.getProperty("java.io.tmpdir") + ": " + e
                    + ". Name a writable one with -Djava.io.tmpdir=FOLDER", e);
        }
    }

    /** Deletes the copy; where that is impossible, deletes copies of earlier days. */
    private static void deleteUnused(Path file, String prefix, String suffix) throws IOException {
        if (!suffix.equals(".dll")) {
            Files.deleteIfExists(file);
            return;
        }
        // A younger copy may belong to a Java machine that is about to load it.
        long old = System.currentTimeMillis() - TimeUnit.DAYS.toMillis(1);
        try (DirectoryStream<Path> copies = Files.newDirectoryStream(file.getParent(), prefix + "*" + suffix)) {
            for (Path copy : copies) {
                deleteOlder(copy, old);
            }
        }
    }

    static void deleteOlder(Path copy, long millis) {
        try {
            if (Files.getLastModifiedTime(copy).toMillis() < millis) {
                Files.delete(copy);
            }
        } catch (IOException inUse) {
            // Another Java machine uses it, or it is gone.
        }
    }

    private static void link(String path, String name) {
        try {
            System.load(path);
        } catch (UnsatisfiedLinkError e) {
            throw failed(name + " does not load on " + platform() + ": " + e.getMessage()
                    + advice(String.valueOf(e.getMessage())), e);
        }
    }

    /** Advice on a message of the dynamic linker; "" if unknown. */
    static String advice(String message) {
        if (message.contains("failed to map segment")) {
            return ". The temporary folder " + System.getProperty("java.io.tmpdir") + " forbids running code"
                    + " (noexec): start Java with -Djava.io.tmpdir=FOLDER on another file system, or with -D"
                    + PROPERTY + "=/absolute/path/libendorama.so";
        }
        if (message.contains("GLIBC")) {
            return ". The library was built for a newer system: build it on this machine";
        }
        return "";
    }

    private static void checkAbi(String from) {
        int abi;
        try {
            abi = Native.abi();
        } catch (UnsatisfiedLinkError e) {
            throw failed(from + " is not Endorama's library: " + e.getMessage(), e);
        }
        if (abi != ABI) {
            throw failed(from + " is of another version: ABI " + abi + ", needed " + ABI, null);
        }
    }

    private static EndoramaException failed(String message, Throwable cause) {
        return new EndoramaException(EndoramaException.Status.LIBRARY, "Endorama's native library: " + message,
                cause);
    }
}
