package endorama.core.mutual;

import endorama.core.common.OnlyStopping;
import endorama.core.common.Progress;
import endorama.core.files.FileFormatException;
import endorama.core.fourier.FourierParameters;
import endorama.core.fourier.FourierResult;
import endorama.core.fourier.FourierSession;
import endorama.core.frames.FrameReadException;
import endorama.core.options.Commands;
import endorama.core.options.OptionException;
import endorama.core.options.OptionValues;
import endorama.core.volumes.Affine3;
import endorama.jni.MutualOptions;
import endorama.jni.NativeTransforms;
import java.io.File;
import java.io.IOException;

/** The start of the search of a pair, by the options. */
final class MutualStart {
    private final MutualParameters parameters;
    private final Progress progress;
    private final MutualTransforms saved;

    /** @throws FileFormatException if the file that the options name holds no transform */
    MutualStart(MutualParameters parameters, boolean planar, Progress progress) throws IOException {
        this.parameters = parameters;
        this.progress = progress;
        File file = parameters.initialFile();
        saved = file == null ? null : MutualTransforms.read(file);
        if (parameters.initial() == MutualParameters.Initial.FOURIER && !planar) {
            throw new OptionException("initial", "initial Fourier: only for images (dimensions=2D); volumes start at"
                    + " Header, Centre or Moments");
        }
        if (saved != null && !saved.suits(planar)) {
            throw new FileFormatException(file + ": holds a transform of " + (planar ? "volumes" : "images") + ", and "
                    + (planar ? "images" : "volumes") + " are registered");
        }
    }

    /** Sets the start of pair index, from 0. */
    void set(MutualOptions options, MutualPair pair, int index) throws FrameReadException {
        options.initial = MutualOptions.GIVEN;
        switch (parameters.initial()) {
            case CENTRE:
                options.initial = MutualOptions.CENTRES;
                break;
            case MOMENTS:
                options.initial = MutualOptions.MOMENTS;
                break;
            case FOURIER:
                options.initialMap = fourier(pair);
                break;
            case FILE:
                options.initialMap = pair.inSpace(saved.voxels(index, pair));
                break;
            default:
                options.initialMap = pair.header();
        }
    }

    private double[] fourier(MutualPair pair) throws FrameReadException {
        FourierResult result = new FourierSession(pair.moving.images(), fourierParameters().onto(pair.fixed.images(),
                null), new OnlyStopping(progress)).run();
        if (result.isEmpty()) {
            progress.log("Fourier found no start (" + result.summary() + "); the centres are laid together");
            return pair.centres();
        }
        double[] found = pair.inSpace(Affine3.of(result.rows().get(0).transform.inverse()));
        return reduced(found, pair.fixedSpace.centre());
    }

    private FourierParameters fourierParameters() {
        OptionValues values = Commands.FOURIER.defaults()
                .with("model", parameters.model() == NativeTransforms.TRANSLATION ? "Translation" : "Similarity")
                .with("backend", parameters.values().getChoice("backend"));
        return FourierParameters.of(values).withThreads(parameters.threads());
    }

    /** Removes the scale of a start map, which a rigid model cannot change. */
    private double[] reduced(double[] map, double[] centre) {
        if (parameters.model() > NativeTransforms.RIGID) {
            return map;
        }
        double scale = Math.sqrt(Math.abs(Affine3.determinant(map)));
        double[] to = Affine3.apply(map, centre[0], centre[1], 0);
        double[] m = Affine3.product(map, Affine3.diagonal(1 / scale, 1 / scale, 1));
        m[3] = to[0] - m[0] * centre[0] - m[1] * centre[1];
        m[7] = to[1] - m[4] * centre[0] - m[5] * centre[1];
        return m;
    }
}
