package endorama.core.engine;

import endorama.core.common.Progress;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Interlacing;
import endorama.jni.FramesOptions;
import endorama.jni.NativeContext;
import endorama.jni.NativePattern;
import java.util.Locale;

/** What stands still on the sensor while the scene moves: pixels, fibres, dust. */
final class StaticPattern {
    /** Frames looked at where the first sample shows that there is one: the more, the less of the scene is left in it. */
    private static final int FRAMES = 64;

    private StaticPattern() {
    }

    /**
     * The static pattern of a sequence; null where there is none, or none that can be told from the scene. Says so if the
     * frames that it looks at are interlaced.
     *
     * @param like a store for its frames
     * @throws FrameReadException if no frame can be read
     */
    static short[] find(NativeContext context, FrameSource source, FramesOptions like, Progress progress)
            throws FrameReadException {
        // Where a lens is taken out, rows are no rows any more.
        FrameSource shown = source.asShown();
        try (final NativePattern finder = NativePattern.create(context, like)) {
            final Interlacing rows = new Interlacing(source);
            FieldOfView.Sample taken = new FieldOfView.Sample() {
                @Override
                public void take(Object pixels) {
                    finder.add(pixels);
                    if (shown == source) {
                        rows.look(pixels);
                    }
                }
            };
            FieldOfView.sample(source, FieldOfView.SAMPLES, progress, taken);
            if (shown != source) {
                FieldOfView.sample(shown, FieldOfView.SAMPLES, progress, rows::look);
            }
            if (rows.warning() != null) {
                progress.log(rows.warning());
            }
            NativePattern.Result found = finder.find();
            if (found.found && source.count() > FieldOfView.SAMPLES) {
                FieldOfView.sample(source, FRAMES, progress, taken);
                found = finder.find();
            }
            if (!found.found) {
                return null;
            }
            progress.log(String.format(Locale.ROOT, "static pattern: %.1f grey levels RMS, taken out before matching (from"
                    + " %d frames, %.0f %% of their details)", found.rms, found.frames, 100 * found.share));
            return found.values;
        }
    }
}
