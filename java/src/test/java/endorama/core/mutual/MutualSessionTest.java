package endorama.core.mutual;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.Progress;
import endorama.core.files.FileFormatException;
import endorama.core.frames.FrameSource;
import endorama.core.options.Commands;
import endorama.core.options.OptionException;
import endorama.core.transforms.Transform;
import endorama.core.transforms.TransformsFile;
import endorama.core.volumes.Affine3;
import endorama.core.volumes.Grid;
import endorama.core.volumes.RealValues;
import endorama.core.volumes.TestVolumes;
import endorama.core.volumes.Volume;
import endorama.jni.EndoramaException;
import endorama.jni.MutualOptions;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Registration by mutual information on a phantom in two modalities, whose true motion is known. */
class MutualSessionTest {
    private static final TestVolumes PHANTOM = new TestVolumes(3, 48);
    /** Two grids of different resolution and size, both centred on the phantom. */
    private static final Grid FIXED = TestVolumes.centred(48, 44, 24, 2, 2, 4);
    private static final Grid MOVING = TestVolumes.centred(32, 34, 32, 3, 3, 3);
    private static final double[] TRUTH = TestVolumes.map(7, 5, -4, 3);

    @TempDir
    Path folder;

    /** Records the log, and stops after a number of polls. */
    private static final class Listener implements Progress {
        final List<String> lines = new ArrayList<String>();
        final List<Integer> done = new ArrayList<Integer>();
        int questions = Integer.MAX_VALUE;

        @Override
        public void progress(int now, int total) {
            assertTrue(now <= total, now + " of " + total);
            done.add(now);
        }

        @Override
        public boolean cancelled() {
            return --questions < 0;
        }

        @Override
        public void log(String line) {
            lines.add(line);
        }
    }

    private final Listener listener = new Listener();

    private static Volume fixed() {
        return TestVolumes.volume("fixed", FIXED, PHANTOM.slices(FIXED, null, false));
    }

    /** The phantom moved so that x of the fixed image is at map(x) of this one. */
    private static short[][] moved(Grid grid, double[] map) {
        return PHANTOM.slices(grid, Affine3.inverse(map), true);
    }

    private static Volume moving() {
        return TestVolumes.volume("moving", MOVING, moved(MOVING, TRUTH));
    }

    private MutualOutcome run(Volume fixed, Volume moving, String options) throws IOException {
        return new MutualSession(fixed, moving, MutualParameters.of(Commands.MUTUAL.parseMacro("backend=CPU " + options)),
                listener).run();
    }

    private static void assertFound(double[] truth, MutualRow row, Grid fixed, double mm) {
        assertEquals(MutualRow.Status.OK, row.status, row.levels);
        double apart = TestVolumes.apart(fixed, truth, row.world());
        assertTrue(apart < mm, apart + " mm");
    }

    @Test
    void volumesOfTwoModalitiesAreRegistered() throws IOException {
        MutualOutcome outcome = run(fixed(), moving(), "");
        MutualRow row = outcome.rows().get(0);
        assertFound(TRUTH, row, FIXED, 0.8);
        assertTrue(row.after > row.before + 0.1, row.before + " " + row.after);
        assertEquals(7, row.turn, 0.3);
        assertEquals(Math.sqrt(50), row.shift, 0.5);
        assertEquals(1, row.scale, 1e-9);
        assertEquals("converged", row.stop);
        assertTrue(row.levels.startsWith("48x44x24: 64 bins "), row.levels);
        assertTrue(outcome.complete() && outcome.registered() == 1, outcome.summary());
        assertEquals("1 of 1 volume registered", outcome.summary());
        // The map in voxels equals that in millimetres.
        double[] voxels = Affine3.product(Affine3.inverse(MOVING.world()), Affine3.product(row.world(), FIXED.world()));
        assertArrayEquals(voxels, row.voxels(), 1e-9);
        for (int i = 1; i < listener.done.size(); i++) {
            assertTrue(listener.done.get(i) >= listener.done.get(i - 1));
        }
        // Resampled with the moving image's values, in the fixed grid.
        MutualParameters parameters = MutualParameters.of(Commands.MUTUAL.defaults());
        try (RegisteredVolumes registered = new RegisteredVolumes(outcome, parameters)) {
            assertEquals(FIXED.depth, registered.count());
            short[] seen = (short[]) registered.pixels(12);
            short[] expected = PHANTOM.slices(FIXED, null, true)[12];
            int off = 0;
            for (int i = 0; i < seen.length; i++) {
                off += seen[i] != 0 && Math.abs(seen[i] - expected[i]) > 600 ? 1 : 0;
            }
            assertTrue(off < seen.length / 10, off + " of " + seen.length);
        }
        MutualPicture picture = MutualPicture.of(outcome, parameters);
        assertTrue(picture.width > 100 && picture.pixels.length == picture.width * picture.height);
    }

