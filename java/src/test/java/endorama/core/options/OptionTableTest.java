package endorama.core.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OptionTableTest {
    /** Recorded lines in users' macros: a change would break them. */
    @Test
    void recordedLinesAreFrozen() {
        assertEquals("method=Best initial=[Optical flow] template=0 cross=4 landmarks=8 cthresh=0.85 uthresh=2.5 guarantee=0.2"
                + " warp=Auto peak=Sub-pixel solve=Global lens=Auto painting=Blend instruments=[Leave out] relief=Auto light=Even interpolation=Cubic scale=1 extra=None ngff=0.4 iir=4 rim=8 field=Auto pattern=Auto max_canvas=1000 backend=Auto"
                + " devices=[] threads=0 frames=[] exclude=[] links=[] transforms=[] table=[] rois=[] overlay=[] film=[] zarr=[] report=[]", line(Commands.MOSAIC));
        assertEquals("transforms=[] distance=1 frames=[] lens=0 field=Auto pattern=Auto backend=Auto threads=0 table=[]", line(Commands.QUALITY));
        assertEquals("ranges=[template=15-47:2 cthresh=0.70-0.90:0.05 landmarks=6-10] method=Best initial=[Optical flow]"
                + " template=0 cross=4 landmarks=8 cthresh=0.85 uthresh=2.5 guarantee=0.2 warp=Auto peak=Sub-pixel"
                + " lens=0 iir=4 field=Auto pattern=Auto frames=[] backend=Auto threads=0 table=[]", line(Commands.SWEEP));
        assertEquals("transforms=[] mode=Panorama extent=Frame lens=0 painting=Blend relief=Auto light=Even interpolation=Cubic scale=1 extra=None rim=8"
                + " field=Auto max_canvas=1000 frames=[] backend=Auto"
                + " threads=0", line(Commands.APPLY));
        assertEquals("search=64 tolerance=4 bins=64 reference=Previous period=0 percentile=Adaptive"
                + " output=[Aligned stack] frames=[] backend=Auto threads=0 transforms=[] table=[]", line(Commands.EXPOSURES));
        assertEquals("onto=[] reference=Previous model=Similarity scale=4 angle=180 window=Tukey gradient=Sobel refine"
                + " candidates=5 output=[Aligned stack] frames=[] backend=Auto threads=0 transforms=[] table=[]",
                line(Commands.FOURIER));
        assertEquals("fixed=[] dimensions=Auto model=Rigid bins=Auto measure=MI interpolation=Linear optimizer=Powell"
                + " levels=0 starts=Auto mask=[] initial=Header samples=All output=Registered backend=Auto threads=0"
                + " transforms=[] table=[]", line(Commands.MUTUAL));
        assertEquals("window=63 limit=3 method=[Sliding window] field=Auto backend=Auto threads=0", line(Commands.AHE));
        assertEquals("video=[] frames=[]", line(Commands.VIDEO));
        assertEquals("width=720 height=576 frames=60 path=Loop step=6 rotation=10 zoom=8 noise=2 flicker=3"
                + " highlights=12 seed=1 truth=[]", line(Commands.DEMO));
        assertEquals("", line(Commands.INFO));
    }

    private static String line(OptionTable table) {
        return table.toMacro(table.defaults());
    }

    @Test
    void keyIsTheFirstWordOfTheLabel() {
        for (OptionTable table : Commands.ALL) {
            for (Option option : table.options()) {
                assertEquals(Option.firstWord(option.label()), option.key());
                assertFalse(option.help().isEmpty(), table.name() + " " + option.key());
            }
        }
    }

    @Test
    void everyTableReadsItsOwnLine() {
        for (OptionTable table : Commands.ALL) {
            OptionValues values = table.defaults();
            for (Option option : table.options()) {
                values = values.with(option.key(), other(option));
            }
            assertEquals(values, table.parseMacro(values.toString()), values.toString());
            assertEquals(values, table.parseArguments(asMap(table.toArguments(values))));
        }
    }

    private static Object other(Option option) {
        switch (option.type()) {
            case FLAG: return true;
            case CHOICE: return option.choices().get(option.choices().size() - 1);
            case TEXT:
                if (!option.choices().isEmpty()) {
                    return option.choices().get(option.choices().size() - 1);
                }
                return "/a folder/it's [1.csv";
            case FILE: return "/a folder/it's [1.csv";
            default: return option.max() == 255 ? 31 : option.max();
        }
    }

    private static Map<String, String> asMap(List<String> arguments) {
        Map<String, String> map = new HashMap<>();
        for (int i = 0; i < arguments.size(); i++) {
            String key = arguments.get(i).substring(2);
            boolean alone = i + 1 == arguments.size() || arguments.get(i + 1).startsWith("--");
            map.put(key, alone ? "" : arguments.get(++i));
        }
        return map;
    }

    @Test
    void macroLineIsRead() {
        OptionValues values = Commands.MOSAIC.parseMacro(
                "template=31  initial=none warp=[translation] cthresh=.5 highlights\ttable='/my files/t.csv' ");
        assertEquals(31, values.getInt("template"));
        assertEquals("None", values.getChoice("initial"));
        assertTrue(Commands.MOSAIC.parseMacro("initial=[Exposures]").isChoice("initial", "Exposures"));
        assertTrue(values.isChoice("warp", "Translation"));
        assertEquals(0.5, values.getDouble("cthresh"));
        assertTrue(values.getFlag("highlights"));
        assertFalse(values.getFlag("outlines"));
        assertEquals("/my files/t.csv", values.getFile("table"));
        assertEquals(2.5, values.getDouble("uthresh"));
        assertEquals(Commands.MOSAIC.defaults(), Commands.MOSAIC.parseMacro(null));
    }

    @Test
    void macroVariablesAreResolved() {
        Map<String, String> variables = new HashMap<>();
        variables.put("side", "47.0000");
        variables.put("p", "/tmp/a b.csv");
        OptionValues values = Commands.MOSAIC.parseMacro("template=side table=&p", variables::get);
        assertEquals(47, values.getInt("template"));
        assertEquals("/tmp/a b.csv", values.getFile("table"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "template=52 | template 52: must be 0, or an odd number 3..255",
        "template=1 | template 1: must be 0, or an odd number 3..255",
        "template=257 | template 257: must be 0, or an odd number 3..255",
        "template=x | template x: must be 0, or an odd number 3..255",
        "template=3.5 | template 3.5: must be 0, or an odd number 3..255",
        "cross=3 | cross 3: must be a power of two, 1..128",
        "cross=0 | cross 0: must be a power of two, 1..128",
        "cthresh=1.1 | cthresh 1.1: must be a number, -1..1",
        "cthresh=NaN | cthresh NaN: must be a number, -1..1",
        "cthresh= | cthresh (empty): must be a number, -1..1",
        "uthresh=0 | uthresh 0: must be a number, above 0, at most 1000",
        "warp=Skew | warp Skew: must be one of Auto, Homography, Affine, Similarity, Rigid, Translation",
        "lens=41 | lens 41: must be one of Auto, or a number, -40..40",
        "lens=-40.5 | lens -40.5: must be one of Auto, or a number, -40..40",
        "highlights=7 | highlights 7: must be true or false",
        "table=[/a b | table=[/a b: the closing ] is missing",
        "iir=4 iir=5 | iir: given twice",
    })
    void badValuesAreNamed(String line, String message) {
        OptionException e = assertThrows(OptionException.class, () -> Commands.MOSAIC.parseMacro(line));
        assertEquals(message, e.getMessage());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "window=64 | window 64: must be an odd number, 3..1023",
        "window=1 | window 1: must be an odd number, 3..1023",
        "window=1025 | window 1025: must be an odd number, 3..1023",
        "limit=1 | limit 1: must be 0, or a number above 1, at most 1000",
        "limit=-3 | limit -3: must be 0, or a number above 1, at most 1000",
        "limit=1001 | limit 1001: must be 0, or a number above 1, at most 1000",
        "method=Local | method Local: must be one of Sliding window, Global",
        "stack=3 | stack: unknown option of ahe; allowed are window, limit, method, field, backend, threads",
    })
    void badValuesOfTheFilterAreNamed(String line, String message) {
        OptionException e = assertThrows(OptionException.class, () -> Commands.AHE.parseMacro(line));
        assertEquals(message, e.getMessage());
    }

    /** ImageJ adds these words to the line of a filter that asked about a stack. */
    @Test
    void wordsOfFiltersAreNoOptions() {
        OptionValues values = Commands.AHE.parseMacro("window=31 limit=3 method=[Sliding window] stack ");
        assertEquals(Commands.AHE.parseMacro("slice window=31"), values);
        assertTrue(OptionTable.meansStack("window=31 stack "));
        assertFalse(OptionTable.meansStack("window=31 slice"));
        assertFalse(OptionTable.meansStack(null));
        assertThrows(OptionException.class, () -> Commands.QUALITY.parseMacro("transforms=a stack"));
        assertThrows(OptionException.class,
                () -> Commands.AHE.parseArguments(java.util.Collections.singletonMap("stack", "")));
    }

    @Test
    void referenceIsAWordOrANumber() {
        for (String given : new String[] {"reference=7", "reference=[7.0000]", "reference=&frame"}) {
            assertEquals("7", Commands.EXPOSURES.parseMacro(given, name -> "7.0000").getText("reference"));
        }
        assertEquals("Middle", Commands.EXPOSURES.parseMacro("reference=middle").getText("reference"));
        for (String given : new String[] {"0", "-1", "1.5", "2nd", "Last", "1000001"}) {
            assertEquals("reference " + given + ": must be one of Previous, First, Middle, or a whole number, 1..1000000",
                    assertThrows(OptionException.class, () -> Commands.EXPOSURES.parseMacro("reference=" + given))
                            .getMessage());
        }
        assertEquals("bins 128: must be one of 64, 256", assertThrows(OptionException.class,
                () -> Commands.EXPOSURES.parseMacro("bins=128")).getMessage());
    }

    /** A flag that is on by default: only "false" turns it off, and the recorded line says so. */
    @Test
    void flagThatIsOnIsTurnedOffInWords() {
        assertTrue(Commands.FOURIER.parseMacro("").getFlag("refine"));
        assertTrue(Commands.FOURIER.parseMacro("scale=2 refine").getFlag("refine"));
        OptionValues off = Commands.FOURIER.parseMacro("refine=false");
        assertFalse(off.getFlag("refine"));
        assertTrue(off.toString().contains(" refine=false "), off.toString());
        assertEquals(off, Commands.FOURIER.parseMacro(off.toString()));
        assertTrue(Commands.FOURIER.toArguments(off).contains("--no-refine"));
        assertFalse(Commands.FOURIER.toArguments(Commands.FOURIER.defaults()).contains("--refine"));
    }

    @Test
    void unknownKeyNamesTheAllowedOnes() {
        String message = assertThrows(OptionException.class,
                () -> Commands.QUALITY.parseMacro("transforms=a.csv size=3")).getMessage();
        assertEquals("size: unknown option of quality; allowed are transforms, distance, frames, lens, field, pattern, backend, threads,"
                + " table", message);
        assertThrows(OptionException.class, () -> Commands.INFO.parseMacro("x"));
    }

    @Test
    void requiredFileIsAskedFor() {
        String message = assertThrows(OptionException.class, () -> Commands.APPLY.parseMacro("")).getMessage();
        assertEquals("transforms: missing; give a file to read", message);
    }

    @Test
    void collidingKeysAreRefused() {
        Option window = Option.integer("Window", 1, 0, 9).help("");
        for (String label : new String[] {"Search_window", "X2window", "Window (px)"}) {
            assertThrows(IllegalStateException.class, () -> new OptionTable("t", "T", "", window,
                    Option.integer(label, 1, 0, 9).help("")), label);
        }
        for (String label : new String[] {"Stack", "Slice", "7up"}) {
            assertThrows(IllegalStateException.class,
                    () -> new OptionTable("t", "T", "", Option.flag(label).help("")), label);
        }
    }

    @Test
    void valuesCannotBeChanged() {
        assertThrows(UnsupportedOperationException.class,
                () -> Commands.MOSAIC.defaults().toMap().put("template", 5L));
        assertEquals(new ArrayList<>(Collections.singletonList("transforms")).get(0),
                Commands.APPLY.options().get(0).key());
    }
}
