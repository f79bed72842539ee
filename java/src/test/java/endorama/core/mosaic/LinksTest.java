package endorama.core.mosaic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.Progress;
import endorama.core.files.FileFormatException;
import endorama.core.frames.FrameRange;
import endorama.core.frames.FrameSource;
import endorama.core.frames.TestFrames;
import endorama.core.options.Commands;
import endorama.core.options.MosaicParameters;
import endorama.core.transforms.Transform;
import endorama.jni.Verdict;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table of links: written and read, damaged, mended; and frames that are left out. */
class LinksTest {
    private static final int W = 200;
    private static final int H = 160;
    private static final String HEADER = "frame_a,frame_b,use,m00,m01,m02,m10,m11,m12,deviation,origin\n";

    @TempDir
    Path folder;

    private File written(String text) throws IOException {
        return Files.write(folder.resolve("links.csv"), text.getBytes(StandardCharsets.UTF_8)).toFile();
    }

    private static StageFile registered(FrameSource frames) throws IOException {
        MosaicSession session = new MosaicSession(frames, MosaicParameters.defaults(), Progress.NONE).pairsAlone();
        session.run().close();
        return session.registered().copy();
    }

    private static Links each(Links links, UnaryOperator<Link> change) {
        List<Link> changed = new ArrayList<Link>();
        links.all().forEach(link -> changed.add(change.apply(link)));
        return new Links(changed);
    }

    private static FrameRow row(StageFile file, int frame) {
        return file.rows().get(FrameRow.index(file.rows(), frame));
    }

    // ------------------------------------------------------------------ the table

    @Test
    void numbersReadBackEqual() throws IOException {
        Random random = new Random(7);
        for (int projective = 0; projective < 2; projective++) {
            List<Link> links = new ArrayList<Link>();
            for (int i = 0; i < 50; i++) {
                double[] m = new double[9];
                for (int k = 0; k < 9; k++) {
                    m[k] = random.nextGaussian() * Math.pow(10, random.nextInt(9) - 4);
                }
                links.add(new Link(i + 1, 100 - i, i % 3 > 0, projective == 1 && i % 2 == 0
                        ? Transform.of(Transform.Kind.HOMOGRAPHY, m) : Transform.of(m), Math.abs(m[0]), Link.ORIGINS.get(i % 3)));
            }
            File file = folder.resolve("t.csv").toFile();
            new Links(links).write(file);
            List<Link> read = Links.read(file).all();
            assertEquals(links.size(), read.size());
            for (int i = 0; i < 50; i++) {
                assertArrayEquals(links.get(i).transform.toArray(), read.get(i).transform.toArray());
                assertEquals(links.get(i).deviation, read.get(i).deviation);
                assertEquals(links.get(i).frames(), read.get(i).frames());
                assertEquals(links.get(i).use, read.get(i).use);
                assertEquals(links.get(i).origin, read.get(i).origin);
                assertEquals(links.get(i).transform.isHomography(), read.get(i).transform.isHomography());
            }
            assertEquals(projective == 1, Files.readAllLines(file.toPath()).get(0).contains("m20,m21,m22"));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "0,2,1,1,0,3,0,1,4,0.1,hand|frame_a \"0\": must be the number of a frame, from 1",
        "1.5,2,1,1,0,3,0,1,4,0.1,hand|frame_a \"1.5\": must be the number of a frame, from 1",
        "1,x,1,1,0,3,0,1,4,0.1,hand|frame_b \"x\": must be the number of a frame, from 1",
        "2,2,1,1,0,3,0,1,4,0.1,hand|frame_b \"2\": must be another frame than frame_a",
        "1,2,yes,1,0,3,0,1,4,0.1,hand|use \"yes\": must be 1 (the link counts) or 0",
        "1,2,1,1,0,NaN,0,1,4,0.1,hand|m02 \"NaN\": must be a number within +-1.0E12",
        "1,2,1,1,0,3,0,1,1e13,0.1,hand|m12 \"1e13\": must be a number within +-1.0E12",
        "1,2,1,0,0,3,0,0,4,0.1,hand|the matrix [0.0, 0.0, 3.0, 0.0, 0.0, 4.0] cannot be inverted",
        "1,2,1,1,0,3,0,1,4,0,hand|deviation \"0\": must be above 0 px",
        "1,2,1,1,0,3,0,1,4,0.1,me|origin \"me\": must be chain, loop, hand",
        "1,2,1,1,0,3,0,1|8 columns, needed 11; the file may be truncated"})
    void damagedTablesAreRefusedByName(String line, String message) throws IOException {
        File file = written(HEADER + "1,2,1,1,0,3,0,1,4,0.1,chain\n" + line + "\n");
        assertEquals(file + ", line 3: " + message,
                assertThrows(FileFormatException.class, () -> Links.read(file)).getMessage());
    }

