package endorama.core.places;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.Progress;
import endorama.core.frames.BentFrames;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.TestFrames;
import endorama.core.mosaic.MosaicResult;
import endorama.core.mosaic.MosaicSession;
import endorama.core.mosaic.StageFile;
import endorama.core.options.MosaicParameters;
import endorama.core.pairs.FrameRow;
import endorama.core.pairs.LensSight;
import endorama.core.pairs.Link;
import endorama.core.transforms.Drift;
import endorama.core.transforms.Transform;
import endorama.jni.NativeDemo;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What pairs together say of the lens. */
class LensWatchTest {
    private static Link link(int frame, double lambda, double deviation) {
        return new Link(frame, frame + 1, Transform.IDENTITY, 0.1, false, null, new LensSight(lambda, deviation));
    }

    /** Pairs whose errors are normal, of deviations between 0.01 and 0.04; of every part of the sequence some in common. */
    private static List<Link> links(int n, double lambda, double common, long seed) {
        Random random = new Random(seed);
        List<Link> links = new ArrayList<Link>();
        double alike = 0;
        for (int i = 0; i < n; i++) {
            alike = i % (n / 8) == 0 ? common * random.nextGaussian() : alike;
            double deviation = 0.01 * (1 + i % 4);
            links.add(link(i, lambda + deviation * random.nextGaussian() + alike, deviation));
        }
        return links;
    }

    /** One over the root of the sum of 1 / s^2, 200 pairs: 0.0012. */
    @Test
    void manyPairsSayWhatOneCannot() {
        double squares = 0;
        double deviations = 0;
        for (int seed = 0; seed < 40; seed++) {
            LensWatch watch = new LensWatch(links(200, -0.05, 0, seed));
            assertTrue(watch.seesALens());
            squares += (watch.lambda() + 0.05) * (watch.lambda() + 0.05) / 40;
            double own = watch.deviation() * watch.deviation() - 0.01 * watch.lambda() * watch.lambda();
            deviations += Math.sqrt(own) / 40;
        }
        assertEquals(0.0012, Math.sqrt(squares), 0.0004);
        assertEquals(0.0014, deviations, 0.0003);
    }

    @Test
    void fewThatAreFarOffHaveLittleSay() {
        List<Link> links = links(200, -0.05, 0, 1);
        for (int i = 0; i < 20; i++) {
            links.set(10 * i, link(10 * i, 0.6, 0.01));
        }
        LensWatch watch = new LensWatch(links);
        assertEquals(-0.05, watch.lambda(), 0.005);
        assertTrue(watch.seesALens());
    }

    /** By themselves they would be sure: 0.03 in 0.0012. */
    @Test
    void pairsThatErrAlikeAreNoProof() {
        int seen = 0;
        for (int seed = 0; seed < 20; seed++) {
            seen += new LensWatch(links(200, 0.03, 0.08, seed)).seesALens() ? 1 : 0;
        }
        assertTrue(seen <= 5, seen + " of 20");
    }

    @Test
    void lensesAreNamedFromOnePercentOn() {
        assertFalse(new LensWatch(links(4000, -0.0095, 0, 1)).seesALens());
        assertTrue(new LensWatch(links(4000, -0.0105, 0, 1)).seesALens());
        assertFalse(new LensWatch(links(48, 0.008, 0, 1)).seesALens());
    }

    /** And from three deviations on. */
    @Test
    void chanceIsNoLens() {
        int seen = 0;
        for (int seed = 0; seed < 100; seed++) {
            seen += new LensWatch(links(40, 0.005, 0, seed)).seesALens() ? 1 : 0;
        }
        assertTrue(seen <= 2, seen + " of 100");
        assertTrue(new LensWatch(links(40, 0.02, 0, 1)).seesALens());
    }

    @Test
    void fewOrDoubtfulPairsSayNothing() {
        List<Link> links = links(16, -0.2, 0, 1).subList(0, 4);
        LensWatch watch = new LensWatch(links);
        assertTrue(Double.isNaN(watch.lambda()) && Double.isNaN(watch.deviation()));
        assertFalse(watch.seesALens());
        assertNull(watch.warning(0));
        Link doubtful = new Link(11, 12, Transform.IDENTITY, 0.1, true, null, new LensSight(-0.2, 0.01));
        links = new ArrayList<Link>(links);
        links.add(doubtful);
        links.add(new Link(12, 13, Transform.IDENTITY, 0.1, false));
        assertTrue(Double.isNaN(new LensWatch(links).lambda()));
        links.add(link(13, -0.2, 0.01));
        assertTrue(new LensWatch(links).seesALens());
    }

    /** Pairs that all say the same: 0.1 over the root of their number, and five thirds of that below eight parts. */
    @Test
    void fewPairsMustBeSurer() {
        List<Link> links = new ArrayList<Link>();
        for (int i = 0; i < 32; i++) {
            links.add(link(i, -0.05, 0.1));
        }
        assertEquals(Math.hypot(0.1 / Math.sqrt(32), 0.005), new LensWatch(links).deviation(), 1e-9);
        List<Link> fewer = links.subList(0, 31);
        assertEquals(Math.hypot(5 / 3.0 * 0.1 / Math.sqrt(31), 0.005), new LensWatch(fewer).deviation(), 1e-9);
        assertEquals(Math.hypot(5 / 3.0 * 0.1 / Math.sqrt(5), 0.005), new LensWatch(links.subList(0, 5)).deviation(), 1e-9);
    }

