package endorama.cli;

import endorama.core.mosaic.FrameTable;
import endorama.core.mosaic.Links;
import endorama.core.mosaic.StageFile;
import endorama.core.transforms.TransformsFile;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine.Model.OptionSpec;

/** The second stage of a mosaic: solves for the poses of all frames from all pairs. Needs no frames. */
final class SolveTask extends Task {
    private static final List<String> KEPT = Arrays.asList("transforms", "table");

    SolveTask() {
        super("solve", "Second stage of a mosaic: from the pairs of register the poses of all frames, for paint.");
    }

    @Override
    List<OptionSpec> files() {
        return Arrays.asList(
                file("pairs", "FILE.json", true, "What register wrote; its options are taken."),
                file(Links.KEY, "FILE.csv", false, "A table of links, which count in the place of those of register."),
                file("places", "FILE.json", true, "Where to save the poses."));
    }

    @Override
    List<String> read() {
        return Arrays.asList("pairs", Links.KEY);
    }

    @Override
    List<String> written() {
        return Collections.singletonList("places");
    }

    @Override
    boolean leftOut(String key) {
        return !KEPT.contains(key);
    }

    @Override
    int run(Arguments arguments, Console console) throws IOException {
        Outputs outputs = arguments.outputs(console);
        File links = arguments.file(Links.KEY);
        StageFile file = StageFile.read(arguments.file("pairs"), StageFile.PAIRS);
        String solved = file.solved(links == null ? null : Links.read(links), console);
        outputs.write("transforms", to -> TransformsFile.write(to, file.saved(), file.values().toMap(), file.backend()));
        outputs.write("table", to -> FrameTable.of(file.rows(), file.width(), file.height())
                .write(to, file.allRows()));
        boolean written = outputs.write("places", to -> StageFile.write(to, solved));
        console.print("places      " + file.rows().size() + " frames: " + (written ? arguments.file("places") : "not written"));
        for (String warning : file.warnings()) {
            console.print("warning     " + warning);
        }
        console.print("verdict     " + file.verdict());
        return outputs.code(Main.DONE);
    }
}
