package endorama.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Outputs do not overwrite inputs or one another, whatever their names. */
class OverwritingTest extends CommandFolder {
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "mosaic --input F/X --output F/X/frame00003.png | --output F/X/frame00003.png | --input F/X",
        "mosaic --input F/s.tif --output F/s.tif | --output F/s.tif | --input F/s.tif",
        "mosaic --input F/X --output F/X/../X/frame00003.png | would overwrite | --input",
        "mosaic --input F/X --output F/p.png --table F/X/frame00001.png | --table F/X/frame00001.png | --input F/X",
        "mosaic --input F/X --output F/mask.png --mask F/mask.png --field Selection | --output | --mask F/mask.png",
        "mosaic --input F/X --output F/p.png --transforms F/a.csv --table F/a.csv | --transforms F/a.csv | --table F/a.csv",
        "mosaic --input F/X --output F/p.ome.tif --extra Coverage --transforms F/p-coverage.ome.tif | --extra | --transforms",
        "mosaic --input F/X --output F/p.png --extra Both --overlay F/p-uncertainty.png | --extra | --overlay F/p-unc",
        "mosaic --input F/X --output F/p.png --json F/a.json --table F/A.json | --json F/a.json | --table F/A.json",
        "mosaic --input F/X --output F/p.png --transforms F/./p.png | --output F/p.png | --transforms",
        "quality --input F/X --transforms F/t.csv --table F/t.csv | --table F/t.csv | --transforms F/t.csv",
        "sweep --input F/s.tif --ranges landmarks=6 --table F/s.tif | --table F/s.tif | --input F/s.tif",
        "apply --input F/X --transforms F/t.csv --output F/X --mode Aligned_stack | --output F/X | --input F/X",
        "apply --input F/s.tif --transforms F/t.csv --output F/s.tif --mode Aligned_stack | --output | --input F/s.tif",
        "apply --input F/X --transforms F/t.csv --output F/X/frame00002.png | --output | --input F/X",
        "exposures --input F/X --output F/X | --output F/X | --input F/X",
        "exposures --input F/s.tif --output F/s.tif | --output F/s.tif | --input F/s.tif",
        "exposures --input F/X --transforms F/X/frame00002.png | --transforms | --input F/X",
        "ahe --input F/X --output F/X | --output F/X | --input F/X",
        "ahe --input F/mask.png --output F/mask.png | --output F/mask.png | --input F/mask.png",
    })
    void inputsAndOutputsAreNotOverwritten(String line, String first, String second) throws IOException {
        assertRefused(line, first, second);
    }

    @Test
    void linksToInputsAreSeen() throws IOException {
        Files.createDirectory(path("out"));
        Files.createSymbolicLink(path("out/frame00002.png"), path("X/frame00002.png"));
        Files.createLink(path("hard.png"), path("X/frame00004.png"));
        Files.createSymbolicLink(path("Y"), path("X"));
        assertRefused("exposures --input F/X --output F/out", "--output F/out", "out/frame00002.png", "--input F/X");
        assertRefused("apply --input F/X --transforms F/t.csv --output F/out --mode Aligned_stack", "--output F/out");
        assertRefused("ahe --input F/X --output F/out", "--output F/out", "--input F/X");
        assertRefused("mosaic --input F/X --output F/hard.png", "--output F/hard.png", "--input F/X");
        assertRefused("ahe --input F/X --output F/Y", "--output F/Y", "--input F/X");
        assertRefused("mosaic --input F/Y --output F/X/frame00002.png", "--input F/Y");
        assertRefused("mosaic --input F/X --output F/p.png --table F/X/../a --transforms F/Y/../a", "--table");
    }

    @Test
    void neighboursOfInputsMayBeWritten() throws IOException {
        Files.createDirectory(path("out"));
        Files.createSymbolicLink(path("out/other.png"), path("X/frame00002.png"));
        assertEquals(0, run("apply --input F/X --transforms F/t.csv --output F/out --mode Aligned_stack"), err.toString());
        assertEquals(0, run("apply --input F/s.tif --transforms F/t.csv --output F/out --mode Aligned_stack"),
                err.toString());
        assertEquals(0, run("mosaic --input F/X --output F/X/p.png --table F/X/t.csv"), err.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"--input", "--output", "--table", "--mask"})
    void emptyPathsAreNamed(String option) {
        String[] arguments = option.equals("--input") ? new String[] {"mosaic", option, "", "--output", path("p.png") + ""}
                : option.equals("--output") ? new String[] {"mosaic", "--input", path("X") + "", option, ""}
                : new String[] {"mosaic", "--input", path("X") + "", "--output", path("p.png") + "", option, ""};
        assertEquals(Main.USAGE, Main.run(new PrintWriter(out), new PrintWriter(err, true), arguments));
        assertTrue(err.toString().contains(option + ": is empty") && !err.toString().contains("\tat "), err.toString());
    }
}
