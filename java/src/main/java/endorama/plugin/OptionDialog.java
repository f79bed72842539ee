package endorama.plugin;

import endorama.core.frames.FrameRange;
import endorama.core.mosaic.Links;
import endorama.core.mosaic.StageFile;
import endorama.core.options.Group;
import endorama.core.options.Option;
import endorama.core.options.OptionException;
import endorama.core.options.OptionTable;
import endorama.core.options.OptionValues;
import ij.IJ;
import ij.ImagePlus;
import ij.Macro;
import ij.Prefs;
import ij.WindowManager;
import ij.gui.GenericDialog;
import ij.macro.Interpreter;
import ij.plugin.filter.PlugInFilterRunner;
import ij.plugin.frame.Recorder;
import java.awt.Button;
import java.awt.FlowLayout;
import java.awt.GraphicsEnvironment;
import java.awt.Label;
import java.awt.Panel;
import java.awt.event.TextEvent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Gets the values of a command's options: in a macro, or without a display, from the option string, parsed here because
 * ImageJ's stand-in dialog turns an unknown choice into the first one; otherwise from a dialog made of the table. Must be
 * called on the command's thread, to which ImageJ ties the option string.
 */
final class OptionDialog {
    /** Options that belong to one sequence alone. */
    private static final List<String> OF_SEQUENCE = Arrays.asList(FrameRange.EXCLUDE, Links.KEY, StageFile.PAIRS);
    /** Space for the message of a value that is not allowed, as a label does not grow. */
    private static final String NO_MESSAGE = String.join("", java.util.Collections.nCopies(60, " "));

    private final OptionTable table;
    /** Titles of the open images besides the current one. */
    private final List<String> images = new ArrayList<String>();
    /** The current image has one slice. */
    private boolean single;
    private final PlugInFilterRunner runner;
    private final Consumer<OptionValues> changed;
    private final Map<String, String> texts = new LinkedHashMap<String, String>();
    private OptionFields fields;
    private boolean reset;

    private OptionDialog(OptionTable table, PlugInFilterRunner runner, Consumer<OptionValues> changed) {
        this.table = table;
        this.runner = runner;
        this.changed = changed;
    }

    /** Null if the user cancelled. */
    static OptionValues ask(OptionTable table) {
        return ask(table, null, null);
    }

    /**
     * Asks for the options of a filter that has a preview.
     *
     * @param runner of the filter; null: no preview
     * @param changed is told of the values whenever they change and are allowed, before the preview starts
     */
    static OptionValues ask(OptionTable table, PlugInFilterRunner runner, Consumer<OptionValues> changed) {
        String line = Macro.getOptions();
        if (line != null || GraphicsEnvironment.isHeadless()) {
            return table.parseMacro(line, OptionDialog::macroVariable);
        }
        return new OptionDialog(table, runner, changed).askUser();
    }

    /** Checks that a macro gives no options to a command that has none. */
    static void check(OptionTable table) {
        String line = Macro.getOptions();
        if (line != null) {
            table.parseMacro(line);
        }
    }

    private static String macroVariable(String name) {
        Interpreter macro = Interpreter.getInstance();
        return macro == null ? null : macro.getVariableAsString(name);
    }

    private OptionValues askUser() {
        listImages(WindowManager.getCurrentImage());
        setTexts(lastValues());
        takeOpenTable(WindowManager.getCurrentImage());
        while (true) {
            GenericDialog dialog = build();
            dialog.showDialog();
            if (reset) {
                reset = false;
                setTexts(table.defaults());
                continue;
            }
            if (dialog.wasCanceled()) {
                return null;
            }
            fields.read(texts);
            try {
                OptionValues values = table.parseArguments(texts);
                remember(values);
                if (Recorder.record) {
                    Recording.record(values);
                }
                return values;
            } catch (OptionException e) {
                // The fields of the next round keep what was typed.
                tell(e);
            }
        }
    }

    /** Preselects the table of transforms that was just computed, in place of a file. */
    private void takeOpenTable(ImagePlus current) {
        boolean asked = table.has("transforms") && table.option("transforms").isRequired();
        String title = asked ? OpenTables.ofTransforms(current) : null;
        if (title != null) {
            texts.put("transforms", title);
        }
    }

