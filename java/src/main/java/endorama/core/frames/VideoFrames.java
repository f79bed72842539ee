package endorama.core.frames;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;

/**
 * The frames of a video, decoded by ffmpeg through a pipe; nothing is written to the disk. Each stored frame comes once,
 * whatever its duration, and not rotated; 8-bit grey stays, deeper grey becomes 16 bits, all else 8-bit RGB. Frames in order
 * come as fast as they are decoded; any other frame is decoded from the key frame before it, unless it is in the cache of the
 * last ones, an eighth of Java's memory.
 */
public final class VideoFrames extends SizedFrames implements Closeable {
    private static final int MEMORY_SHARE = 8;
    private static final String ENDINGS = "(?s).*\\.(mp4|m4v|mov|avi|mkv|webm|mpe?g|wmv|m?ts)";

    private static final long IDLE_MS = 10000;
    private static final Timer IDLE = new Timer("Endorama video", true);

    private final File file;
    private final VideoIndex index;
    private final Map<Integer, Object> kept;
    private final byte[] bytes;
    private Child decoder;
    private int next;
    /** Index of the first frame of another size than those before, which ends the sequence; else the number of frames. */
    private int end;

    /** @throws FrameReadException that says why it cannot be read, and what can be done */
    public VideoFrames(File file) throws FrameReadException {
        this(file, index(file));
    }

    private VideoFrames(File file, VideoIndex index) throws FrameReadException {
        super(index.count, index.width, index.height, index.type);
        this.file = file;
        this.index = index;
        long frame = (long) index.width * index.height * index.type.bytes();
        if (frame > Integer.MAX_VALUE - 8) {
            throw new FrameReadException(file + ": a frame of " + index.width + " x " + index.height + " is too large");
        }
        bytes = new byte[(int) frame];
        end = index.count;
        int most = (int) Math.max(1, Runtime.getRuntime().maxMemory() / MEMORY_SHARE / frame);
        kept = new LinkedHashMap<Integer, Object>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Integer, Object> eldest) {
                return size() > most;
            }
        };
    }

    private static VideoIndex index(File file) throws FrameReadException {
        if (!file.isFile()) {
            throw new FrameReadException(file + (file.exists() ? ": no regular file" : ": no such file"));
        }
        if (!isReadable()) {
            throw new FrameReadException(file + ": videos are read by ffmpeg and ffprobe, which do not start here: install"
                    + " them (Debian, Ubuntu: apt-get install ffmpeg) so that they are on the path, or convert the video"
                    + " to a folder of PNG files");
        }
        try {
            return VideoIndex.of(file);
        } catch (IOException e) {
            throw new FrameReadException(file + " cannot be read as a video: " + e.getMessage(), e);
        }
    }

    /** The file name is that of a video. */
    public static boolean isVideo(File file) {
        return file.getName().toLowerCase(Locale.ROOT).matches(ENDINGS);
    }

    /** ffmpeg and ffprobe start. */
    public static boolean isReadable() {
        return Ffmpeg.isThere();
    }

    /** A warning about a truncated file. */
    @Override
    public String warning() {
        return index.shortage == null ? null : file + " " + index.shortage + "; what it holds is read";
    }

    @Override
    public synchronized Object pixels(int i) throws FrameReadException {
        Object there = kept.get(i);
        if (there != null) {
            return there;
        }
        try {
            goTo(i);
            while (next < i) {
                readFully();
            }
            readFully();
        } catch (IOException e) {
            close();
            throw new FrameReadException("frame " + (i + 1) + " of " + file + " cannot be read: " + e.getMessage(), e);
        }
        Object pixels = pixels();
        kept.put(i, pixels);
        if (next == index.count) {
            close();
        }
        return pixels;
    }

    private void goTo(int i) throws IOException {
        if (i >= end) {
            throw new IOException(otherSize());
        }
        if (decoder != null && next <= i && !index.isShortcut(next, i)) {
            return;
        }
        close();
        double from = index.isShortcut(0, i) ? index.before(i) : 0;
        decoder = Ffmpeg.decode(file, from, index.format(), index.width, index.height);
        next = from > 0 ? i : 0;
        IDLE.schedule(new Idle(), IDLE_MS, IDLE_MS);
    }

    /** Ends a decoder that has been idle for a while. */
    private final class Idle extends TimerTask {
        private final Child watched = decoder;
        private int seen = next;

        @Override
        public void run() {
            synchronized (VideoFrames.this) {
                if (decoder == watched && next == seen) {
                    close();
                }
                seen = next;
                if (decoder != watched) {
                    cancel();
                }
            }
        }
    }

    private void readFully() throws IOException {
        InputStream in = decoder.in();
        for (int n = 0; n < bytes.length;) {
            int more = in.read(bytes, n, bytes.length - n);
            if (more < 0) {
                throw new IOException(ended(decoder.errors()));
            }
            n += more;
        }
        next++;
    }

    /** The message for decoding that ended early. */
    private String ended(String said) {
        if (said.contains("Invalid too big or non positive size")) {
            end = next;
            return otherSize();
        }
        return "decoding ended after " + next + " of " + index.count + " frames: " + (said.isEmpty() ? "it says nothing" : said);
    }

    private String otherSize() {
        return "frames from about here on have another size than " + index.width + " x " + index.height
                + " px; take the video apart, or choose frames (option frames)";
    }

    private Object pixels() {
        int n = index.width * index.height;
        Object pixels = index.type.array(n);
        ByteBuffer from = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        switch (index.type) {
            case GREY8: from.get((byte[]) pixels); break;
            case GREY16: from.asShortBuffer().get((short[]) pixels); break;
            default:
                int[] colour = (int[]) pixels;
                from.asIntBuffer().get(colour);
                for (int i = 0; i < n; i++) {
                    colour[i] |= 0xff000000;
                }
        }
        return pixels;
    }

    /** Ends the decoder, which restarts for the next frame. */
    @Override
    public synchronized void close() {
        if (decoder != null) {
            decoder.close();
            decoder = null;
        }
    }
}