    /** A box surrounded by zeros. */
    private static short[][] cut(Grid grid, short[][] slices) {
        for (int z = 0; z < grid.depth; z++) {
            for (int i = 0; i < slices[z].length; i++) {
                int x = i % grid.width;
                int y = i / grid.width;
                if (x < 8 || x >= grid.width - 8 || y < 6 || y >= grid.height - 6 || z < 4 || z >= grid.depth - 4) {
                    slices[z][i] = 0;
                }
            }
        }
        return slices;
    }

    @Test
    void rimsOfOneValueAreTold() throws IOException {
        Volume fixed = TestVolumes.volume("cut", FIXED, cut(FIXED, PHANTOM.slices(FIXED, null, false)));
        run(fixed, moving(), "starts=1");
        List<String> told = new ArrayList<String>(listener.lines);
        told.removeIf(line -> !line.contains("are a rim of one value"));
        assertEquals(1, told.size(), listener.lines.toString());
        assertTrue(told.get(0).matches("cut: [3-7]\\d % of the voxels are a rim of one value .*"), told.get(0));
        listener.lines.clear();
        run(fixed(), moving(), "starts=1");
        assertFalse(listener.lines.toString().contains("rim"), listener.lines.toString());
        assertFalse(listener.lines.toString().contains("low certainty"), listener.lines.toString());
    }

    @Test
    void whatIsNotBelievedComesWithAdvice() throws IOException {
        short[][] noise = new short[FIXED.depth][FIXED.width * FIXED.height];
        Random random = new Random(5);
        for (short[] slice : noise) {
            for (int i = 0; i < slice.length; i++) {
                slice[i] = (short) (1000 + random.nextInt(3000));
            }
        }
        MutualOutcome outcome = run(fixed(), TestVolumes.volume("noise", FIXED, noise), "starts=1");
        assertEquals(MutualRow.Status.LOW_CERTAINTY, outcome.rows().get(0).status);
        assertTrue(listener.lines.toString().contains("low certainty: the overlay shows whether what was found is right; "
                + "starts Wide, another"), listener.lines.toString());
        listener.lines.clear();
        Volume fixed = TestVolumes.volume("cut", FIXED, cut(FIXED, PHANTOM.slices(FIXED, null, false)));
        outcome = run(fixed, TestVolumes.volume("noise", FIXED, cut(FIXED, noise)), "starts=1");
        assertEquals(MutualRow.Status.LOW_CERTAINTY, outcome.rows().get(0).status);
        assertTrue(listener.lines.toString().contains("before anything was put around them"), listener.lines.toString());
    }

    @Test
    void runsAreTheSameWithAnyThreads() throws IOException {
        MutualRow one = run(fixed(), moving(), "starts=1 threads=1 optimizer=Gradient").rows().get(0);
        MutualRow two = run(fixed(), moving(), "starts=1 threads=2 optimizer=Gradient").rows().get(0);
        assertArrayEquals(one.world(), two.world());
        assertEquals(one.after, two.after);
    }

    @Test
    void seriesGoesOntoOneVolume() throws IOException {
        double[] other = TestVolumes.map(-5, -3, 2, 0);
        Volume series = TestVolumes.volume("series", MOVING,
                TestVolumes.together(moved(MOVING, TRUTH), moved(MOVING, other)));
        MutualOutcome outcome = run(fixed(), series, "starts=1");
        assertFound(TRUTH, outcome.rows().get(0), FIXED, 0.8);
        assertFound(other, outcome.rows().get(1), FIXED, 0.8);
        assertEquals(2, outcome.outputFrames());
        assertEquals(FIXED.depth, outcome.outputGrid().depth);
    }

