package endorama.plugin;

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
import ij.io.SaveDialog;
import ij.macro.Interpreter;
import ij.plugin.filter.PlugInFilterRunner;
import ij.plugin.frame.Recorder;
import java.awt.Button;
import java.awt.Checkbox;
import java.awt.Choice;
import java.awt.Component;
import java.awt.GraphicsEnvironment;
import java.awt.Label;
import java.awt.Scrollbar;
import java.awt.TextField;
import java.awt.event.ActionListener;
import java.awt.event.AdjustmentListener;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Vector;
import java.util.function.Consumer;

/**
 * Gets the values of a command's options: in a macro, or without a display, from the option string,
 * which is read by us because ImageJ's stand-in dialog turns an unknown choice into the first one;
 * otherwise from a dialog made of the table. Must be called on the command's own thread, to which
 * ImageJ ties the option string.
 */
final class OptionDialog {
    private static final int PATH_COLUMNS = 28;
    private static final int WORD_COLUMNS = 8;

    /** Room for the message of a value that is not allowed: a label does not grow. */
    private static final String NO_MESSAGE = String.join("", java.util.Collections.nCopies(60, " "));

    private static final String NO_IMAGE = "(none)";

    private final OptionTable table;
    /** What can be chosen besides the current image; empty if no other one is open. */
    private final List<String> images = new ArrayList<String>();
    /** The current image has one slice. */
    private boolean single;
    private final PlugInFilterRunner runner;
    private final Consumer<OptionValues> changed;
    private final Map<String, String> texts = new LinkedHashMap<String, String>();

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
     * The same for a filter that has a preview.
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

