package endorama.cli;

import endorama.core.frames.FrameSource;
import endorama.core.mosaic.Links;
import endorama.core.mosaic.MosaicResult;
import endorama.core.mosaic.MosaicSession;
import endorama.core.mosaic.StageFile;
import endorama.core.options.MosaicParameters;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.Model.OptionSpec;

/** The first stage of a mosaic: registers all pairs of frames that overlap. */
final class RegisterTask extends Task {
    private static final List<String> PICTURES = Arrays.asList("transforms", "table", "rois", "overlay", "film", "report",
            "curve", Links.KEY);

    RegisterTask() {
        super("register", "First stage of a mosaic: registers all pairs of frames that show the same, for solve.");
    }

    @Override
    List<OptionSpec> files() {
        return Arrays.asList(
                input(),
                file("pairs", "FILE.json", true, "Where to save the pairs, with the options."),
                file(Links.KEY, "FILE.csv", false, "Where to save the links between the frames as a table, to be mended for"
                        + " solve."),
                file("options", "RUN.json", false, "Take the options of a run that was saved with mosaic --json; what the"
                        + " command line says goes before."),
                mask());
    }

    @Override
    List<String> written() {
        return Arrays.asList("pairs", Links.KEY);
    }

    @Override
    boolean leftOut(String key) {
        return PICTURES.contains(key);
    }

    @Override
    int run(Arguments arguments, Console console) throws IOException {
        Outputs outputs = arguments.outputs(console);
        FrameSource source = arguments.input();
        MosaicParameters parameters = arguments.parameters(source);
        MosaicSession session = new MosaicSession(source, parameters, console).pairsAlone();
        try (MosaicResult result = session.run()) {
            return finish(result, session, outputs, console);
        }
    }

    private static int finish(MosaicResult result, MosaicSession session, Outputs outputs, Console console) {
        console.print("frames      " + result.summary());
        if (result.failure() != null) {
            return console.report(result.failure());
        }
        if (session.pairs() == null) {
            console.log("interrupted; nothing is written");
            return Main.INTERRUPTED;
        }
        if (result.registered() < 2) {
            console.log("no frame could be registered with another");
            return Main.NOTHING;
        }
        outputs.write("pairs", file -> StageFile.write(file, session.pairs()));
        outputs.write(Links.KEY, session.registered().links()::write);
        return outputs.code(Main.DONE);
    }
}
