package endorama.cli;

import endorama.core.frames.FrameSource;
import endorama.core.mosaic.Sweep;
import endorama.core.options.Option;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.OptionSpec;

/** Registers a sequence over ranges of options. */
final class SweepTask extends Task {
    SweepTask() {
        super("sweep", null);
    }

    @Override
    List<OptionSpec> files() {
        return Arrays.asList(input(), mask());
    }

    @Override
    int run(Arguments arguments, Console console) throws IOException {
        Outputs outputs = arguments.outputs(console);
        FrameSource source = arguments.input();
        Sweep sweep = Sweep.run(source, arguments.values().getText("ranges"), arguments.parameters(source), console);
        if (sweep.cancelled() && !sweep.measured()) {
            console.log("interrupted before anything was measured; nothing is written");
            return Main.INTERRUPTED;
        }
        outputs.write("table", sweep::write);
        console.print(String.join("\t", sweep.columns()));
        for (Sweep.Row row : sweep.rows()) {
            StringBuilder line = new StringBuilder();
            for (Object cell : Sweep.cells(row)) {
                line.append(line.length() == 0 ? "" : "\t").append(text(cell));
            }
            console.print(line.toString());
        }
        if (sweep.best() != null) {
            console.log(sweep.best());
        }
        if (sweep.cancelled()) {
            console.log("interrupted; the rows hold what was measured until then");
            return outputs.code(Main.INTERRUPTED);
        }
        return outputs.code(Main.DONE);
    }

    /** A cell with four decimals for the screen; the file has full precision. */
    private static String text(Object cell) {
        boolean fraction = cell instanceof Double && (Double) cell != Math.rint((Double) cell);
        return fraction ? String.format(Locale.ROOT, "%.4f", cell) : Option.plain(cell);
    }
}
