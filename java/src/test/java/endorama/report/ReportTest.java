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
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
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

    private static String page(TestFrames frames, MosaicParameters parameters, String name) throws IOException {
        try (MosaicResult result = new MosaicSession(frames, parameters, Progress.NONE).run()) {
            return new Report(result, frames, name, parameters.options()).page();
        }
    }

    private static int count(String page, String text) {
        return page.split(java.util.regex.Pattern.quote(text), -1).length - 1;
    }

    @Test
    void wholeSequenceIsGood() throws IOException {
        String page = page(demo(5), MosaicParameters.defaults(), "liver");
        assertTrue(page.contains("<strong>Good</strong>"), page);
        assertTrue(page.contains("All 8 frames are in one panorama."));
        assertFalse(page.contains("Frames to look at"));
        assertEquals(1, count(page, "class=\"panorama\""));
    }

    @Test
    void missingFrameIsShownWithItsReason() throws IOException {
        TestFrames frames = demo(5).set(3, new int[W * H]).set(6, null);
        String page = page(frames, MosaicParameters.defaults(), "liver");
        assertTrue(page.contains("<strong>Look at these</strong>"));
        assertTrue(page.contains("Frame 4: missing"));
        assertTrue(page.contains("Frame 7: missing"));
        assertTrue(page.contains("It could not be read"));
        assertEquals(1, count(page, "cannot be read</div>"));
        assertEquals(2, count(page, "<img alt=\"frame 4\"") + count(page, "class=\"unreadable\""));
    }

    @Test
    void everyPanoramaHasASectionOfItsOwn() throws IOException {
        String page = page(demo(5).addAll(demo(77)), MosaicParameters.defaults(), "two");
        assertTrue(page.contains("<h2>Panorama 1 of 2</h2>"));
        assertTrue(page.contains("<h2>Panorama 2 of 2</h2>"));
        assertEquals(2, count(page, "class=\"panorama\""));
        assertEquals(2, count(page, ">panorama 2</text>"));
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
            String page = new Report(result, frames, "many", MosaicParameters.defaults().options()).page();
            assertTrue(more > 0, result.summary());
            assertEquals(Report.PANORAMAS, count(page, "class=\"panorama\""));
            assertTrue(page.contains("<p>" + more + " smaller panoramas are not shown"));
        }
    }

    @Test
    void pageStandsAloneAndEscapesNames() throws IOException {
        String page = page(demo(5), MosaicParameters.defaults(), "<script>alert('x')</script> & \"%s\"");
        assertTrue(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;%s&quot;"));
        assertFalse(page.contains("<script"));
        assertFalse(page.matches("(?s).*(?:src|href)=\"(?!data:image/jpeg;base64,).*"));
        assertFalse(page.contains("@import"));
        assertFalse(page.matches("(?s).*url\\((?!#).*"));
    }

    @Test
    void pageIsWellFormed() throws Exception {
        String page = page(demo(5).set(3, new int[W * H]), MosaicParameters.defaults(), "a < b & c\u0000");
        String xml = page.replaceFirst("<!DOCTYPE html>", "").replaceAll("<(meta|img)([^>]*)>", "<$1$2/>").replace("<br>", "<br/>");
        DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void changedOptionsAreBold() throws IOException {
        String page = page(demo(5), MosaicParameters.defaults().with("rim", "12"), "liver");
        assertTrue(page.contains("<li class=\"changed\"><span>rim</span> 12</li>"));
        assertEquals(1, count(page, "class=\"changed\""));
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
            String page = new Report(result, frames, "many", MosaicParameters.defaults().options()).page();
            long all = Stretch.of(result.rows()).stream().filter(s -> s.fate != Stretch.Fate.PLACED).count();
            assertTrue(all > Report.PICTURES);
            assertEquals(Report.PICTURES, count(page, "<figure "));
            assertTrue(page.contains("There are " + (all - Report.PICTURES) + " more stretches"));
        }
    }

    @Test
    void adviceOfTheLibraryIsOnThePage() throws IOException {
        TestFrames spoilt = demo(5).set(3, new int[W * H]);
        MosaicParameters rigid = MosaicParameters.defaults().with("warp", "Rigid").with("method", "Paper");
        try (MosaicResult result = new MosaicSession(spoilt, rigid, Progress.NONE).run()) {
            assertEquals(2, result.verdict().advice.size());
            String page = new Report(result, spoilt, "spoilt", rigid.options()).page();
            assertTrue(page.contains("<li>Take method=Best: ") && page.contains("with warp=Rigid alone"), page);
        }
    }

    @Test
    void commandWritesIt() throws IOException {
        Path file = folder.resolve("run.html");
        MosaicCommand.exec(DemoCommand.exec("width=200 height=160 frames=6 step=6 seed=3"), "report=[" + file + "]");
        assertTrue(new String(Files.readAllBytes(file), StandardCharsets.UTF_8).contains("<title>Report: "));
    }
}
