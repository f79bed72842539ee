package endorama.core.options;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The option tables of the user guide are generated from those of the commands. To update them: {@code mvn test
 * -Dtest=UserGuideTest -Dendorama.guide=update}.
 */
class UserGuideTest {
    private static final Path GUIDE =
            Paths.get(System.getProperty("endorama.basedir", "."), "docs", "user-guide.md");

    @Test
    void optionTablesAreCurrent() throws IOException {
        String guide = new String(Files.readAllBytes(GUIDE), StandardCharsets.UTF_8);
        String current = guide;
        for (OptionTable table : Commands.ALL) {
            current = replaced(current, table);
        }
        if ("update".equals(System.getProperty("endorama.guide"))) {
            Files.write(GUIDE, current.getBytes(StandardCharsets.UTF_8));
        } else {
            assertEquals(current, guide);
        }
    }

    private static String replaced(String guide, OptionTable table) {
        String begin = "<!-- options: " + table.name() + " -->\n";
        Matcher section = Pattern.compile(Pattern.quote(begin) + ".*?<!-- end -->", Pattern.DOTALL).matcher(guide);
        if (!section.find()) {
            throw new AssertionError("no section " + begin);
        }
        return guide.substring(0, section.start()) + begin + markdown(table) + "<!-- end -->"
                + guide.substring(section.end());
    }

    private static String markdown(OptionTable table) {
        StringBuilder text = new StringBuilder();
        if (!table.options().isEmpty()) {
            text.append("| key | default | allowed | unit | what it does |\n|---|---|---|---|---|\n");
        }
        for (Option option : table.options()) {
            Object fallback = option.fallback();
            String shown = option.type() == Option.Type.FLAG ? fallback.equals(Boolean.TRUE) ? "on" : "off"
                    : "".equals(fallback) ? option.isRequired() ? "(must be given)" : "(none)"
                    : "`" + Option.plain(fallback) + "`";
            text.append("| `").append(option.key()).append("` | ").append(shown).append(" | ")
                    .append(option.allowed()).append(" | ").append(option.unit()).append(" | ")
                    .append(option.help()).append(" |\n");
        }
        return text.toString();
    }
}