    /** For a command without options: those of a macro must be none. */
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
        while (true) {
            GenericDialog dialog = build();
            dialog.showDialog();
            if (dialog.wasCanceled()) {
                return null;
            }
            read(dialog);
            try {
                OptionValues values = table.parseArguments(texts);
                remember(values);
                record(values);
                return values;
            } catch (OptionException e) {
                // What was typed stays in the fields of the next round.
                IJ.showMessage(title(), e.getMessage());
            }
        }
    }

    private void listImages(ImagePlus current) {
        for (ImagePlus image : Images.others(current)) {
            images.add(image.getTitle());
        }
        single = current != null && current.getStackSize() == 1;
    }

    private String[] choices(Option option) {
        List<String> choices = new ArrayList<String>(images);
        if (option.canBeNone(single)) {
            choices.add(0, NO_IMAGE);
        }
        return choices.toArray(new String[0]);
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
        for (Option option : table.options()) {
            add(dialog, option, texts.get(option.key()));
        }
        if (runner != null) {
            addPreview(dialog);
        }
        dialog.addHelp(help());
        return dialog;
    }

    /** While a value is not allowed, a line says so, OK is grey, and the preview rests. */
    private void addPreview(GenericDialog dialog) {
        dialog.addPreviewCheckbox(runner);
        dialog.addMessage(NO_MESSAGE);
        Label message = (Label) dialog.getMessage();
        dialog.addDialogListener((source, event) -> {
            read(dialog);
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

    private void add(GenericDialog dialog, Option option, String text) {
        String label = option.label() + ":";
        switch (option.type()) {
            case CHOICE:
                String[] choices = option.choices().toArray(new String[0]);
                dialog.addChoice(label, choices, text);
                break;
            case FLAG:
                dialog.addCheckbox(option.label(), Boolean.parseBoolean(text));
                break;
            case FILE:
                addFile(dialog, option, label, text);
                break;
            case IMAGE:
                if (!images.isEmpty()) {
                    String[] images = choices(option);
                    dialog.addChoice(label, images, text.isEmpty() ? images[0] : text);
                }
                break;
            case TEXT:
                if (option.isWordOrFile()) {
                    dialog.addFileField(label, text, PATH_COLUMNS);
                    break;
                }
                dialog.addStringField(label, text, option.choices().isEmpty() ? 2 * PATH_COLUMNS : WORD_COLUMNS);
                break;
            default:
                if (option.sliderEnd() > 0) {
                    addSlider(dialog, option, label, text);
                } else {
                    dialog.addNumericField(label, 0, 0, 7, option.unit());
                }
                // As it is: a numeric field rounds, and turns what it cannot read into 0.
                last(dialog.getNumericFields()).setText(text);
        }
    }

    /** What is typed may lie beyond the slider. */
    private static void addSlider(GenericDialog dialog, Option option, String label, String text) {
        double start = option.sliderStart();
        try {
            start = ((Number) option.parse(text)).doubleValue();
        } catch (OptionException e) {
            // Typed in the round before; the slider begins at its end.
        }
        dialog.addSlider(label, option.sliderStart(), option.sliderEnd(), start);
        if (!option.isOdd()) {
            return;
        }
        // ImageJ's sliders know steps of 2, but only even ones.
        Scrollbar slider = (Scrollbar) dialog.getSliders().lastElement();
        TextField field = last(dialog.getNumericFields());
        for (AdjustmentListener listener : slider.getAdjustmentListeners()) {
            slider.removeAdjustmentListener(listener);
        }
        slider.setUnitIncrement(2);
        slider.addAdjustmentListener(event -> field.setText(String.valueOf(event.getValue() | 1)));
    }

    private static void addFile(GenericDialog dialog, Option option, String label, String text) {
        dialog.addFileField(label, text, PATH_COLUMNS);
        if (option.isOutput()) {
            saveInsteadOfOpen(option, last(dialog.getStringFields()));
        }
    }

    /** ImageJ's file field asks for a file to open. */
    private static void saveInsteadOfOpen(Option option, TextField field) {
        for (Component sibling : field.getParent().getComponents()) {
            if (sibling instanceof Button) {
                Button browse = (Button) sibling;
                for (ActionListener listener : browse.getActionListeners()) {
                    browse.removeActionListener(listener);
                }
                browse.addActionListener(event -> {
                    SaveDialog save = new SaveDialog("Save " + option.key(), option.key(), option.ending());
                    if (save.getFileName() != null) {
                        field.setText(save.getDirectory() + save.getFileName());
                    }
                });
            }
        }
    }

    private static TextField last(Vector<?> fields) {
        return (TextField) fields.get(fields.size() - 1);
    }

    /** Reads the components themselves: getNextString() and its like would record each round. */
    private void read(GenericDialog dialog) {
        Iterator<?> strings = iterator(dialog.getStringFields());
        Iterator<?> numbers = iterator(dialog.getNumericFields());
        Iterator<?> choices = iterator(dialog.getChoices());
        Iterator<?> boxes = iterator(dialog.getCheckboxes());
        for (Option option : table.options()) {
            switch (option.type()) {
                case CHOICE:
                    texts.put(option.key(), ((Choice) choices.next()).getSelectedItem());
                    break;
                case FLAG:
                    texts.put(option.key(), String.valueOf(((Checkbox) boxes.next()).getState()));
                    break;
                case IMAGE:
                    if (!images.isEmpty()) {
                        String image = ((Choice) choices.next()).getSelectedItem();
                        texts.put(option.key(), image.equals(NO_IMAGE) ? "" : image);
                    }
                    break;
                case TEXT:
                case FILE:
                    texts.put(option.key(), ((TextField) strings.next()).getText());
                    break;
                default:
                    texts.put(option.key(), ((TextField) numbers.next()).getText());
            }
        }
    }

    private static Iterator<?> iterator(Vector<?> fields) {
        return (fields == null ? new Vector<Object>() : fields).iterator();
    }

    private void record(OptionValues values) {
        if (!Recorder.record) {
            return;
        }
        for (Option option : table.options()) {
            Object value = values.get(option.key());
            if (option.type() == Option.Type.FILE) {
                if (!"".equals(value)) {
                    Recorder.recordPath(option.key(), (String) value);
                }
            } else if (value.equals(Boolean.TRUE)) {
                Recorder.recordOption(option.key());
            } else if (option.type() != Option.Type.FLAG || !value.equals(option.fallback())) {
                Recorder.recordOption(option.key(), Option.plain(value));
            }
        }
    }

    private OptionValues lastValues() {
        try {
            return table.parseMacro(Prefs.get(preference(), ""));
        } catch (OptionException e) {
            // Kept by an older version, or a required file that was never given.
            return table.defaults();
        }
    }

    /** Files that are written are not remembered: the next run would overwrite them unasked. Nor are open images. */
    private void remember(OptionValues values) {
        OptionValues kept = values;
        for (Option option : table.options()) {
            if (option.isOutput() || option.type() == Option.Type.IMAGE) {
                kept = kept.with(option.key(), "");
            }
        }
        Prefs.set(preference(), kept.toString());
    }

    private String preference() {
        return "endorama." + table.name();
    }

    private String help() {
        StringBuilder html = new StringBuilder("<html><h3>").append(title()).append("</h3>")
                .append(table.help()).append("<br><br><table border=0 cellspacing=3>");
        for (Option option : table.options()) {
            html.append("<tr><td valign=top><b>").append(option.key()).append("</b></td><td>")
                    .append(option.help()).append("<br><i>").append(option.allowed()).append("</i></td></tr>");
        }
        return html.append("</table></html>").toString();
    }
}
