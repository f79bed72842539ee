package endorama.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.options.Commands;
import endorama.core.options.OptionTable;
import ij.plugin.PlugIn;
import ij.plugin.filter.PlugInFilter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class PluginsConfigTest {
    @Test
    void menuHasEveryCommandUnderItsTitle() throws Exception {
        List<String> titles = new ArrayList<>();
        for (String[] entry : entries()) {
            titles.add(entry[0]);
            Object command = Class.forName(entry[1]).getDeclaredConstructor().newInstance();
            assertTrue(command instanceof PlugIn || command instanceof PlugInFilter, entry[1]);
        }
        List<String> expected = new ArrayList<>();
        for (OptionTable table : Commands.ALL) {
            expected.add(table.title());
        }
        assertEquals(expected, titles);
    }

    private static List<String[]> entries() throws IOException {
        Pattern entry = Pattern.compile("Plugins>Endorama, \"(.+)\", ([\\w.]+)");
        List<String[]> entries = new ArrayList<>();
        for (String line : Files.readAllLines(
                Paths.get(System.getProperty("endorama.basedir", "."), "plugins.config"))) {
            Matcher matcher = entry.matcher(line);
            if (matcher.matches()) {
                entries.add(new String[] {matcher.group(1), matcher.group(2)});
            } else {
                assertTrue(line.startsWith("#") || line.equals("Plugins>Endorama, \"-\""), "ImageJ would pass over " + line);
            }
        }
        return entries;
    }
}