    @Test
    void slicesGoOntoSlicesOfTheSameNumber() throws IOException {
        Grid grid = TestVolumes.centred(96, 96, 2, 1, 1, 10);
        double[] shift = TestVolumes.map(0, 4, -3, 0);
        Volume fixed = TestVolumes.volume("fixed", grid, PHANTOM.slices(grid, null, false));
        Volume moving = TestVolumes.volume("moving", grid, moved(grid, shift));
        MutualOutcome outcome = run(fixed, moving, "dimensions=2D");
        assertEquals(2, outcome.rows().size());
        for (MutualRow row : outcome.rows()) {
            assertFound(shift, row, grid.plane(), 0.4);
            assertTrue(row.levels.startsWith("96x96x1:"), row.levels);
        }
        assertTrue(listener.lines.toString().contains("% of the pixels are a dark surround; they are left out for a"
                + " second opinion"), listener.lines.toString());
        // If their numbers differ, slices are registered onto a single one, or refused.
        Volume one = TestVolumes.volume("one", grid.plane(), new short[][] {PHANTOM.slices(grid, null, false)[0]});
        assertEquals(2, run(one, moving, "starts=1").rows().size());
        String message = assertThrows(IllegalArgumentException.class, () -> run(fixed, one, "dimensions=2D")).getMessage();
        assertTrue(message.contains("fixed has 2 slices, one has 1"), message);
    }

    @Test
    void savedTransformsAreStarts() throws IOException {
        MutualOutcome outcome = run(fixed(), moving(), "");
        for (String name : new String[] {"t.json", "t.tfm"}) {
            File file = folder.resolve(name).toFile();
            MutualTransforms.write(file, outcome, Commands.MUTUAL.defaults().toMap());
            MutualRow again = run(fixed(), moving(), "starts=1 initial=[" + file + "]").rows().get(0);
            assertEquals(outcome.rows().get(0).after, again.before, 1e-12);
            assertFound(TRUTH, again, FIXED, 0.8);
            String message = assertThrows(FileFormatException.class, () -> run(slice(), slice(), "initial=[" + file + "]"))
                    .getMessage();
            assertTrue(message.contains("holds a transform of volumes"), message);
        }
        String json = new String(Files.readAllBytes(folder.resolve("t.json")), "UTF-8");
        assertTrue(json.contains("\"millimetres\"") && json.contains("\"dimensions\": 3") && !json.contains("\"matrix\""),
                json);
    }

    private static Volume slice() {
        Grid grid = Grid.spaced(96, 96, 1, 1, 1, 1);
        return TestVolumes.volume("slice", grid, PHANTOM.slices(grid, TestVolumes.map(0, -48, -48, 0), false));
    }

    /** CSV and the matrix of JSON read back, and Apply Transforms reads both. */
    @Test
    void imagesHaveMatricesAsEverywhere() throws IOException {
        Grid grid = Grid.spaced(96, 96, 1, 1, 1, 1);
        short[][] other = PHANTOM.slices(grid, TestVolumes.map(0, -54, -43, 0), true);
        MutualOutcome outcome = run(slice(), TestVolumes.volume("other", grid, other), "");
        for (String name : new String[] {"t.csv", "t.json"}) {
            File file = folder.resolve(name).toFile();
            MutualTransforms.write(file, outcome, Commands.MUTUAL.defaults().toMap());
            Transform back = TransformsFile.read(file).get(1);
            assertEquals(-6, back.m02, 0.4);
            assertEquals(5, back.m12, 0.4);
            MutualRow again = run(slice(), TestVolumes.volume("other", grid, other), "starts=1 initial=[" + file + "]")
                    .rows().get(0);
            assertEquals(outcome.rows().get(0).after, again.before, 1e-6);
        }
        MutualRow fourier = run(slice(), TestVolumes.volume("other", grid, other), "initial=Fourier model=Translation")
                .rows().get(0);
        assertFound(outcome.rows().get(0).world(), fourier, grid, 0.4);
        assertThrows(OptionException.class, () -> run(fixed(), moving(), "initial=Fourier"));
    }

