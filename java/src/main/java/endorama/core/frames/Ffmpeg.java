package endorama.core.frames;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The programs ffmpeg and ffprobe, which read videos: those on the path, or in the folder that a property names. */
final class Ffmpeg {
    /** System property: the folder with the programs. */
    static final String FOLDER = "endorama.ffmpeg";
    private static final int TOLD = 500;
    private static final Pattern VERSION = Pattern.compile("version n?(\\d+)\\.(\\d+)");

    private Ffmpeg() {
    }

    private static Process start(String program, List<String> arguments) throws IOException {
        String folder = System.getProperty(FOLDER);
        List<String> command = new ArrayList<String>();
        command.add(folder == null ? program : new File(folder, program).getPath());
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).start();
        process.getOutputStream().close();
        return process;
    }

    /** Both programs start. */
    static boolean isThere() {
        try {
            return lines("ffprobe", "-version").size() + lines("ffmpeg", "-version").size() > 1;
        } catch (IOException e) {
            return false;
        }
    }

    /** What ffprobe says of a file, line by line, or why it cannot. */
    static List<String> probe(File file, String... arguments) throws IOException {
        List<String> all = new ArrayList<String>(Arrays.asList("-v", "error"));
        all.addAll(Arrays.asList(arguments));
        all.addAll(input(file));
        return lines("ffprobe", all.toArray(new String[0]));
    }

    /** Neither another protocol nor a file that a file names. */
    private static List<String> input(File file) {
        return Arrays.asList("-protocol_whitelist", "file,pipe", "-i", "file:" + file.getAbsolutePath());
    }

    private static List<String> lines(String program, String... arguments) throws IOException {
        Process process = start(program, Arrays.asList(arguments));
        Errors errors = new Errors(process);
        List<String> lines = new ArrayList<String>();
        try (BufferedReader in = new BufferedReader(new InputStreamReader(process.getInputStream(),
                StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lines.add(line);
            }
            if (process.waitFor() != 0) {
                throw new IOException(errors.text());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            process.destroy();
        }
        return lines;
    }

    /**
     * Frames of a video as raw pixels on its standard output, each that the file holds once.
     *
     * @param from seconds into the file; 0 for all of it
     * @param format of the pixels, as ffmpeg names it
     */
    static Process decode(File file, double from, String format) throws IOException {
        List<String> arguments = new ArrayList<String>(Arrays.asList("-v", "error", "-nostdin", "-noautorotate"));
        if (from > 0) {
            arguments.addAll(Arrays.asList("-ss", String.format(java.util.Locale.ROOT, "%.6f", from)));
        }
        arguments.addAll(input(file));
        arguments.addAll(Arrays.asList("-map", "0:v:0", hasFrameModes() ? "-fps_mode" : "-vsync", "passthrough",
                "-sws_flags", "accurate_rnd+full_chroma_int+bitexact", "-pix_fmt", format, "-f", "rawvideo", "pipe:1"));
        return start("ffmpeg", arguments);
    }

    /** From 5.1 on an option has another name. */
    private static boolean hasFrameModes() throws IOException {
        Matcher version = VERSION.matcher(lines("ffmpeg", "-version").get(0));
        if (!version.find()) {
            // Built from the sources of a day.
            return true;
        }
        int major = Integer.parseInt(version.group(1));
        return major > 5 || major == 5 && Integer.parseInt(version.group(2)) >= 1;
    }

    /** What a program writes to its standard error, the beginning of it. */
    static final class Errors {
        private final StringBuilder text = new StringBuilder();
        private final Thread reader;

        Errors(Process process) {
            reader = new Thread(() -> read(process.getErrorStream()), "Endorama ffmpeg");
            reader.setDaemon(true);
            reader.start();
        }

        private void read(InputStream in) {
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    add(line.replaceFirst("^file:", "").replaceFirst("^\\[[^\\]]*\\] *", "").trim());
                }
            } catch (IOException e) {
                add(e.getMessage());
            }
        }

        private synchronized void add(String line) {
            if (text.length() < TOLD && !line.isEmpty()) {
                text.append(text.length() == 0 ? "" : "; ").append(line);
            }
        }

        /** One line, once the program has ended. */
        String text() {
            try {
                reader.join(1000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            synchronized (this) {
                return text.length() == 0 ? "it says nothing" : text.toString();
            }
        }
    }
}
