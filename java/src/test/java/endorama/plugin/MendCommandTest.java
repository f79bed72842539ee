package endorama.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import endorama.core.options.Commands;
import java.io.File;
import org.junit.jupiter.api.Test;

/** What mending leaves for macros. */
class MendCommandTest {
    @Test
    void theRecordedLineMakesThePanoramaOfTheLinks() {
        File links = new File("/a b/links.csv");
        assertEquals("links=[/a b/links.csv]", MendCommand.line(Commands.MOSAIC.defaults(), links));
        assertEquals("warp=Rigid highlights exclude=3 links=[/a b/links.csv]", MendCommand.line(
                Commands.MOSAIC.parseMacro("warp=Rigid highlights exclude=3 links=old.csv table=t.csv"), links));
        Commands.MOSAIC.parseMacro(MendCommand.line(Commands.MOSAIC.parseMacro("lens=-12.5 frames=3-8"), links));
    }
}
