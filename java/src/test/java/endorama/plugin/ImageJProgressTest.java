package endorama.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Lines that open the Log window, which without windows is standard output. */
@ExtendWith(BatchMode.class)
class ImageJProgressTest {
    private static String logged(Callable<?> work) throws Exception {
        PrintStream out = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bytes, true, "UTF-8"));
        try {
            work.call();
        } finally {
            System.setOut(out);
        }
        return bytes.toString("UTF-8").trim();
    }

    @Test
    void whatIsAsUsualIsNotLogged() throws Exception {
        ImageJProgress progress = new ImageJProgress("Mosaic");
        assertEquals("", logged(() -> {
            progress.note("backend CPU: this build has no CUDA");
            return null;
        }));
        assertEquals("Endorama: backend CPU: CUDA does not start: why", logged(() -> {
            progress.log("backend CPU: CUDA does not start: why");
            return null;
        }));
    }

    @Test
    void runWithoutTroubleLogsNothing() throws Exception {
        BatchMode.open(DemoCommand.exec("width=240 height=200 frames=8 step=4"));
        String log = logged(() -> InMacro.call("", () -> {
            new MosaicCommand().run("");
            return null;
        }));
        // The progress may be logged on a slow machine.
        assertFalse(log.contains("Endorama: "), log);
    }

    @Test
    void filterWithoutTroubleLogsNothing() throws Exception {
        assertEquals("", logged(() -> {
            AheImages.run(AheImages.grey(), "window=31 ");
            return null;
        }));
    }
}
