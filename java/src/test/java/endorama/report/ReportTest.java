package endorama.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.Progress;
import endorama.core.frames.TestFrames;
import endorama.core.mosaic.FrameRow;
import endorama.core.mosaic.MosaicResult;
import endorama.core.mosaic.MosaicSession;
import endorama.core.options.MosaicParameters;
import endorama.jni.NativeMosaic;
import endorama.plugin.DemoCommand;
import endorama.plugin.MosaicCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.parser.Parser;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page that says how a run went. */
class ReportTest {
    private static final int W = 200;
    private static final int H = 160;

    @TempDir
    Path folder;

    @BeforeAll
    static void headless() {
        System.setProperty("java.awt.headless", "true");
    }

    private static TestFrames demo(long seed) {
        return TestFrames.demo(W, H, 8, seed);
    }

    private static String text(TestFrames frames, MosaicParameters parameters, String name) throws IOException {
        try (MosaicResult result = new MosaicSession(frames, parameters, Progress.NONE).run()) {
            return new Report(result, frames, name, parameters.options()).page();
        }
    }

    private static Document page(TestFrames frames, MosaicParameters parameters, String name) throws IOException {
        return parsed(text(frames, parameters, name));
    }

    /** The page as a browser understands it; no browser has to guess anything. */
    private static Document parsed(String page) {
        Parser parser = Parser.htmlParser().setTrackErrors(10);
        Document document = parser.parseInput(page, "");
        assertEquals(Collections.emptyList(), parser.getErrors());
        return document;
    }

    private static String textOf(Document page, String selector) {
        return page.select(selector).text();
    }

    @Test
    void wholeSequenceIsGood() throws IOException {
        Document page = page(demo(5), MosaicParameters.defaults(), "liver");
        assertEquals("Report: liver", page.title());
        assertEquals("✓ Good All 8 frames are in one panorama.", textOf(page, "header .verdict.good"));
        assertEquals(Arrays.asList("Panorama", "Every frame", "What was found", "How it was made"),
                page.select("section > h2").eachText());
        assertEquals(1, page.select("svg.panorama image[href^=data:image/jpeg]").size());
        assertEquals(0, page.select("figure, rect.doubt, rect.hatched").size());
    }

    @Test
    void missingFrameIsShownWithItsReason() throws IOException {
        TestFrames frames = demo(5).set(3, new int[W * H]).set(6, null);
        Document page = page(frames, MosaicParameters.defaults(), "liver");
        String verdict = textOf(page, "header .verdict.look");
        assertTrue(verdict.startsWith("! Look at these 2 of 8 frames (frame 4, frame 7) are missing. Next: "), verdict);
        assertEquals(Arrays.asList("Frame 4: missing", "Frame 7: missing"), page.select("figure.lost strong").eachText());
        assertEquals(1, page.select("figure.lost img[alt=frame 4][src^=data:image/jpeg]").size());
        assertEquals("cannot be read", textOf(page, "figure .unreadable"));
        assertTrue(page.select("figcaption").last().text().endsWith("It could not be read, or the run ended before it."));
        assertEquals(2 * 2, page.select("svg.strip rect.hatched").size());
    }

    @Test
    void everyPanoramaHasASectionOfItsOwn() throws IOException {
        Document page = page(demo(5).addAll(demo(77)), MosaicParameters.defaults(), "two");
        assertEquals(Arrays.asList("Panorama 1 of 2", "Panorama 2 of 2"), page.select("section > h2").eachText().subList(0, 2));
        assertEquals(2, page.select("svg.panorama").size());
        assertEquals(Arrays.asList("panorama 2", "panorama 2"), page.select("svg.strip text.part").eachText());
    }

    /** The name of a panorama is written over the bands, and is its number alone where the next one begins soon. */
    @Test
    void shortPanoramasHaveNumbers() {
        List<FrameRow> rows = new ArrayList<FrameRow>();
        for (int i = 0; i < 40; i++) {
            FrameRow row = new FrameRow(i + 1);
            row.registered = true;
            row.part = i < 20 || i >= 22 ? 1 : 2;
            row.doubtful = row.part == 2;
            rows.add(row);
        }
        Document strip = Jsoup.parseBodyFragment(new FrameStrip(rows, Stretch.of(rows)).draw().toString());
        assertEquals(Arrays.asList("2", "panorama 1", "2", "panorama 1"), strip.select("text.part").eachText());
        Element name = strip.select("text.part").first();
        Element band = strip.select("rect.doubt").first();
        assertTrue(name.elementSiblingIndex() > band.elementSiblingIndex());
    }

    @Test
    void manyPanoramasAreCountedNotShown() throws IOException {
        TestFrames frames = TestFrames.demo(160, 120, 3, 1);
        for (int scene = 2; scene <= Report.PANORAMAS + 5; scene++) {
            frames.addAll(TestFrames.demo(160, 120, 3, 31 * scene));
        }
        MosaicParameters quick = MosaicParameters.defaults().with("method", "Paper").with("painting", "Union");
        try (MosaicResult result = new MosaicSession(frames, quick, Progress.NONE).run()) {
            int more = result.panoramas().size() - Report.PANORAMAS;
            Document page = parsed(new Report(result, frames, "many", MosaicParameters.defaults().options()).page());
            assertTrue(more > 0, result.summary());
            assertEquals(Report.PANORAMAS, page.select("svg.panorama").size());
            assertTrue(page.text().contains(more + " smaller panoramas are not shown"));
        }
    }

