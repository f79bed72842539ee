package endorama.core.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.chains.ChainRow;
import endorama.core.common.Progress;
import endorama.core.exposures.ExposureParameters;
import endorama.core.exposures.ExposureResult;
import endorama.core.exposures.ExposureSession;
import endorama.core.fourier.FourierParameters;
import endorama.core.fourier.FourierResult;
import endorama.core.fourier.FourierSession;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.TestFrames;
import endorama.core.mosaic.AppliedFrames;
import endorama.core.mosaic.ApplyTransforms;
import endorama.core.mosaic.Quality;
import endorama.core.mosaic.Sweep;
import endorama.core.options.Commands;
import endorama.core.options.MosaicParameters;
import endorama.core.paint.Panorama;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs of each command whose device or memory fails; no device is needed. */
class FailingDeviceTest {
    private static final int W = 180;
    private static final int H = 144;
    private static final TestFrames FRAMES = TestFrames.demo(W, H, 8, 1);
    private static final String LOST_NOTHING = "the CPU goes on, nothing is lost";
    /** An upper limit of the library calls of a run. */
    private static final int MOST_CALLS = 200;

    /** Records the messages. */
    private static final class Told implements Progress {
        private final List<String> lines = new ArrayList<String>();
        private int last;

        @Override
        public void progress(int done, int total) {
            assertTrue(done >= last && done <= total, done + " of " + total + " after " + last);
            last = done;
        }

        @Override
        public boolean cancelled() {
            return false;
        }

        @Override
        public void log(String line) {
            lines.add(line);
        }

        int failures() {
            return String.join("\n", lines).split(LOST_NOTHING, -1).length - 1;
        }
    }

    /** A command, with all its results as text. */
    private enum Command {
        BLEND {
            @Override
            String run(Told told) throws FrameReadException {
                return panorama(MosaicParameters.defaults(), told);
            }
        },
        UNION {
            @Override
            String run(Told told) throws FrameReadException {
                return panorama(MosaicParameters.defaults().with("painting", "Union"), told);
            }
        },
        ALIGNED {
            @Override
            String run(Told told) throws FrameReadException {
                StringBuilder pixels = new StringBuilder();
                try (AppliedFrames aligned = new ApplyTransforms(FRAMES, FRAMES.truth(), MosaicParameters.defaults(), told)
                        .frames()) {
                    for (int i = 0; i < aligned.count(); i++) {
                        pixels.append(Arrays.hashCode((int[]) aligned.pixels(i))).append(' ');
                    }
                }
                return pixels.toString();
            }
        },
        QUALITY {
            @Override
            String run(Told told) throws FrameReadException {
                StringBuilder rows = new StringBuilder();
                for (Quality.Row row : Quality.measure(FRAMES, FRAMES.truth(), 2, MosaicParameters.defaults(), told).rows()) {
                    rows.append(Quality.TABLE.cells(row)).append('\n');
                }
                return rows.toString();
            }
        },
        SWEEP {
            @Override
            String run(Told told) throws FrameReadException {
                StringBuilder rows = new StringBuilder();
                Sweep sweep = Sweep.run(FRAMES, "cross=2,4 template=15,17", MosaicParameters.of(Commands.SWEEP.defaults()),
                        told);
                for (Sweep.Row row : sweep.rows()) {
                    rows.append(Sweep.cells(row).subList(0, 6)).append('\n');
                }
                return rows.toString();
            }
        },
        EXPOSURES {
            @Override
            String run(Told told) throws FrameReadException {
                ExposureResult result = new ExposureSession(FRAMES,
                        ExposureParameters.of(Commands.EXPOSURES.parseMacro("")), told).run();
                assertEquals(null, result.failure());
                StringBuilder rows = new StringBuilder();
                for (ChainRow row : result.rows()) {
                    rows.append(row.status).append(' ').append(row.x).append(' ').append(row.y).append('\n');
                }
                return rows.toString();
            }
        },
        FOURIER {
            @Override
            String run(Told told) throws FrameReadException {
                FourierResult result = new FourierSession(FRAMES, FourierParameters.of(Commands.FOURIER.parseMacro("")),
                        told).run();
                assertEquals(null, result.failure());
                StringBuilder rows = new StringBuilder();
                for (ChainRow row : result.rows()) {
                    rows.append(row.status).append(' ').append(row.transform).append('\n');
                }
                return rows.toString();
            }
        };

        abstract String run(Told told) throws FrameReadException;

        private static String panorama(MosaicParameters parameters, Told told) throws FrameReadException {
            Panorama panorama = new ApplyTransforms(FRAMES, FRAMES.truth(), parameters, told).panorama();
            return panorama.width() + " x " + panorama.height() + " " + Arrays.hashCode((int[]) panorama.pixels());
        }
    }

    @AfterEach
    void noMoreFailures() {
        System.clearProperty(BackEnd.FAIL_AFTER);
    }

    /** Whichever call fails, the results up to then stay and the CPU computes the rest. */
    @ParameterizedTest
    @EnumSource(Command.class)
    void autoGoesOnWithTheCpu(Command command) throws FrameReadException {
        String wanted = command.run(new Told());
        int calls = 0;
        for (int failures = 1; failures > 0;) {
            Told told = new Told();
            System.setProperty(BackEnd.FAIL_AFTER, "" + ++calls);
            assertEquals(wanted, command.run(told), calls + " calls: " + told.lines);
            failures = told.failures();
            assertTrue(failures <= 1 && calls < MOST_CALLS, calls + " calls: " + told.lines);
        }
        assertTrue(calls > 5, "fails at " + (calls - 1) + " calls only");
    }
}
