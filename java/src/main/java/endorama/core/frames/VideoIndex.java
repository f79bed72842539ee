package endorama.core.frames;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** Index of a video file: size, pixel kind, and of every frame its time and whether it is a key frame. */
final class VideoIndex {
    /** Tolerance, frames and seconds, of the length that a file states. */
    private static final int LEAST_MISSING = 3;
    private static final double LEAST_SECONDS = 0.5;
    /** Messages of ffprobe about a truncated file. */
    private static final Pattern TORN = Pattern.compile("ended prematurely|truncated|partial file|Packet corrupt|moov atom not found");
    /** Length of an MPEG transport stream packet, and its first byte. */
    private static final int PACKET = 188;
    private static final int SYNC = 0x47;

    final int width;
    final int height;
    final PixelType type;
    final int count;
    /** The message about frames that the file states and does not hold; null: none are missing. */
    final String shortage;
    /** Time of every frame, s, in the order of display; null if the file does not say. */
    private final double[] times;
    private final boolean[] keys;
    /** Origin of ffmpeg's option -ss, s. */
    private final double start;
    /** Seeking to a time is exact; it may not be where packets have no index. */
    private final boolean exact;

    /** packets: of the displayed frames; hidden: number of the others; torn: see {@link #torn}. */
    private VideoIndex(Map<String, String> stream, List<String[]> packets, int hidden, String torn) throws IOException {
        width = number(stream, "width");
        height = number(stream, "height");
        if (width < 1 || height < 1 || packets.isEmpty()) {
            throw new IOException("it holds no video");
        }
        type = type(stream.getOrDefault("pix_fmt", ""));
        count = packets.size();
        keys = new boolean[count];
        times = new double[count];
        boolean timed = true;
        for (int i = 0; i < count && timed; i++) {
            timed = packets.get(i)[0].matches("-?[\\d.]+");
        }
        if (timed) {
            packets.sort((a, b) -> Double.compare(Double.parseDouble(a[0]), Double.parseDouble(b[0])));
        }
        start = timed && stream.getOrDefault("start_time", "").matches("-?[\\d.]+")
                ? Double.parseDouble(stream.get("start_time")) : 0;
        exact = timed && stream.getOrDefault("format_name", "").matches(".*(mp4|matroska|avi).*");
        for (int i = 0; i < count; i++) {
            times[i] = timed ? Double.parseDouble(packets.get(i)[0]) : Double.NaN;
            keys[i] = packets.get(i)[1].startsWith("K");
        }
        String said = shortage(stream, count + hidden, times[count - 1]);
        shortage = said == null ? torn : said;
    }

    /** The message about a file that states no length and ends within a frame or packet; null where none can be seen. */
    private static String torn(File file, Map<String, String> stream, String errors) throws IOException {
        if (TORN.matcher(errors).find()) {
            return "ends early (" + errors.split("; ", 2)[0] + "): it may have been cut";
        }
        boolean packets = stream.getOrDefault("format_name", "").equals("mpegts");
        return packets && file.length() % packetSize(file) != 0 ? "ends in the middle of a packet: it may have been cut" : null;
    }

    /** Length of an MPEG transport stream packet; those of cameras have a time stamp before each. */
    private static int packetSize(File file) throws IOException {
        try (InputStream in = Files.newInputStream(file.toPath())) {
            return in.read() == SYNC ? PACKET : PACKET + 4;
        }
    }

    /** The message about missing frames, by the number of frames that the file states, else by its duration. */
    private static String shortage(Map<String, String> stream, int held, double last) {
        String said = stream.getOrDefault("nb_frames", "");
        if (said.matches("\\d{1,9}")) {
            int frames = Integer.parseInt(said);
            return frames - held < LEAST_MISSING ? null
                    : "says that it has " + frames + " frames, and holds " + held + ": it may have been cut";
        }
        double duration = seconds(stream.getOrDefault("tag:DURATION", ""));
        return !(duration - last >= LEAST_SECONDS) ? null : String.format(Locale.ROOT,
                "says that it lasts %.1f s, and its last frame is at %.1f s: it may have been cut", duration, last);
    }

    /** Seconds of hours:minutes:seconds; NaN of anything else. */
    private static double seconds(String clock) {
        if (!clock.matches("\\d{1,4}:\\d{1,2}:\\d{1,2}(\\.\\d*)?")) {
            return Double.NaN;
        }
        String[] parts = clock.split(":");
        return 3600 * Integer.parseInt(parts[0]) + 60 * Integer.parseInt(parts[1]) + Double.parseDouble(parts[2]);
    }

    /** @throws IOException that says why there is none */
    static VideoIndex of(File file) throws IOException {
        Map<String, String> stream = new HashMap<String, String>();
        List<String[]> packets = new ArrayList<String[]>();
        int hidden = 0;
        Ffmpeg.Said said = Ffmpeg.probe(file, "-select_streams", "V:0", "-show_entries",
                "stream=width,height,pix_fmt,nb_frames:stream_tags=DURATION:packet=pts_time,flags"
                + ":format=start_time,format_name", "-of", "compact=p=0");
        for (String line : said.lines) {
            Map<String, String> entries = entries(line);
            String flags = entries.get("flags");
            if (flags == null) {
                stream.putAll(entries);
            } else if (flags.indexOf('D') < 0) {
                // D: decoded and not displayed, where the file was cut.
                packets.add(new String[] {entries.getOrDefault("pts_time", "N/A"), flags});
            } else {
                hidden++;
            }
        }
        return new VideoIndex(stream, packets, hidden, torn(file, stream, said.errors));
    }

    private static Map<String, String> entries(String line) {
        Map<String, String> entries = new HashMap<String, String>();
        for (String entry : line.split("\\|")) {
            int at = entry.indexOf('=');
            if (at > 0) {
                entries.put(entry.substring(0, at), entry.substring(at + 1));
            }
        }
        return entries;
    }

    private static int number(Map<String, String> entries, String key) {
        String value = entries.getOrDefault(key, "");
        return value.matches("\\d{1,6}") ? Integer.parseInt(value) : 0;
    }

    private static PixelType type(String format) {
        if (format.matches("gray(1[0246]).*")) {
            return PixelType.GREY16;
        }
        return format.startsWith("gray") && !format.startsWith("grayf") || format.startsWith("mono") ? PixelType.GREY8
                : PixelType.RGB32;
    }

    /** Time to seek to for a frame, between it and the one before, s, in ffmpeg's time; 0: the beginning. */
    double before(int frame) {
        return frame == 0 || !exact ? 0 : Math.max(0, (times[frame - 1] + times[frame]) / 2 - start);
    }

    /** Seeking to the frame is faster than decoding on. */
    boolean isShortcut(int from, int to) {
        for (int i = from + 1; i <= to && exact; i++) {
            if (keys[i]) {
                return true;
            }
        }
        return false;
    }

    /** The pixel format, in the library's names. */
    String format() {
        return type == PixelType.GREY8 ? "gray" : type == PixelType.GREY16 ? "gray16le" : "bgra";
    }
}
