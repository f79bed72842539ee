package endorama.scijava;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.options.Commands;
import endorama.core.options.OptionTable;
import endorama.plugin.DemoCommand;
import endorama.plugin.MosaicCommand;
import endorama.plugin.MosaicOutput;
import ij.ImagePlus;
import ij.measure.ResultsTable;
import java.util.Arrays;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.scijava.Context;
import org.scijava.command.CommandInfo;
import org.scijava.command.CommandModule;
import org.scijava.command.CommandService;

/** SciJava finds every command; scripts run them and get what the plugin's own commands make. */
class ScijavaCommandsTest {
    private static Context context;

    @BeforeAll
    static void start() {
        context = new Context();
    }

    @AfterAll
    static void end() {
        context.dispose();
    }

    private static CommandModule run(String name, Object... inputs) throws Exception {
        return context.service(CommandService.class).run("endorama.scijava." + name, true, inputs).get();
    }

    private static ImagePlus demo() throws Exception {
        return (ImagePlus) run("DemoSequence", "options", "frames=5 width=240 height=200").getOutput("result");
    }

    private static int[] pixels(Object image, int slice) {
        return (int[]) ((ImagePlus) image).getStack().getPixels(slice);
    }

    @Test
    void everyCommandIsFoundUnderItsTitle() {
        TreeSet<String> expected = new TreeSet<>();
        for (OptionTable table : Commands.ALL) {
            expected.add(table.title());
        }
        TreeSet<String> found = new TreeSet<>();
        for (CommandInfo info : context.service(CommandService.class).getCommands()) {
            if (info.getClassName().startsWith("endorama.")) {
                found.add(info.getLabel() + "...");
                assertTrue(info.isVisible() && info.canRunHeadless() && info.isValid(), info.getTitle());
                // The menu has the plugin's own commands.
                assertEquals(0, info.getMenuPath().size(), info.getTitle());
            }
        }
        assertEquals(expected, found);
    }

    @Test
    void aScriptGetsWhatTheCommandMakes() throws Exception {
        ImagePlus demo = demo();
        assertArrayEquals(pixels(DemoCommand.exec("frames=5 width=240 height=200"), 5), pixels(demo, 5));
        String options = "template=31 highlights warp=Translation";
        CommandModule module = run("Mosaic", "image", demo, "options", options);
        MosaicOutput same = MosaicCommand.exec(demo, options);
        assertArrayEquals(pixels(same.panorama(), 1), pixels(module.getOutput("panorama"), 1));
        assertEquals(5, ((ResultsTable) module.getOutput("frames")).size());
        assertEquals(5, ((ResultsTable) module.getOutput("transforms")).size());
        assertEquals(same.result().verdict().toString(), module.getOutput("verdict"));
        assertTrue(((String) run("Info").getOutput("text")).contains("self-check     passed"));
    }

    @Test
    void twoImagesNeedNotBeOpen() throws Exception {
        ImagePlus demo = demo();
        ImagePlus other = new ImagePlus("other", demo.getStack().getProcessor(1));
        ImagePlus image = new ImagePlus("image", demo.getStack().getProcessor(3));
        for (String[] command : new String[][] {{"RotationAndScale", "onto"}, {"MutualInformation", "fixed"}}) {
            CommandModule module = run(command[0], "image", image, command[1], other);
            assertEquals(240, ((ImagePlus) module.getOutput("result")).getWidth());
            assertEquals(1, ((ResultsTable) module.getOutput("table")).size());
        }
    }

    @Test
    void equalizesOneSliceOrAll() throws Exception {
        ImagePlus demo = demo();
        int[] last = pixels(demo, 5).clone();
        run("Equalize", "image", demo);
        assertArrayEquals(last, pixels(demo, 5));
        run("Equalize", "image", demo, "options", "stack");
        assertTrue(!Arrays.equals(last, pixels(demo, 5)));
    }

    @Test
    void wrongInputsAreErrorsThatNameThem() throws Exception {
        ImagePlus demo = demo();
        assertFails("tempalte", "Mosaic", "image", demo, "options", "tempalte=31");
        assertFails("template 32", "Mosaic", "image", demo, "options", "template=32");
        assertFails("transforms: missing", "Apply", "image", demo);
        // No image of an earlier run is taken up.
        run("Equalize", "image", demo);
        assertFails("image: missing", "Equalize");
        assertFails("fixed: missing", "MutualInformation", "image", demo);
        assertFails("none: unknown", "Info", "options", "none");
        assertThrows(IllegalArgumentException.class, () -> run("Mosaic", "image", demo, "template", 31));
    }

    private static void assertFails(String named, String command, Object... inputs) {
        Throwable failure = assertThrows(ExecutionException.class, () -> run(command, inputs), named);
        while (failure.getCause() != null) {
            failure = failure.getCause();
        }
        assertTrue(String.valueOf(failure.getMessage()).contains(named), failure.toString());
    }
}