    private void tell(OptionException e) {
        IJ.showMessage(title(), Failure.wrapped(e.getMessage()));
    }

    private void listImages(ImagePlus current) {
        for (ImagePlus image : Images.others(current)) {
            images.add(image.getTitle());
        }
        single = current != null && current.getStackSize() == 1;
    }

    private String title() {
        return table.title().replace("...", "");
    }

    private void setTexts(OptionValues values) {
        for (Map.Entry<String, Object> entry : values.toMap().entrySet()) {
            texts.put(entry.getKey(), Option.plain(entry.getValue()));
        }
    }

    private GenericDialog build() {
        GenericDialog dialog = new GenericDialog(title());
        fields = new OptionFields(dialog, table.options(Group.MAIN), images, single);
        fields.add(texts);
        addButtons(dialog);
        if (runner != null) {
            addPreview(dialog);
        }
        dialog.addHelp(OptionHelp.html(table));
        return dialog;
    }

    /** Adds a button for each group of further options, and one for the defaults. */
    private void addButtons(GenericDialog dialog) {
        if (table.options().isEmpty()) {
            return;
        }
        Panel buttons = new Panel(new FlowLayout(FlowLayout.CENTER, 5, 0));
        for (Group group : Group.values()) {
            if (group != Group.MAIN && !table.options(group).isEmpty()) {
                add(buttons, group.title() + "...", () -> askFurther(dialog, group));
            }
        }
        add(buttons, "Reset", () -> {
            reset = true;
            dialog.dispose();
        });
        dialog.addPanel(buttons);
    }

    private static void add(Panel buttons, String label, Runnable action) {
        Button button = new Button(label);
        button.addActionListener(event -> action.run());
        buttons.add(button);
    }

    /** A dialog for a group of further options, above the other; errors are shown before it closes. */
    private void askFurther(GenericDialog above, Group group) {
        Map<String, String> typed = new LinkedHashMap<String, String>(texts);
        while (true) {
            GenericDialog dialog = new GenericDialog(title() + ": " + group.title());
            OptionFields further = new OptionFields(dialog, table.options(group), images, single);
            further.add(typed);
            dialog.addHelp(OptionHelp.html(table));
            dialog.showDialog();
            if (dialog.wasCanceled()) {
                return;
            }
            further.read(typed);
            try {
                for (Option option : table.options(group)) {
                    option.parse(typed.get(option.key()));
                }
                break;
            } catch (OptionException e) {
                tell(e);
            }
        }
        for (Option option : table.options(group)) {
            texts.put(option.key(), typed.get(option.key()));
        }
        if (changed != null) {
            // Starts the preview.
            above.textValueChanged(new TextEvent(above, TextEvent.TEXT_VALUE_CHANGED));
        }
    }

    /** Adds a preview: while a value is not allowed, a message is shown, OK is grey, and the preview rests. */
    private void addPreview(GenericDialog dialog) {
        dialog.addPreviewCheckbox(runner);
        dialog.addMessage(NO_MESSAGE);
        Label message = (Label) dialog.getMessage();
        dialog.addDialogListener((source, event) -> {
            fields.read(texts);
            try {
                changed.accept(table.parseArguments(texts));
                message.setText(NO_MESSAGE);
                return true;
            } catch (OptionException e) {
                message.setText(e.getMessage());
                return false;
            }
        });
    }

    private OptionValues lastValues() {
        try {
            return table.parseMacro(Prefs.get(preference(), ""));
        } catch (OptionException e) {
            // The values of an older version, or of a required file that was never given, are not valid.
            return table.defaults();
        }
    }

    /** Remembers the values, without output files, which the next run would overwrite unasked, open images, and what belongs to
     * this sequence alone. */
    private void remember(OptionValues values) {
        OptionValues kept = values;
        for (Option option : table.options()) {
            if (option.isOutput() || option.type() == Option.Type.IMAGE || OF_SEQUENCE.contains(option.key())) {
                kept = kept.with(option.key(), "");
            }
        }
        Prefs.set(preference(), kept.toString());
    }

    private String preference() {
        return "endorama." + table.name();
    }
}