    @Test
    void pageStandsAloneAndEscapesNames() throws IOException {
        String name = "<script>alert('x')</script> & \"%s\"";
        String text = text(demo(5), MosaicParameters.defaults(), name);
        Document page = parsed(text);
        assertEquals(name, textOf(page, "h1"));
        assertEquals(0, page.select("script, link, iframe, form, base").size());
        assertEquals(0, page.select("[src]:not([src^=data:image/jpeg;base64]), [href]:not([href^=data:image/jpeg;base64])").size());
        assertFalse(text.contains("@import") || text.matches("(?s).*url\\((?!#).*"));
        assertEquals("a < b & c?", textOf(page(demo(5).set(3, new int[W * H]), MosaicParameters.defaults(), "a < b & c\u0000"), "h1"));
    }

    @Test
    void changedOptionsAreBold() throws IOException {
        Document page = page(demo(5), MosaicParameters.defaults().with("rim", "12"), "liver");
        assertEquals(Collections.singletonList("rim 12"), page.select("ul.options li.changed").eachText());
    }

    @Test
    void stretchesAreConsecutiveFramesAlike() {
        List<FrameRow> rows = new ArrayList<FrameRow>();
        for (int i = 0; i < 9; i++) {
            FrameRow row = new FrameRow(i + 1);
            row.registered = i != 4 && i != 5;
            row.part = i < 4 ? 1 : 2;
            row.doubtful = i == 1 || i == 2;
            row.status = i == 5 ? FrameRow.Status.JUMP : i == 4 ? FrameRow.Status.NO_TEXTURE : FrameRow.Status.OK;
            rows.add(row);
        }
        List<String> names = new ArrayList<String>();
        for (Stretch s : Stretch.of(rows)) {
            names.add(s.name() + " " + s.fate + " " + s.part);
        }
        assertEquals(Arrays.asList("frame 1 PLACED 1", "frames 2-3 UNCERTAIN 1", "frame 4 PLACED 1", "frame 5 MISSING 0",
                "frame 6 MISSING 0", "frames 7-9 PLACED 2"), names);
    }

    @Test
    void uncertainFramesSayWhatIsKnown() {
        List<FrameRow> rows = new ArrayList<FrameRow>();
        for (int i = 0; i < 6; i++) {
            rows.add(new FrameRow(i + 1));
            rows.get(i).registered = true;
            rows.get(i).doubtful = i == 2 || i == 3;
        }
        Stretch uncertain = Stretch.of(rows).get(1);
        for (int[] range : new int[][] {{0, 2}, {3, 5}, {0, 5}}) {
            String reason = uncertain.reason(Collections.singletonList(
                    new NativeMosaic.Event(NativeMosaic.LOST, NativeMosaic.LAYERS, range[0], range[1], "")));
            assertTrue(reason.contains("two motions are seen"), reason);
        }
        for (NativeMosaic.Event other : new NativeMosaic.Event[] {
            new NativeMosaic.Event(NativeMosaic.LOST, NativeMosaic.LAYERS, 0, 1, ""),
            new NativeMosaic.Event(NativeMosaic.LOST, NativeMosaic.LAYERS, 4, 5, ""),
            new NativeMosaic.Event(NativeMosaic.LOG, NativeMosaic.LAYERS, 0, 5, ""),
            new NativeMosaic.Event(NativeMosaic.LOST, NativeMosaic.LEFT_OUT, 0, 5, "")}) {
            assertTrue(uncertain.reason(Collections.singletonList(other)).contains("few matching points"));
        }
    }

    @Test
    void eventsNameTheirFrames() throws IOException {
        TestFrames frames = demo(5).set(3, new int[W * H]).set(4, new int[W * H]);
        try (MosaicResult result = new MosaicSession(frames, MosaicParameters.defaults(), Progress.NONE).run()) {
            assertTrue(result.events().stream().anyMatch(e -> e.kind == NativeMosaic.LEFT_OUT && e.first == 3 && e.last == 4),
                    String.join("\n", result.log()));
        }
    }

    @Test
    void manyStretchesAreCountedNotShown() throws IOException {
        TestFrames frames = TestFrames.demo(64, 64, 2 * Report.PICTURES + 6, 5);
        for (int i = 1; i < frames.count(); i += 2) {
            frames.set(i, null);
        }
        try (MosaicResult result = new MosaicSession(frames, MosaicParameters.defaults(), Progress.NONE).run()) {
            Document page = parsed(new Report(result, frames, "many", MosaicParameters.defaults().options()).page());
            long all = Stretch.of(result.rows()).stream().filter(s -> s.fate != Stretch.Fate.PLACED).count();
            assertTrue(all > Report.PICTURES);
            assertEquals(Report.PICTURES, page.select("figure").size());
            assertTrue(page.text().contains("There are " + (all - Report.PICTURES) + " more stretches"));
        }
    }

    @Test
    void adviceOfTheLibraryIsOnThePage() throws IOException {
        TestFrames spoilt = demo(5).set(3, new int[W * H]);
        MosaicParameters rigid = MosaicParameters.defaults().with("warp", "Rigid").with("method", "Paper");
        try (MosaicResult result = new MosaicSession(spoilt, rigid, Progress.NONE).run()) {
            assertEquals(2, result.verdict().advice.size());
            Document page = parsed(new Report(result, spoilt, "spoilt", rigid.options()).page());
            assertEquals(result.verdict().advice, page.select("ul.advice li").eachText());
        }
    }

    @Test
    void commandWritesIt() throws IOException {
        Path file = folder.resolve("run.html");
        MosaicCommand.exec(DemoCommand.exec("width=200 height=160 frames=6 step=6 seed=3"), "report=[" + file + "]");
        assertTrue(new String(Files.readAllBytes(file), StandardCharsets.UTF_8).contains("<title>Report: "));
    }
}
