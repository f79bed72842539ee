package endorama.core.frames;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The programs ffmpeg and ffprobe, on the path or in the folder that a property names. They open only the named file: only
 * containers that hold their frames are read, and only the file protocol.
 */
final class Ffmpeg {
    /** System property: the folder with the programs. */
    static final String FOLDER = "endorama.ffmpeg";
    /**
     * Containers that are read, as ffmpeg names its demuxers. Playlists and the like (HLS, DASH, concat, IMF, image sequences,
     * network sessions) would make it open other files.
     */
    private static final String CONTAINERS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mpegvideo,asf,flv,ogg,mxf,"
            + "dv,nut,gif,yuv4mpegpipe,h264,hevc,m4v,mjpeg,ivf";
    private static final Pattern VERSION = Pattern.compile("version n?(\\d+)\\.(\\d+)");

    private Ffmpeg() {
    }

    private static Child start(String program, List<String> arguments) throws IOException {
        Child.checkDeadline();
        String folder = System.getProperty(FOLDER);
        List<String> command = new ArrayList<String>();
        command.add(folder == null ? program : new File(folder, program).getPath());
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).start();
        process.getOutputStream().close();
        return new Child(process);
    }

    /** Both programs start. */
    static boolean isThere() {
        try {
            return lines("ffprobe", "-version").size() + lines("ffmpeg", "-version").size() > 1;
        } catch (IOException e) {
            return false;
        }
    }

    /** The output of ffprobe about a file, line by line, or why it fails. */
    static Said probe(File file, String... arguments) throws IOException {
        List<String> all = new ArrayList<String>(Arrays.asList("-v", "error"));
        all.addAll(Arrays.asList(arguments));
        all.addAll(input(file));
        return ask("ffprobe", all);
    }

    private static List<String> input(File file) {
        return Arrays.asList("-protocol_whitelist", "file", "-format_whitelist", CONTAINERS, "-i",
                "file:" + file.getAbsolutePath());
    }

    private static List<String> lines(String program, String... arguments) throws IOException {
        return ask(program, Arrays.asList(arguments)).lines;
    }

    private static Said ask(String program, List<String> arguments) throws IOException {
        List<String> lines = new ArrayList<String>();
        try (Child child = start(program, arguments);
                BufferedReader in = new BufferedReader(new InputStreamReader(child.in(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lines.add(line);
            }
            if (child.exitCode() != 0) {
                throw new IOException(refused(child.errors()));
            }
            return new Said(lines, child.errors());
        }
    }

    /** Why ffprobe refuses a file, for people; its message names the whitelist where the container is not on it. */
    private static String refused(String said) {
        if (said.contains("not on whitelist")) {
            return "it is a list of other files, or no container that holds its frames itself; those are not read";
        }
        return said.isEmpty() ? "it says nothing" : said;
    }

    /** Standard output and error of a program that ended well. */
    static final class Said {
        final List<String> lines;
        /** Standard error; "" for nothing. */
        final String errors;

        Said(List<String> lines, String errors) {
            this.lines = lines;
            this.errors = errors;
        }
    }

    /**
     * Decodes the frames of a video to raw pixels on standard output, each stored frame once.
     *
     * @param from seconds into the file; 0 for all of it
     * @param format of the pixels, as ffmpeg names it
     * @param width of every frame, px; it ends at the first one of another size, which ffmpeg would scale
     */
    static Child decode(File file, double from, String format, int width, int height) throws IOException {
        List<String> arguments = new ArrayList<String>(Arrays.asList("-v", "error", "-nostdin", "-noautorotate"));
        if (from > 0) {
            arguments.addAll(Arrays.asList("-ss", String.format(java.util.Locale.ROOT, "%.6f", from)));
        }
        arguments.addAll(input(file));
        String size = String.format(java.util.Locale.ROOT, "crop=w='if(eq(iw,%d)*eq(ih,%d),iw,-1)':h=ih:exact=1", width, height);
        arguments.addAll(Arrays.asList("-map", "0:V:0", "-vf", size, hasFrameModes() ? "-fps_mode" : "-vsync", "passthrough",
                "-sws_flags", "accurate_rnd+full_chroma_int+bitexact", "-pix_fmt", format, "-f", "rawvideo", "pipe:1"));
        return start("ffmpeg", arguments);
    }

    /** From version 5.1 on the option for the frame mode has another name. */
    private static boolean hasFrameModes() throws IOException {
        Matcher version = VERSION.matcher(lines("ffmpeg", "-version").get(0));
        if (!version.find()) {
            // A development build has no version number.
            return true;
        }
        int major = Integer.parseInt(version.group(1));
        return major > 5 || major == 5 && Integer.parseInt(version.group(2)) >= 1;
    }
}
