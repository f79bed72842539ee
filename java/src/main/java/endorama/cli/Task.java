package endorama.cli;

import endorama.core.options.Option;
import endorama.core.options.OptionException;
import endorama.core.options.OptionTable;
import endorama.core.options.OptionValues;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** One command of the shell: the options of its table, and the files that only a shell needs. */
abstract class Task {
    private final String name;
    private final String description;
    private OptionTable table;

    Task(String name, String description) {
        this.name = name;
        this.description = description;
    }

    final String name() {
        return name;
    }

    final OptionTable table() {
        return table;
    }

    /** Runs the command and returns its exit code. */
    abstract int run(Arguments arguments, Console console) throws Exception;

    /** The file options that only a shell needs. */
    List<OptionSpec> files() {
        return new ArrayList<OptionSpec>();
    }

    /** Names of the options of {@link #files} whose stage files are read. */
    List<String> read() {
        return new ArrayList<String>();
    }

    /** Names of the options of {@link #files} whose stage files are written. */
    List<String> written() {
        return new ArrayList<String>();
    }

    /** The option whose file, a saved run, gives the options that the command line leaves out. */
    String saved() {
        return "options";
    }

    /** Keys of the table that this command does not take. */
    boolean leftOut(String key) {
        return false;
    }

    final CommandSpec spec(OptionTable options) {
        table = options;
        CommandSpec spec = withHelp(CommandSpec.wrapWithoutInspection(this).name(name));
        spec.usageMessage().description(description == null ? options.help() : description).width(100)
                .sortOptions(false);
        for (OptionSpec file : files()) {
            spec.addOption(file);
        }
        for (Option option : options.options()) {
            if (!leftOut(option.key())) {
                spec.addOption(spec(option));
            }
        }
        return spec;
    }

    /** Adds --help and --version; picocli's own read annotations, which takes longer than the rest of a command line. */
    static CommandSpec withHelp(CommandSpec spec) {
        return spec.addOption(OptionSpec.builder("-h", "--help").usageHelp(true).type(boolean.class).arity("0")
                .description("Show this help message and exit.").build())
                .addOption(OptionSpec.builder("-V", "--version").versionHelp(true).type(boolean.class).arity("0")
                .description("Print version information and exit.").build());
    }

    private static OptionSpec spec(Option option) {
        List<String> names = new ArrayList<String>();
        names.add("--" + option.key());
        if (option.key().indexOf('_') >= 0) {
            names.add("--" + option.key().replace('_', '-'));
        }
        OptionSpec.Builder b = OptionSpec.builder(names.toArray(new String[0]));
        if (option.type() == Option.Type.FLAG) {
            boolean on = Boolean.TRUE.equals(option.fallback());
            return b.type(boolean.class).arity("0").negatable(on).description(escape(option.help()
                    + (on ? " (default; --no-" + option.key() + ": not)" : ""))).build();
        }
        String unit = option.unit().isEmpty() ? "" : ", " + option.unit();
        String fallback = "".equals(option.fallback()) ? "" : ", default " + Option.plain(option.fallback());
        return b.type(String.class).arity("1").paramLabel(option.key().toUpperCase(java.util.Locale.ROOT))
                .description(escape(option.help() + " (" + option.allowed() + unit + fallback + ")")).build();
    }

    /** An option with a file or folder. */
    static OptionSpec file(String name, String label, boolean required, String help) {
        return OptionSpec.builder("--" + name).type(String.class).arity("1").paramLabel(label).required(required)
                .description(escape(help)).build();
    }

    /** A flag. */
    static OptionSpec flag(String name, String help) {
        return OptionSpec.builder("--" + name).type(boolean.class).arity("0").description(escape(help)).build();
    }

    /** The table's choice of an output as the option mode: in a shell the option output is a file. */
    final OptionSpec mode() {
        Option output = table.option("output");
        return file("mode", "MODE", false, output.help() + " (" + output.allowed() + ", default " + output.fallback()
                + ")");
    }

    /** The values of the table, with the mode as the output. */
    final OptionValues withMode(Arguments arguments) {
        File mode = arguments.file("mode");
        try {
            return mode == null ? arguments.values() : arguments.values().with("output", mode.getPath());
        } catch (OptionException e) {
            throw new IllegalArgumentException("mode " + mode + ": must be " + table.option("output").allowed(), e);
        }
    }

    static OptionSpec input() {
        return input(true);
    }

    static OptionSpec input(boolean required) {
        return file("input", "FOLDER|STACK.tif|VIDEO", required, "The frames: a folder of png, jpg, tif, bmp or gif files,"
                + " in the natural order of their names, an OME-Zarr (a folder, too), a TIFF stack, or a video (mp4, mov, avi, mkv ...; by ffmpeg). They are"
                + " read a few at a time.");
    }

    static OptionSpec mask() {
        return file("mask", "IMAGE", false, "With --field Selection: the field of view; its pixels above 0 are"
                + " inside.");
    }

    private static String escape(String text) {
        return text.replace("%", "%%");
    }
}
