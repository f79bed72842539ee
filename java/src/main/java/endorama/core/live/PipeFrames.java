package endorama.core.live;

import endorama.core.frames.FrameReadException;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Frames in the bytes of a pipe or file: YUV4MPEG2, or raw. */
public final class PipeFrames implements FrameStream {
    private static final int LONGEST_HEADER = 1024;
    private static final String FRAME = "FRAME";

    private final InputStream in;
    private final FrameFormat format;
    /** First line of a YUV4MPEG2 stream; null: frames are raw. */
    private final String begin;
    /** Arrays of frames that were released; three are used in turn. */
    private final ConcurrentLinkedQueue<byte[]> spare = new ConcurrentLinkedQueue<byte[]>();
    private Object pixels;
    private long frames;

    private PipeFrames(InputStream in, FrameFormat format, String begin) {
        this.in = in;
        this.format = format;
        this.begin = begin;
    }

    /** @throws StreamException if it does not begin with the header of a YUV4MPEG2 stream that can be read */
    public static PipeFrames y4m(InputStream in) throws IOException {
        String header = line(in);
        if (header == null) {
            throw new StreamException("it is empty");
        }
        if (!Y4mFormat.isMagic(header)) {
            throw new StreamException("it is no YUV4MPEG2 (ffmpeg: -f yuv4mpegpipe); of raw frames give --format and --size");
        }
        return new PipeFrames(in, Y4mFormat.of(header), header);
    }

    /**
     * Raw frames.
     *
     * @param format gray8, gray16 (little-endian), rgb24 or bgr24
     * @param size such as 1920x1080
     */
    public static PipeFrames raw(InputStream in, String format, String size) throws StreamException {
        return new PipeFrames(in, RawFormat.of(format, size), null);
    }

    /** Says what raw frames may be, before there is a stream. */
    public static void checkRaw(String format, String size) throws StreamException {
        RawFormat.of(format, size);
    }

    /** A warning about the stream as a whole; null: there is none. */
    public String warning() {
        return begin != null && ((Y4mFormat) format).interlaced ? "the stream is interlaced: moving edges have combs (ffmpeg: -vf yadif)"
                : null;
    }

    /** Text up to the end of a line, or of the stream, or to the longest header; null: the stream has ended. */
    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        int c = in.read();
        for (; c >= 0 && c != '\n' && line.length() < LONGEST_HEADER; c = in.read()) {
            line.append((char) c);
        }
        return c < 0 && line.length() == 0 ? null : line.toString();
    }

    @Override
    public LiveFrame next() throws IOException {
        if (begin != null) {
            String header = line(in);
            // A stream like this one follows it.
            header = begin.equals(header) ? line(in) : header;
            if (header == null) {
                return null;
            }
            if (Y4mFormat.isMagic(header)) {
                FrameFormat next = Y4mFormat.of(header);
                throw new StreamException("after " + frames + " frames a stream of another kind begins, of " + next.width
                        + " x " + next.height + " pixels; it is not read");
            }
            if (!header.equals(FRAME) && !header.startsWith(FRAME + " ")) {
                throw new StreamException("after " + frames + " frames something else comes; the stream is damaged");
            }
        }
        byte[] bytes = spare.poll();
        bytes = bytes == null ? new byte[format.bytes()] : bytes;
        int n = fill(bytes);
        if (n == 0 && begin == null) {
            return null;
        }
        frames++;
        if (n < bytes.length) {
            throw new FrameReadException("frame " + frames + " is cut off: " + n + " of " + bytes.length + " bytes");
        }
        return new Held(bytes, System.nanoTime());
    }

    private int fill(byte[] bytes) throws IOException {
        int n = 0;
        while (n < bytes.length) {
            int read = in.read(bytes, n, bytes.length - n);
            if (read < 0) {
                break;
            }
            n += read;
        }
        return n;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    /** A frame as bytes. */
    private final class Held extends LiveFrame {
        private final byte[] bytes;

        Held(byte[] bytes, long now) {
            super(format.width, format.height, format.type, "", now);
            this.bytes = bytes;
        }

        @Override
        public Object pixels() {
            pixels = pixels == null ? format.type.array(format.width * format.height) : pixels;
            format.decode(bytes, pixels);
            return pixels;
        }

        @Override
        public void release() {
            spare.add(bytes);
        }
    }
}
