package endorama.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.options.Commands;
import endorama.core.options.Group;
import endorama.core.options.Option;
import endorama.core.options.OptionTable;
import endorama.core.options.OptionValues;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The components of dialogs. Their appearance was checked by eye: docs/images/dialogs.png. */
class DialogPartsTest {
    private static List<String> keys(List<Option> options) {
        List<String> keys = new ArrayList<>();
        for (Option option : options) {
            keys.add(option.key());
        }
        return keys;
    }

    /** ImageJ's recorder shows an error if it finds a key in what is recorded, even inside a value. */
    private static void assertTripsNobody(OptionTable table, String line) {
        OptionValues values = table.parseMacro(line);
        StringBuilder recorded = new StringBuilder();
        for (Option option : Recording.order(values)) {
            boolean flag = option.type() == Option.Type.FLAG;
            assertFalse(recorded.indexOf(flag ? " " + option.key() : option.key() + "=") >= 0,
                    option.key() + " in " + recorded);
            recorded.append(' ').append(option.key()).append(flag ? "" : "=" + values.get(option.key()));
        }
    }

    @Test
    void theRecorderIsNotTrippedByWhatAValueHolds() {
        assertTripsNobody(Commands.SWEEP, "");
        assertTripsNobody(Commands.SWEEP, "ranges=[template=15-47:2 landmarks=6-10 table=3 highlights] landmarks=9 template=31"
                + " highlights table=[/tmp/a.csv]");
        assertTripsNobody(Commands.MOSAIC, "transforms=[/tmp/table=1/a highlights.csv] table=[/tmp/b.csv] highlights");
    }

    @Test
    void onlyWhatDiffersIsRecorded() {
        assertEquals("[]", keys(Recording.order(Commands.MOSAIC.defaults())).toString());
        assertEquals("[rim, highlights]", keys(Recording.order(Commands.MOSAIC.parseMacro(
                "highlights rim=6 method=Best"))).toString());
        assertEquals("[refine]", keys(Recording.order(Commands.FOURIER.parseMacro("refine=false"))).toString());
        assertEquals("[transforms]", keys(Recording.order(Commands.APPLY.parseMacro("transforms=a.csv"))).toString());
    }

    @Test
    void aDialogBeginsWithFewOptionsAndHasAllOfThem() {
        assertTrue(Commands.MOSAIC.options(Group.MAIN).size() <= 7, keys(Commands.MOSAIC.options(Group.MAIN)).toString());
        for (OptionTable table : Commands.ALL) {
            int all = 0;
            for (Group group : Group.values()) {
                all += table.options(group).size();
                assertTrue(table.options(group).size() <= 16, table.name() + " " + group);
            }
            assertEquals(table.options().size(), all);
        }
    }

    @Test
    void helpHasLabelsDefaultsUnitsAndAdvice() {
        String help = OptionHelp.html(Commands.MOSAIC);
        for (String text : new String[] {"Size of the templates", "<code>template</code>", "3..255 px; default 0 px",
            "<h4>Registration</h4>", "default off"}) {
            assertTrue(help.contains(text), text + " in " + help);
        }
        int advice = 0;
        for (Option option : Commands.MOSAIC.options()) {
            assertTrue(option.when().isEmpty() || help.contains("When to change: " + option.when()), option.key());
            advice += option.when().isEmpty() ? 0 : 1;
        }
        assertTrue(advice >= 6, advice + " options with advice");
    }

    /** The option `limit` allows 0 or above 1 to 1000, `window` odd numbers. */
    @ParameterizedTest
    @CsvSource({"limit,0,0", "limit,1,2", "limit,2,2", "limit,20,20", "window,3,3", "window,4,5", "window,255,255"})
    void aSliderStopsOnlyAtWhatIsAllowed(String key, int slider, String value) {
        assertEquals(value, OptionFields.allowed(Commands.AHE.option(key), slider));
    }

    @Test
    void messagesFitTheScreen() {
        StringBuilder keys = new StringBuilder("size: unknown option; allowed are");
        for (int i = 0; i < 60; i++) {
            keys.append(" option").append(i).append(',');
        }
        String[] lines = Failure.wrapped(keys.toString()).split("\n");
        assertEquals("size: unknown option;", lines[0]);
        for (String line : lines) {
            assertTrue(line.length() <= 81, line);
        }
        assertEquals(keys.toString(), String.join(" ", lines));
    }
}