    /** The halves of the fixed volume moved apart: the mask selects one of them. */
    @Test
    void maskChooses() throws IOException {
        double[] apart = TestVolumes.map(0, 6, -5, 0);
        short[][] slices = PHANTOM.slices(FIXED, null, false);
        short[][] below = PHANTOM.slices(FIXED, apart, false);
        System.arraycopy(below, 0, slices, 0, FIXED.depth / 2);
        Volume halves = TestVolumes.volume("halves", FIXED, slices);
        for (int half = 0; half < 2; half++) {
            short[][] mask = new short[FIXED.depth][FIXED.width * FIXED.height];
            for (int z = 0; z < FIXED.depth / 2; z++) {
                Arrays.fill(mask[z + half * FIXED.depth / 2], (short) 7);
            }
            MutualParameters parameters = MutualParameters.of(Commands.MUTUAL.parseMacro("backend=CPU"))
                    .withMask(TestVolumes.source(FIXED.width, FIXED.height, mask));
            MutualRow row = new MutualSession(halves, moving(), parameters, listener).run().rows().get(0);
            assertFound(half == 1 ? TRUTH : Affine3.product(TRUTH, apart), row, FIXED, 2.5);
        }
        FrameSource wrong = TestVolumes.source(FIXED.width, FIXED.height, new short[3][FIXED.width * FIXED.height]);
        String message = assertThrows(IllegalArgumentException.class, () -> new MutualSession(halves, moving(),
                MutualParameters.of(Commands.MUTUAL.defaults()).withMask(wrong), listener)).getMessage();
        assertTrue(message.contains("the mask is 48 x 44 x 3 voxels, the fixed image 48 x 44 x 24"), message);
    }

    @Test
    void whatCannotBeBelievedIsSaid() throws IOException {
        Random random = new Random(4);
        short[][] noise = new short[MOVING.depth][MOVING.width * MOVING.height];
        for (short[] slice : noise) {
            for (int i = 0; i < slice.length; i++) {
                slice[i] = (short) random.nextInt(4096);
            }
        }
        MutualOutcome outcome = run(fixed(), TestVolumes.volume("noise", MOVING, noise), "");
        assertEquals(MutualRow.Status.LOW_CERTAINTY, outcome.rows().get(0).status);
        assertTrue(outcome.isEmpty() && outcome.isBlank() && !outcome.cancelled());
        assertEquals("0 of 1 volume registered; low certainty", outcome.summary());
        short[][] flat = new short[MOVING.depth][MOVING.width * MOVING.height];
        assertEquals(MutualRow.Status.NO_CONTENT, run(fixed(), TestVolumes.volume("flat", MOVING, flat), "").rows().get(0)
                .status);
        double[] far = MOVING.world();
        far[3] += 1000;
        Grid away = Grid.positioned(MOVING.width, MOVING.height, MOVING.depth, far);
        assertEquals(MutualRow.Status.NO_OVERLAP, run(fixed(), TestVolumes.volume("away", away, moved(MOVING, TRUTH)),
                "starts=1").rows().get(0).status);
        // An image that is not registered is black.
        try (RegisteredVolumes black = new RegisteredVolumes(outcome, MutualParameters.of(Commands.MUTUAL.defaults()))) {
            assertArrayEquals(new short[FIXED.width * FIXED.height], (short[]) black.pixels(12));
            assertEquals("low certainty", black.label(0));
        }
    }

    @Test
    void cancelKeepsTheBestAndMarksIt() throws IOException {
        listener.questions = FIXED.depth + MOVING.depth + 30;
        MutualOutcome outcome = run(fixed(), moving(), "");
        assertTrue(outcome.cancelled() && outcome.isEmpty() && !outcome.isBlank(), outcome.summary());
        MutualRow row = outcome.rows().get(0);
        assertEquals(MutualRow.Status.STOPPED, row.status);
        assertEquals("stopped", row.stop);
        assertTrue(row.after >= row.before);
        // A stop before the first transform gives no row.
        listener.questions = 3;
        outcome = run(fixed(), moving(), "");
        assertTrue(outcome.cancelled() && outcome.rows().isEmpty());
    }

