package endorama.core.mosaic;

import static endorama.core.mosaic.TestRuns.run;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelType;
import endorama.core.frames.TestFrames;
import endorama.core.options.MosaicParameters;
import endorama.core.paint.Panorama;
import endorama.core.transforms.Drift;
import endorama.core.transforms.TestViews;
import endorama.core.transforms.Transform;
import endorama.core.transforms.Transforms;
import endorama.core.transforms.TransformsFile;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A scope that moves and tilts over a plane: registered, solved and painted by homographies, compared with the truth. */
class HomographySessionTest {
    private static final int W = 240;
    private static final int H = 200;
    private static final int FRAMES = 36;
    private static final double FOCAL = 220;
    private static final TestViews SCENE = new TestViews(11);
    private static final MosaicParameters PLAIN = MosaicParameters.defaults().with("light", "None").withThreads(2);
    private static final MosaicParameters HOMOGRAPHY = PLAIN.with("warp", "Homography");

    private static TestFrames frames;
    private static MosaicResult result;

    @BeforeAll
    static void register() throws FrameReadException {
        frames = new TestFrames(W, H, PixelType.GREY8);
        for (int i = 0; i < FRAMES; i++) {
            add(frames, view(3 * i, 2 * i, 20 * Math.sin(i * 0.12), 15 * Math.sin(i * 0.08)));
        }
        result = run(frames, HOMOGRAPHY);
    }

    private static void add(TestFrames frames, Transform view) {
        frames.add(SCENE.grey(view, W, H));
        Transform first = frames.count() == 1 ? view : FIRST;
        frames.truth().put(frames.count(), first.inverse().multiply(view), true);
    }

    private static final Transform FIRST = view(0, 0, 0, 0);

    /** Frame -> plane, for a camera above (x, y) rotated about its axes across and down, degrees. */
    private static Transform view(double x, double y, double across, double down) {
        double a = Math.toRadians(across);
        double b = Math.toRadians(down);
        double cx = (W - 1) / 2.0;
        double cy = (H - 1) / 2.0;
        Transform rays = Transform.translation(-cx, -cy);
        Transform turnedAcross = Transform.of(Transform.Kind.HOMOGRAPHY, new double[] {FOCAL, 0, 0, 0, FOCAL * Math.cos(a),
            -FOCAL * FOCAL * Math.sin(a), 0, Math.sin(a), FOCAL * Math.cos(a)});
        Transform turnedDown = Transform.of(Transform.Kind.HOMOGRAPHY, new double[] {FOCAL * Math.cos(b), 0,
            FOCAL * FOCAL * Math.sin(b), 0, FOCAL, 0, -Math.sin(b), 0, FOCAL * Math.cos(b)});
        return Transform.translation(x + cx, y + cy).multiply(turnedDown).multiply(turnedAcross).multiply(rays);
    }

    private static double error(MosaicResult of, int frame) {
        return Drift.rms(of.rows().get(frame).transform, frames.truth().get(frame + 1), W, H);
    }

    private static double worst(MosaicResult of) {
        double worst = 0;
        for (int i = 0; i < FRAMES; i++) {
            worst = Math.max(worst, error(of, i));
        }
        return worst;
    }

    /** Errors of corners are less than twice those over the frame, to which deviations refer. */
    private static void assertDeviationsHold(MosaicResult of) {
        for (int i = 1; i < FRAMES; i++) {
            double deviation = of.rows().get(i).deviation;
            assertTrue(error(of, i) <= 2 * 3 * deviation, "frame " + (i + 1) + ": " + error(of, i) + " px, deviation " + deviation);
        }
    }

    @Test
    void posesAreTheTruth() {
        assertEquals(FRAMES + " ok, 0 doubtful, 0 not registered", result.summary());
        assertTrue(worst(result) < 0.3, worst(result) + " px");
        assertEquals(Transform.Kind.HOMOGRAPHY, result.rows().get(FRAMES - 1).transform.kind);
        assertDeviationsHold(result);
    }

    /** Without homographies the last frames are far off, and the run reports it. */
    @Test
    void transformsWithoutPerspectiveAreOffAndSaySo() throws FrameReadException {
        MosaicResult straight = run(frames, PLAIN.with("warp", "Affine"));
        assertTrue(worst(straight) > 20 * worst(result), worst(straight) + " px");
        assertDeviationsHold(straight);
        assertTrue(straight.warning().matches("a tilted plane is seen \\([0-9.]+ deviations\\): frame [0-9]+ lies about [0-9]+ px"
                + " off, others less; warp=Homography takes that in where the scene is flat.*"), straight.warning());
        assertTrue(result.warning() == null || !result.warning().contains("tilted"), result.warning());
    }

    /** Auto chooses homographies by itself. */
    @Test
    void autoTakesPerspectiveIn() throws FrameReadException {
        MosaicResult auto = run(frames, PLAIN);
        assertEquals(FRAMES + " ok, 0 doubtful, 0 not registered", auto.summary());
        assertTrue(worst(auto) < 0.5, worst(auto) + " px");
        assertDeviationsHold(auto);
        assertTrue(auto.warning() == null || !auto.warning().contains("tilted"), auto.warning());
        double[] chained = auto.rows().get(FRAMES - 1).chained.eight();
        assertArrayEquals(result.rows().get(FRAMES - 1).chained.eight(), chained, 2);
    }

