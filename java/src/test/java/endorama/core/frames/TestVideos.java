package endorama.core.frames;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** Videos for tests. */
public final class TestVideos {
    private TestVideos() {
    }

    /** Skips the test, with a message, where ffmpeg is missing. */
    public static void need() {
        if (!VideoFrames.isReadable()) {
            String test = new Throwable().getStackTrace()[1].toString();
            System.err.println("SKIP " + test + ": no ffmpeg and ffprobe here; ./endorama setup installs them");
            Assumptions.abort("no ffmpeg");
        }
    }

    public static void ffmpeg(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(Arrays.asList("ffmpeg", "-v", "error", "-nostdin", "-y"));
        command.addAll(Arrays.asList(arguments));
        assertEquals(0, new ProcessBuilder(command).inheritIO().start().waitFor(), command.toString());
    }
}
