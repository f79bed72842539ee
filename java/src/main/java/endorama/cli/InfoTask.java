package endorama.cli;

import com.google.gson.GsonBuilder;
import endorama.core.mosaic.Info;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.OptionSpec;

/** Prints versions, library, processors, and a quick self-check. */
final class InfoTask extends Task {
    InfoTask() {
        super("info", null);
    }

    @Override
    List<OptionSpec> files() {
        return Arrays.asList(OptionSpec.builder("--json").type(boolean.class).arity("0").description("Print JSON.").build());
    }

    @Override
    int run(Arguments arguments, Console console) {
        Map<String, String> info = Info.collect();
        if (arguments.flag("json")) {
            console.print(new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(info));
        } else {
            for (Map.Entry<String, String> e : info.entrySet()) {
                console.print(String.format("%-15s", e.getKey()) + e.getValue());
            }
        }
        String failure = Info.failure(info);
        if (failure == null) {
            return Main.DONE;
        }
        console.log(failure);
        return Main.LIBRARY;
    }
}