    @Test
    void whatHelpsIsNamed() {
        List<Link> links = new ArrayList<Link>();
        for (int i = 0; i < 40; i++) {
            links.add(link(i, -0.12, 0.01));
        }
        LensWatch watch = new LensWatch(links);
        assertEquals("frames are bent as through a lens of -12.0 % (+- 1.2): lens=-12.0 takes that out", watch.warning(0));
        assertEquals("frames are still bent as through a lens of -12.0 % (+- 1.2): lens=-9.0 takes that out", watch.warning(3));
        assertTrue(watch.warning(-39).endsWith("lens=-40.0 takes that out"));
    }

    /** Where a lens was taken out by some number, what is left of it counts, however little that is. */
    @Test
    void whatIsLeftOfALensCounts() {
        LensWatch little = new LensWatch(links(400, -0.005, 0, 1));
        assertFalse(little.seesALens());
        assertFalse(little.widens(0));
        assertTrue(little.widens(-5));
        assertTrue(new LensWatch(links(400, -0.05, 0, 1)).widens(0));
        assertFalse(new LensWatch(new ArrayList<Link>()).widens(-5));
    }

    // ------------------------------------------------------------- whole runs

    private static MosaicResult run(FrameSource frames, MosaicParameters parameters) throws FrameReadException {
        MosaicResult result = new MosaicSession(frames, parameters, Progress.NONE).run();
        assertNull(result.failure());
        return result;
    }

    /** A loop through a barrel of 8 %: it is named, and the deviations hold what it does; without a barrel all is as ever. */
    @Test
    void aBarrelIsSeenInFrames() throws FrameReadException {
        TestFrames frames = loop();
        MosaicResult bent = run(new BentFrames(frames, -0.08), MosaicParameters.defaults());
        String said = bent.warning();
        assertTrue(said != null && said.contains("bent as through a lens of -"), said);
        double percent = Double.parseDouble(said.replaceFirst(".*lens=", "").replaceFirst(" .*", ""));
        assertEquals(-8, percent, 2, said);
        assertTrue(bent.log().toString().contains("bent as through"));
        assertTrue(beyond(bent, frames, 3) == 0 && beyond(bent, frames, 0.4) > 20);

        MosaicResult straight = run(new BentFrames(frames, -0.08), MosaicParameters.defaults().with("lens", -8));
        assertNull(straight.warning());
        MosaicResult nearly = run(new BentFrames(frames, -0.08), MosaicParameters.defaults().with("lens", -7.4));
        assertNull(nearly.warning());
        assertTrue(beyond(nearly, frames, 3) == 0 && largest(nearly) > 2 * largest(run(frames, MosaicParameters.defaults())));
        assertNull(run(frames, MosaicParameters.defaults()).warning());
        assertTrue(beyond(straight, frames, 3) == 0);
        assertTrue(largest(straight) < 0.1 * largest(bent), largest(straight) + " of " + largest(bent));
    }

    /** What the stages of a mosaic hand on. */
    @Test
    void stagesSayTheSame(@TempDir Path folder) throws IOException {
        FrameSource frames = new BentFrames(loop(), -0.08);
        MosaicResult one = run(frames, MosaicParameters.defaults());
        MosaicSession registering = new MosaicSession(frames, MosaicParameters.defaults(), Progress.NONE).pairsAlone();
        registering.run();
        File file = folder.resolve("stage.json").toFile();
        StageFile.write(file, registering.pairs());
        StageFile.write(file, StageFile.read(file, StageFile.PAIRS).solved());
        StageFile solved = StageFile.read(file, StageFile.PLACES);
        MosaicResult three = new MosaicSession(frames, MosaicParameters.defaults(), Progress.NONE).painting(solved).run();
        assertTrue(one.warning().contains("bent as through"));
        assertEquals(one.warning(), three.warning());
        assertTrue(largest(one) > 1);
        for (int i = 0; i < one.rows().size(); i++) {
            assertEquals(one.rows().get(i).deviation, three.rows().get(i).deviation);
        }
    }

    private static TestFrames loop() {
        NativeDemo.Options options = new NativeDemo.Options();
        options.width = 360;
        options.height = 288;
        options.frames = 40;
        options.step = 8;
        return TestFrames.demo(options, 40);
    }

    private static double largest(MosaicResult result) {
        double most = 0;
        for (FrameRow row : result.rows()) {
            most = Math.max(most, row.deviation);
        }
        return most;
    }

    /** Frames whose place is wrong by more than so many deviations. */
    private static int beyond(MosaicResult result, TestFrames frames, double deviations) {
        int n = 0;
        for (FrameRow row : result.rows()) {
            double error = Drift.rms(frames.truth().get(1).inverse().multiply(frames.truth().get(row.frame)), row.transform,
                    360, 288);
            n += row.frame > 1 && error > deviations * row.deviation ? 1 : 0;
        }
        return n;
    }
}
