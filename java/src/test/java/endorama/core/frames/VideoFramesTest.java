package endorama.core.frames;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.Progress;
import endorama.core.mosaic.MosaicResult;
import endorama.core.mosaic.MosaicSession;
import endorama.core.options.MosaicParameters;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Frames of a video are those that ffmpeg decodes from its beginning to its end, in any order of requests. */
class VideoFramesTest {
    private static final int W = 96;
    private static final int H = 64;

    @TempDir
    Path folder;

    private File file(String name) {
        return folder.resolve(name).toFile();
    }

    /** A clip of 70 frames, with options of an encoder. */
    private File clip(String name, String... options) throws Exception {
        List<String> command = new ArrayList<>(Arrays.asList("-f", "lavfi", "-i",
                "testsrc2=size=" + W + "x" + H + ":rate=25", "-frames:v", "70"));
        command.addAll(Arrays.asList(options));
        command.add(file(name).getPath());
        TestVideos.ffmpeg(command.toArray(new String[0]));
        return file(name);
    }

    /** Every frame, decoded in one pass by ffmpeg. */
    private static List<int[]> decoded(File file) throws Exception {
        Process process = new ProcessBuilder("ffmpeg", "-v", "error", "-i", file.getPath(), "-vsync", "passthrough",
                "-sws_flags", "accurate_rnd+full_chroma_int+bitexact", "-pix_fmt", "bgra", "-f", "rawvideo", "-")
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (InputStream in = process.getInputStream()) {
            byte[] part = new byte[1 << 16];
            for (int n = in.read(part); n >= 0; n = in.read(part)) {
                all.write(part, 0, n);
            }
        }
        assertEquals(0, process.waitFor());
        List<int[]> frames = new ArrayList<>();
        byte[] bytes = all.toByteArray();
        for (int at = 0; at < bytes.length; at += 4 * W * H) {
            int[] frame = new int[W * H];
            for (int i = 0; i < frame.length; i++) {
                int b = at + 4 * i;
                frame[i] = 0xff000000 | (bytes[b + 2] & 0xff) << 16 | (bytes[b + 1] & 0xff) << 8 | bytes[b] & 0xff;
            }
            frames.add(frame);
        }
        return frames;
    }

    @ParameterizedTest
    @CsvSource({"a.mp4,-c:v libx264 -pix_fmt yuv420p -g 12 -bf 3", "b.mov,-c:v libx264 -pix_fmt yuv420p -g 250",
        "c.mkv,-c:v libx264 -pix_fmt yuv422p10 -g 20", "d.avi,-c:v mjpeg -q:v 2 -pix_fmt yuvj420p",
        "e.avi,-c:v mpeg4 -bf 2 -g 15", "f.avi,-c:v rawvideo -pix_fmt bgr24", "g.mpg,-c:v mpeg2video -g 12 -bf 2",
        "h.ts,-c:v libx264 -pix_fmt yuv420p -g 12", "i.mov,-c:v qtrle", "j.mkv,-c:v ffv1"})
    void framesAreThoseOfTheProgramInAnyOrder(String name, String options) throws Exception {
        TestVideos.need();
        File file = clip(name, options.split(" "));
        List<int[]> expected = decoded(file);
        try (VideoFrames frames = new VideoFrames(file)) {
            assertEquals(expected.size(), frames.count());
            assertEquals(70, frames.count());
            for (int i = 0; i < frames.count(); i++) {
                assertArrayEquals(expected.get(i), (int[]) frames.pixels(i), name + " " + i);
            }
        }
        // Reopened, because the first reader has cached all frames.
        try (VideoFrames frames = new VideoFrames(file)) {
            Random random = new Random(3);
            for (int k = 0; k < 6; k++) {
                int i = random.nextInt(frames.count());
                assertArrayEquals(expected.get(i), (int[]) frames.pixels(i), name + " " + i);
            }
        }
    }