    /** The scope tilts too little for so few pairs to agree; the pairs that are held out decide. */
    @Test
    void shortRunsAreDecidedByPairsThatAreHeldOut() throws FrameReadException {
        TestFrames few = new TestFrames(W, H, PixelType.GREY8);
        for (int i = 0; i < 14; i++) {
            add(few, view(3 * i, 2 * i, 4 * Math.sin(i * 0.3), 3 * Math.sin(i * 0.2)));
        }
        MosaicResult auto = run(few, PLAIN);
        assertTrue(String.join(" ", auto.log()).contains("homographies fit pairs that were held out better"),
                auto.log().toString());
        for (FrameRow row : auto.rows()) {
            assertEquals(0, Drift.rms(row.transform, few.truth().get(row.frame), W, H), 0.5, "frame " + row.frame);
        }
    }

    /** The panorama shows the scene as the first frame would. */
    @Test
    void thePanoramaIsTheScene() {
        Panorama panorama = result.panorama();
        int width = panorama.width();
        byte[] expected = SCENE.grey(FIRST.multiply(panorama.transform().inverse()), width, panorama.height());
        byte[] pixels = (byte[]) panorama.pixels();
        byte[] painted = panorama.painted();
        int n = 0;
        int off = 0;
        for (int i = 0; i < pixels.length; i++) {
            if (painted[i] != 0) {
                n++;
                off += Math.abs((pixels[i] & 0xff) - (expected[i] & 0xff)) > 12 ? 1 : 0;
            }
        }
        assertTrue(n > 1.3 * W * H, n + " px are painted");
        assertTrue(off < 0.02 * n, off + " of " + n + " px are off");
    }

    @Test
    void savedTransformsAreAppliedAsTheyWere(@TempDir File folder) throws IOException {
        File file = new File(folder, "t.csv");
        TransformsFile.write(file, result.saved().of(frames), HOMOGRAPHY, result.backend());
        Transforms read = TransformsFile.read(file);
        assertEquals(result.saved().matrices(), read.matrices());
        Panorama again = new ApplyTransforms(frames, read, PLAIN, Progress.NONE).panorama();
        assertArrayEquals((byte[]) result.panorama().pixels(), (byte[]) again.pixels());
        int frame = 12;
        try (AppliedFrames applied = new ApplyTransforms(frames, read, PLAIN, Progress.NONE).frames()) {
            byte[] pixels = (byte[]) applied.pixels(frame);
            byte[] expected = SCENE.grey(FIRST, W, H);
            int n = 0;
            int off = 0;
            for (int i = 0; i < pixels.length; i++) {
                if (pixels[i] != 0) {
                    n++;
                    off += Math.abs((pixels[i] & 0xff) - (expected[i] & 0xff)) > 12 ? 1 : 0;
                }
            }
            assertTrue(n > W * H / 4 && off < 0.02 * n, off + " of " + n + " px are off");
        }
    }

    @Test
    void stagesGiveTheSamePoses(@TempDir File folder) throws IOException {
        stagesGiveTheSamePoses(folder, HOMOGRAPHY, result);
        stagesGiveTheSamePoses(folder, PLAIN, run(frames, PLAIN));
    }

    private static void stagesGiveTheSamePoses(File folder, MosaicParameters parameters, MosaicResult whole)
            throws IOException {
        MosaicSession registering = new MosaicSession(frames, parameters, Progress.NONE).pairsAlone();
        registering.run();
        File pairs = new File(folder, "pairs.json");
        File poses = new File(folder, "places.json");
        StageFile.write(pairs, registering.pairs());
        StageFile.write(poses, StageFile.read(pairs, StageFile.PAIRS).solved(null, Progress.NONE));
        MosaicResult three = new MosaicSession(frames, parameters, Progress.NONE)
                .painting(StageFile.read(poses, StageFile.POSES)).run();
        assertEquals(whole.transforms(), three.transforms());
        assertArrayEquals((byte[]) whole.panorama().pixels(), (byte[]) three.panorama().pixels());
    }

    /** To the horizon and back: frames tilted too far are left out and reported, and the panorama keeps a sensible size. */
    @Test
    void theHorizonIsNoEnd() throws FrameReadException {
        TestFrames up = new TestFrames(W, H, PixelType.GREY8);
        for (int i = 0; i <= 28; i++) {
            add(up, view(0, 0, 62 * Math.sin(Math.PI * i / 28), 0));
        }
        MosaicResult tilted = run(up, HOMOGRAPHY);
        boolean[] oblique = new boolean[29];
        int n = 0;
        for (FrameRow row : tilted.rows()) {
            oblique[row.frame - 1] = row.status == FrameRow.Status.OBLIQUE;
            n += oblique[row.frame - 1] ? 1 : 0;
            assertTrue(!oblique[row.frame - 1] || !row.registered);
        }
        assertTrue(n > 0 && tilted.lost().contains("(tilted too far)"), tilted.summary() + " " + Arrays.toString(oblique));
        assertTrue(tilted.rows().get(28).registered && tilted.rows().get(28).part == 1, tilted.summary());
        for (Panorama panorama : tilted.panoramas()) {
            assertTrue(panorama.width() < 20 * W && panorama.height() < 20 * H, panorama.width() + " x " + panorama.height());
        }
    }
}
