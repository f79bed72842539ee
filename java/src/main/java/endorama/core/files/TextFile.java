package endorama.core.files;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/** Reading small text files of users. */
public final class TextFile {
    /** Limit in bytes, above any table of ours; keeps a foreign file from filling the memory. */
    private static final long LARGEST = 1L << 28;

    private TextFile() {
    }

    /** The lines of a UTF-8 file; bytes that are not UTF-8 become replacement characters. */
    public static List<String> lines(File file) throws IOException {
        if (!file.isFile()) {
            throw new FileFormatException(file + ": " + (file.exists() ? "not a file" : "no such file"));
        }
        if (file.length() > LARGEST) {
            throw new FileFormatException(file + ": " + file.length() + " bytes: no table or JSON of ours; at most "
                    + LARGEST + " are read");
        }
        List<String> lines = new ArrayList<String>();
        try (BufferedReader in = new BufferedReader(new InputStreamReader(Files.newInputStream(file.toPath()),
                StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lines.add(lines.isEmpty() && line.startsWith("\uFEFF") ? line.substring(1) : line);
            }
        } catch (IOException e) {
            throw new FileFormatException(file + ": cannot be read: " + e, e);
        }
        return lines;
    }

    /** The beginning of a text, without control characters, for a message. */
    public static String excerpt(String text) {
        String clean = text.replaceAll("\\p{Cntrl}", "?");
        return clean.length() <= 40 ? clean : clean.substring(0, 40) + "...";
    }

    /** Problem and position in a JSON reader's message, without exception name and advice for programmers. */
    public static String jsonProblem(RuntimeException e) {
        if (e.getMessage() == null) {
            return "there is no number where one is wanted";
        }
        String message = e.getMessage();
        if (message.contains("Expected BEGIN_OBJECT but was") && message.contains("at line 1 column 1 ")) {
            return "it does not begin with {";
        }
        return message.split("\n", 2)[0].replaceFirst("^([a-z0-9]+\\.)+[A-Za-z]+: ", "");
    }
}
