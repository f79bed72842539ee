package endorama.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import endorama.core.options.Commands;
import endorama.core.options.OptionException;
import endorama.core.options.OptionValues;
import org.junit.jupiter.api.Test;

class OptionDialogTest {
    @Test
    void readsTheOptionsOfTheMacro() throws Exception {
        OptionValues values = InMacro.call("warp=translation template=21 ",
                () -> OptionDialog.ask(Commands.MOSAIC));
        assertEquals(Commands.MOSAIC.parseMacro("warp=Translation template=21"), values);
    }

    @Test
    void withoutOptionsAndDisplayTheDefaultsHold() throws Exception {
        assertEquals(Commands.MOSAIC.defaults(), InMacro.call(null, () -> OptionDialog.ask(Commands.MOSAIC)));
    }

    @Test
    void unknownChoiceIsNotTheFirstOne() {
        assertThrows(OptionException.class, () -> InMacro.call("warp=Skew ",
                () -> OptionDialog.ask(Commands.MOSAIC)));
    }
}