    @Test
    void otherTablesAreRefused() throws IOException {
        for (String text : new String[] {"", "frame,m00\n", "PK\0\1", HEADER.replace("use", "used"), HEADER.replace(',', ';')}) {
            File file = written(text);
            String message = assertThrows(FileFormatException.class, () -> Links.read(file)).getMessage();
            assertTrue(message.startsWith(file + ", line 1: not a table of links: ") && message.contains(HEADER.trim()), message);
        }
        assertThrows(FileFormatException.class, () -> Links.read(folder.resolve("none.csv").toFile()));
    }

    // -------------------------------------------------------------------- mended

    /** In any order of its rows the table says what registration says, to the byte. */
    @Test
    void anUnchangedTableChangesNothing() throws IOException {
        TestFrames frames = TestFrames.demo(W, H, 12, 3);
        StageFile asItIs = registered(frames);
        StageFile again = asItIs.copy();
        assertTrue(asItIs.links().all().stream().anyMatch(link -> link.origin.equals(Link.CHAIN)));
        assertTrue(asItIs.links().all().stream().anyMatch(link -> link.origin.equals(Link.LOOP)));
        File file = folder.resolve("t.csv").toFile();
        List<Link> shuffled = new ArrayList<Link>(again.links().all());
        Collections.shuffle(shuffled, new Random(5));
        new Links(shuffled).write(file);
        asItIs.solve(null, Progress.NONE);
        again.solve(Links.read(file), Progress.NONE);
        for (int i = 0; i < 12; i++) {
            assertEquals(asItIs.rows().get(i).transform, again.rows().get(i).transform);
            assertEquals(asItIs.rows().get(i).deviation, again.rows().get(i).deviation);
        }
    }

    /** A spreadsheet that leaves nine digits changes nothing; a number that a person changes makes a link by hand. */
    @Test
    void roundedNumbersAreTheSameLinks() throws IOException {
        StageFile asItIs = registered(TestFrames.demo(W, H, 10, 3));
        StageFile rounded = asItIs.copy();
        StageFile changed = asItIs.copy();
        Links links = asItIs.links();
        Links nine = each(links, link -> {
            double[] m = link.transform.toArray();
            for (int i = 0; i < 6; i++) {
                m[i] = Double.parseDouble(String.format(java.util.Locale.ROOT, "%.9g", m[i]));
            }
            return new Link(link.a, link.b, link.use, Transform.of(m),
                    Double.parseDouble(String.format(java.util.Locale.ROOT, "%.9g", link.deviation)), link.origin);
        });
        assertNotEquals(links.all().get(0).transform, nine.all().get(0).transform);
        asItIs.solve(null, Progress.NONE);
        rounded.solve(nine, Progress.NONE);
        changed.solve(each(links, link -> new Link(link.a, link.b, link.use, link.transform, 1.0001 * link.deviation, link.origin)),
                Progress.NONE);
        int differ = 0;
        for (int i = 0; i < 10; i++) {
            assertEquals(asItIs.rows().get(i).transform, rounded.rows().get(i).transform);
            assertEquals(asItIs.rows().get(i).deviation, rounded.rows().get(i).deviation);
            differ += asItIs.rows().get(i).deviation != changed.rows().get(i).deviation ? 1 : 0;
        }
        assertTrue(differ > 0);
    }

    @Test
    void aFrameWhoseLinksAreOffIsNotPlacedAndNotPainted() throws IOException {
        TestFrames frames = TestFrames.demo(W, H, 10, 3);
        StageFile file = registered(frames);
        Links mended = each(file.links(), link -> link.use(link.a != 6 && link.b != 6));
        try (MosaicResult result = new MosaicSession(frames, MosaicParameters.defaults(), Progress.NONE).links(mended).run()) {
            assertNull(result.failure());
            assertEquals(FrameRow.Status.NOT_PLACED, result.rows().get(5).status);
            assertFalse(result.rows().get(5).registered);
            assertEquals(0, result.rows().get(5).part);
            assertTrue(result.lost().contains("frame 6 (not placed)"), result.lost());
            assertTrue(result.verdict().toString().contains("1 of 10 frames (frame 6) is missing"), result.verdict().toString());
            assertEquals(0, result.rows().get(5).order);
        }
        Links none = each(file.links(), link -> link.use(false));
        try (MosaicResult result = new MosaicSession(frames, MosaicParameters.defaults(), Progress.NONE).links(none).run()) {
            assertEquals(0, result.registered());
            assertNull(result.panorama());
            assertEquals(Verdict.Grade.BROKEN, result.verdict().grade);
        }
    }

    /** Two scenes; by hand, the second lies 100 px below the first. */
    @Test
    void aLinkByHandJoinsTwoPanoramas() throws IOException {
        TestFrames frames = TestFrames.demo(W, H, 8, 3);
        TestFrames other = TestFrames.demo(W, H, 8, 77);
        for (int i = 0; i < 8; i++) {
            frames.add(other.get(i));
        }
        StageFile file = registered(frames);
        StageFile joined = file.copy();
        Links links = file.links();
        List<Link> more = new ArrayList<Link>(links.all());
        more.add(Link.byHand(4, 12, Transform.translation(0, 100), 2));
        file.solve(links, Progress.NONE);
        assertNotEquals(row(file, 4).part, row(file, 12).part);
        joined.solve(new Links(more), Progress.NONE);
        assertEquals(row(joined, 4).part, row(joined, 12).part);
        Transform between = row(joined, 4).transform.inverse().multiply(row(joined, 12).transform);
        assertEquals(100, between.m12, 0.5);
        assertEquals(FrameRow.Status.OK, row(joined, 12).status);
    }

