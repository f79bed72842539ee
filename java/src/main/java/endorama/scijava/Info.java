package endorama.scijava;

import endorama.core.options.Commands;
import endorama.plugin.InfoCommand;
import org.scijava.ItemIO;
import org.scijava.command.Command;
import org.scijava.plugin.Parameter;
import org.scijava.plugin.Plugin;

/** {@link endorama.plugin.InfoCommand} for SciJava. */
@Plugin(type = Command.class, label = "Endorama Info", headless = true)
public final class Info extends ScriptCommand {
    @Parameter(type = ItemIO.OUTPUT)
    private String text;

    public Info() {
        super(Commands.INFO);
    }

    @Override
    void execute(String line) {
        Commands.INFO.parseMacro(line);
        text = InfoCommand.exec();
    }
}