    @Test
    void assumptionsAreSaid() throws IOException {
        Volume pixels = Volume.of("pixels", moving().images(), Grid.spaced(32, 34, 32, 3, 3, 3), 1, RealValues.SAME, false,
                Collections.singletonList("a note"));
        run(fixed(), pixels, "starts=1");
        String log = String.join("\n", listener.lines);
        assertTrue(log.contains("pixels has no unit of length, fixed has: one of its pixels is taken for 1 mm"), log);
        assertTrue(log.contains("pixels has no position: rows, columns and slices are laid along those of fixed"), log);
        assertTrue(log.contains("a note"), log);
    }

    /** Where one has no position, a mirrored world of the other does no harm; results are in both worlds. */
    @Test
    void axesOfVolumesWithoutAPositionAreTheirArrays() throws IOException {
        double[] mirrored = Affine3.product(Affine3.diagonal(1, -1, 1), FIXED.world());
        mirrored[3] += 70;
        Volume fixed = TestVolumes.volume("mirrored", Grid.positioned(FIXED.width, FIXED.height, FIXED.depth, mirrored),
                PHANTOM.slices(FIXED, null, false));
        Volume moving = TestVolumes.volume("unpositioned", Grid.spaced(32, 34, 32, 3, 3, 3), moved(MOVING, TRUTH));
        MutualOutcome outcome = run(fixed, moving, "");
        MutualRow row = outcome.rows().get(0);
        double[] voxels = Affine3.product(Affine3.inverse(MOVING.world()), Affine3.product(TRUTH, FIXED.world()));
        double[] truth = Affine3.product(Affine3.diagonal(3, 3, 3),
                Affine3.product(voxels, Affine3.inverse(mirrored)));
        assertFound(truth, row, fixed.grid(), 0.8);
        assertEquals(7, row.turn, 0.3);
        assertEquals(Math.sqrt(50), row.shift, 0.5);
        File file = folder.resolve("t.tfm").toFile();
        MutualTransforms.write(file, outcome, Commands.MUTUAL.defaults().toMap());
        assertEquals(row.after, run(fixed, moving, "starts=1 initial=[" + file + "]").rows().get(0).before, 1e-9);
        for (String initial : new String[] {"Moments", "Centre"}) {
            assertFound(truth, run(fixed, moving, "initial=" + initial).rows().get(0), fixed.grid(), 0.8);
        }
    }

    @Test
    void brokenDeviceIsReplacedOrTold() throws IOException {
        MutualOutcome whole = run(fixed(), moving(), "starts=1");
        System.setProperty("endorama.failAfter", "1");
        try {
            MutualOutcome replaced = new MutualSession(fixed(), moving(),
                    MutualParameters.of(Commands.MUTUAL.parseMacro("starts=1")), listener).run();
            assertArrayEquals(whole.rows().get(0).world(), replaced.rows().get(0).world());
            assertTrue(String.join("\n", listener.lines).contains("the CPU goes on"), listener.lines.toString());
            assertThrows(EndoramaException.class, () -> run(fixed(), moving(), "starts=1"));
        } finally {
            System.clearProperty("endorama.failAfter");
        }
    }

    /** 30 degrees, and a third of the longest side, mm; for Auto the library decides. */
    @Test
    void wideIsAThirdOfTheVolume() {
        Grid fixed = Grid.spaced(100, 50, 40, 0.5, 1.5, 3);
        MutualOptions o = MutualParameters.of(Commands.MUTUAL.parseMacro("starts=Wide")).options(fixed);
        assertEquals(30, o.turnRange);
        assertEquals(40, o.shiftRange, 1e-12);
        MutualOptions unset = MutualParameters.of(Commands.MUTUAL.defaults()).options(fixed);
        assertEquals(new MutualOptions().turnRange, unset.turnRange);
        assertEquals(new MutualOptions().shiftRange, unset.shiftRange);
    }
}