    @Test
    void aWrongLinkThatIsOffGivesThePoseBack() throws IOException {
        TestFrames frames = TestFrames.demo(W, H, 10, 3);
        StageFile right = registered(frames);
        StageFile wrong = right.copy();
        StageFile mended = right.copy();
        List<Link> links = new ArrayList<Link>(right.links().all());
        right.solve(null, Progress.NONE);
        for (int i = 0; i < 40; i++) { // As many as turn a robust fit.
            links.add(Link.byHand(1, 9, Transform.translation(300, 0), 0.05));
        }
        wrong.solve(new Links(links), Progress.NONE);
        mended.solve(each(new Links(links), link -> link.use(!link.origin.equals(Link.HAND))), Progress.NONE);
        assertTrue(Math.abs(row(wrong, 9).transform.m02 - row(right, 9).transform.m02) > 20);
        assertEquals(row(right, 9).transform, row(mended, 9).transform);
    }

    @Test
    void aTableOfAnotherSequenceIsRefused() throws IOException {
        StageFile file = registered(TestFrames.demo(W, H, 4, 3));
        Links other = new Links(Arrays.asList(new Link(2, 17, false, Transform.IDENTITY, 1, Link.HAND)));
        assertEquals("links: a link of the frames 2 and 17: frame 17 is none of the 4 that are registered, 1 to 4; the table is"
                + " of another sequence, or of other frames of it",
                assertThrows(IllegalArgumentException.class, () -> file.solve(other, Progress.NONE)).getMessage());
    }

    // ------------------------------------------------------------------- left out

    private static FrameSource chosen(FrameSource frames, String line) {
        return FrameRange.chosen(Commands.MOSAIC.parseMacro(line), frames);
    }

    /** What is left out is as if it were not there, and what is left keeps its numbers. */
    @Test
    void excludedFramesAreAsIfTheyWereNotThere() throws IOException {
        TestFrames frames = TestFrames.demo(W, H, 12, 3);
        TestFrames fewer = new TestFrames(W, H, frames.type());
        for (int i = 0; i < 12; i++) {
            if (i != 4 && i != 8 && i != 9) {
                fewer.add(frames.get(i));
            }
        }
        FrameSource without = chosen(frames, "exclude=5,9-10");
        try (MosaicResult one = new MosaicSession(fewer, MosaicParameters.defaults(), Progress.NONE).run();
                MosaicResult two = new MosaicSession(without, MosaicParameters.defaults(), Progress.NONE).run()) {
            assertArrayEquals((int[]) one.panorama().pixels(), (int[]) two.panorama().pixels());
            assertEquals(9, two.rows().size());
            assertEquals("9 ok, 0 doubtful, 0 not registered, 3 excluded", two.summary());
            assertEquals(12, two.allRows().size());
            for (int i = 0; i < 12; i++) {
                FrameRow row = two.allRows().get(i);
                assertEquals(i + 1, row.frame);
                assertEquals(i == 4 || i == 8 || i == 9, row.status == FrameRow.Status.EXCLUDED);
            }
            assertEquals("excluded", two.allRows().get(4).status.toString());
            assertEquals(8, two.rows().get(7).reference);
            assertEquals(12, two.saved().lastFrame());
            assertNull(two.saved().get(5));
        }
    }

    /** Tables, stage files and links all have the numbers of the whole sequence. */
    @Test
    void chosenFramesKeepTheirNumbersInEveryFile() throws IOException {
        TestFrames frames = TestFrames.demo(W, H, 20, 3);
        FrameSource some = chosen(frames, "frames=3-9:2,12-20 exclude=15");
        StageFile file = registered(some);
        Links links = file.links();
        for (Link link : links.all()) {
            assertTrue(FrameRow.index(file.rows(), link.a) >= 0 && FrameRow.index(file.rows(), link.b) >= 0);
        }
        assertTrue(links.all().stream().anyMatch(link -> link.a == 3 && link.b == 5 && link.origin.equals(Link.CHAIN)));
        StageFile plain = file.copy();
        plain.solve(null, Progress.NONE);
        file.solve(links, Progress.NONE);
        for (int i = 0; i < file.rows().size(); i++) {
            assertEquals(some.number(i), file.rows().get(i).frame);
            assertEquals(plain.rows().get(i).transform, file.rows().get(i).transform);
        }
        assertEquals(20, file.saved().lastFrame());
        assertEquals(FrameRow.Status.EXCLUDED, file.allRows().get(7).status);
        file.check(some);
        String message = assertThrows(IOException.class, () -> file.check(chosen(frames, "frames=3-9:2,12-20 exclude=16")))
                .getMessage();
        assertEquals("place 8 is of frame 16, the input has frame 15 there; take the frames that were registered (options frames,"
                + " exclude)", message);
    }
}