    /** Frames that were cut off without new encoding are in the file, but not in the video. */
    @Test
    void aCutVideoHasTheFramesThatAreShown() throws Exception {
        TestVideos.need();
        File whole = clip("whole.mp4", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-g", "30");
        TestVideos.ffmpeg("-ss", "0.48", "-i", whole.getPath(), "-c", "copy", file("cut.mp4").getPath());
        List<int[]> expected = decoded(file("cut.mp4"));
        try (VideoFrames frames = new VideoFrames(file("cut.mp4"))) {
            assertEquals(expected.size(), frames.count());
            for (int i : new int[] {40, 0, 31, 5, expected.size() - 1}) {
                assertArrayEquals(expected.get(i), (int[]) frames.pixels(i), "frame " + i);
            }
        }
    }

    @Test
    void greyStaysGreyAndDeepGreyDeep() throws Exception {
        TestVideos.need();
        try (VideoFrames frames = new VideoFrames(clip("g.mkv", "-c:v", "ffv1", "-pix_fmt", "gray"))) {
            assertEquals(PixelType.GREY8, frames.type());
            assertEquals(W * H, ((byte[]) frames.pixels(3)).length);
        }
        try (VideoFrames frames = new VideoFrames(clip("h.mkv", "-c:v", "ffv1", "-pix_fmt", "gray16le"))) {
            assertEquals(PixelType.GREY16, frames.type());
            assertEquals(W * H, ((short[]) frames.pixels(3)).length);
        }
    }

    @Test
    void whatCannotBeReadSaysWhy() throws Exception {
        TestVideos.need();
        Files.write(folder.resolve("text.mp4"), "this is no video".getBytes("US-ASCII"));
        assertSays("cannot be read as a video", "text.mp4");
        byte[] whole = Files.readAllBytes(clip("a.mp4", "-c:v", "mpeg4").toPath());
        Files.write(folder.resolve("half.mp4"), Arrays.copyOf(whole, whole.length / 2));
        assertSays("moov", "half.mp4");
        TestVideos.ffmpeg("-f", "lavfi", "-i", "sine=duration=1", file("sound.mkv").getPath());
        assertSays("no video", "sound.mkv");
        assertSays("no such file", "none.mp4");
    }

    /** A truncated file is read up to its end with a warning; a complete or properly shortened one without. */
    @ParameterizedTest
    @CsvSource({"a.mkv,-c:v ffv1 -g 1,lasts 2.8 s", "b.avi,-c:v mjpeg -q:v 2 -pix_fmt yuvj420p,has 70 frames",
        "c.mp4,-c:v libx264 -pix_fmt yuv420p -g 10 -movflags faststart,has 70 frames"})
    void aVideoThatWasCutIsSaidToBe(String name, String options, String why) throws Exception {
        TestVideos.need();
        File file = clip(name, options.split(" "));
        byte[] whole = Files.readAllBytes(file.toPath());
        try (VideoFrames frames = new VideoFrames(file)) {
            assertNull(frames.warning());
        }
        TestVideos.ffmpeg("-ss", "0.48", "-t", "1.2", "-i", file.getPath(), "-c", "copy", file("part" + name).getPath());
        try (VideoFrames frames = new VideoFrames(file("part" + name))) {
            assertNull(frames.warning());
        }
        Files.write(file.toPath(), Arrays.copyOf(whole, whole.length * 3 / 5));
        try (VideoFrames frames = new VideoFrames(file)) {
            String warning = frames.warning();
            assertTrue(warning.contains(file + " says that it " + why), warning);
            assertTrue(warning.contains("it may have been cut"), warning);
            assertTrue(frames.count() > 20 && frames.count() < 60, warning);
            try (MosaicResult result = new MosaicSession(new FrameRange("1-2").of(frames), MosaicParameters.defaults(),
                    Progress.NONE).run()) {
                assertTrue(result.log().contains(warning), result.log().toString());
            }
        }
    }

    /** Up to two missing frames, and half a second, cause no warning. */
    @Test
    void aVideoThatLacksLittleIsWhole() throws Exception {
        TestVideos.need();
        for (int lacking = 2; lacking <= 3; lacking++) {
            File file = clip("a" + lacking + ".avi", "-c:v", "rawvideo", "-pix_fmt", "bgr24");
            byte[] whole = Files.readAllBytes(file.toPath());
            int frame = 3 * W * H + 8;
            int index = 8 + 16 * 70;
            Files.write(file.toPath(), Arrays.copyOf(whole, whole.length - index - lacking * frame));
            try (VideoFrames frames = new VideoFrames(file)) {
                assertEquals(70 - lacking, frames.count());
                assertEquals(lacking == 2, frames.warning() == null);
            }
        }
    }

    private void assertSays(String why, String name) {
        FrameReadException e = assertThrows(FrameReadException.class, () -> new VideoFrames(file(name)));
        assertTrue(e.getMessage().contains(why) && e.getMessage().contains(name), e.getMessage());
    }

    /** Frames before the end are used, those behind it are reported. */
    @Test
    void aVideoThatEndsEarlyNamesTheFrame() throws Exception {
        TestVideos.need();
        byte[] whole = Files.readAllBytes(clip("a.mkv", "-c:v", "ffv1", "-g", "1").toPath());
        File cut = file("a.mkv");
        try (VideoFrames frames = new VideoFrames(cut)) {
            frames.pixels(0);
            Files.write(cut.toPath(), Arrays.copyOf(whole, whole.length / 2));
            frames.close();
            FrameReadException e = assertThrows(FrameReadException.class, () -> {
                for (int i = 1; i < frames.count(); i++) {
                    frames.pixels(i);
                }
            });
            assertTrue(e.getMessage().contains("of 70 frames"), e.getMessage());
        }
    }

    @Test
    void withoutTheProgramItSaysHowToGetIt() throws IOException {
        Files.write(folder.resolve("a.mp4"), new byte[100]);
        System.setProperty(Ffmpeg.FOLDER, folder.toString());
        try {
            assertSays("apt-get install ffmpeg", "a.mp4");
        } finally {
            System.clearProperty(Ffmpeg.FOLDER);
        }
    }
}
