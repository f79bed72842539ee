package endorama.plugin;

import endorama.core.options.Option;
import endorama.core.options.OptionException;
import ij.gui.GenericDialog;
import ij.io.SaveDialog;
import java.awt.Button;
import java.awt.Checkbox;
import java.awt.Choice;
import java.awt.Component;
import java.awt.GridBagConstraints;
import java.awt.GridBagLayout;
import java.awt.Insets;
import java.awt.Scrollbar;
import java.awt.TextField;
import java.awt.event.ActionListener;
import java.awt.event.AdjustmentListener;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Vector;

/** The fields of some options in a dialog, one below the other, read without telling the macro recorder. */
final class OptionFields {
    static final String NO_IMAGE = "(none)";
    private static final int PATH_COLUMNS = 28;
    private static final int WORD_COLUMNS = 8;

    private final GenericDialog dialog;
    private final List<Option> options;
    /** Titles of images that can be chosen; without any there is no field for an image. */
    private final List<String> images;
    /** The current image has one slice. */
    private final boolean single;

    OptionFields(GenericDialog dialog, List<Option> options, List<String> images, boolean single) {
        this.dialog = dialog;
        this.options = options;
        this.images = images;
        this.single = single;
    }

    /** texts: by key, as typed or by default. */
    void add(Map<String, String> texts) {
        for (Option option : options) {
            add(option, texts.get(option.key()));
        }
    }

    private void add(Option option, String text) {
        String label = option.shown() + ":";
        switch (option.type()) {
            case CHOICE:
                String[] choices = option.choices().toArray(new String[0]);
                dialog.addChoice(label, choices, text);
                break;
            case FLAG:
                dialog.addCheckbox(option.shown(), Boolean.parseBoolean(text));
                moveToFields((Component) dialog.getCheckboxes().lastElement());
                break;
            case FILE:
                addFile(option, label, text);
                break;
            case IMAGE:
                addImage(option, label, text);
                break;
            case TEXT:
                if (option.isWordOrFile()) {
                    dialog.addFileField(label, text, PATH_COLUMNS);
                } else {
                    dialog.addStringField(label, text, option.isLong() ? 2 * PATH_COLUMNS : WORD_COLUMNS);
                }
                break;
            default:
                if (option.sliderEnd() > 0) {
                    addSlider(option, text);
                } else {
                    dialog.addNumericField(label, 0, 0, 7, option.unit());
                }
                // Set as text: a numeric field rounds, and turns what it cannot parse into 0.
                last(dialog.getNumericFields()).setText(text);
        }
    }

    /** Moves a checkbox, which ImageJ puts where labels begin, below a gap, to the column of fields. */
    private void moveToFields(Component box) {
        if (dialog.getLayout() instanceof GridBagLayout) {
            GridBagLayout grid = (GridBagLayout) dialog.getLayout();
            GridBagConstraints place = grid.getConstraints(box);
            place.gridx = 1;
            place.gridwidth = 1;
            place.anchor = GridBagConstraints.WEST;
            place.insets = new Insets(0, 0, 3, 0);
            grid.setConstraints(box, place);
        }
    }

    private void addImage(Option option, String label, String text) {
        if (!images.isEmpty()) {
            String[] choices = images.toArray(new String[0]);
            if (option.canBeNone(single)) {
                choices = new String[images.size() + 1];
                choices[0] = NO_IMAGE;
                System.arraycopy(images.toArray(), 0, choices, 1, images.size());
            }
            dialog.addChoice(label, choices, text.isEmpty() ? choices[0] : text);
        }
    }

    /**
     * Adds a field with a slider. The field accepts values beyond the slider and between its whole numbers; the slider stops
     * only at values that are allowed. ImageJ's slider field has no space for a unit.
     */
    private void addSlider(Option option, String text) {
        double start = option.sliderStart();
        try {
            start = ((Number) option.parse(text)).doubleValue();
        } catch (OptionException e) {
            // An invalid text typed in the round before: the slider stays at its end.
        }
        String unit = option.unit().isEmpty() ? "" : " (" + option.unit() + ")";
        dialog.addSlider(option.shown() + unit + ":", option.sliderStart(), option.sliderEnd(), Math.round(start));
        Scrollbar slider = (Scrollbar) dialog.getSliders().lastElement();
        TextField field = last(dialog.getNumericFields());
        for (AdjustmentListener listener : slider.getAdjustmentListeners()) {
            slider.removeAdjustmentListener(listener);
        }
        // ImageJ's sliders support steps of 2, but only of even numbers.
        slider.setUnitIncrement(option.isOdd() ? 2 : 1);
        slider.addAdjustmentListener(event -> field.setText(allowed(option, event.getValue())));
    }

    /** The nearest whole number that the option allows. */
    static String allowed(Option option, int value) {
        for (int v = value; v <= option.sliderEnd(); v++) {
            try {
                return Option.plain(option.parse(String.valueOf(v)));
            } catch (OptionException e) {
                continue;
            }
        }
        return String.valueOf((int) option.sliderEnd());
    }

    private void addFile(Option option, String label, String text) {
        dialog.addFileField(label, text, PATH_COLUMNS);
        if (option.isOutput()) {
            saveInsteadOfOpen(option, last(dialog.getStringFields()));
        }
    }

    /** Replaces the dialog behind ImageJ's file field, which opens files, by one that saves. */
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

    /** Reads the components: getNextString() and similar methods would record each round. */
    void read(Map<String, String> texts) {
        Iterator<?> strings = iterator(dialog.getStringFields());
        Iterator<?> numbers = iterator(dialog.getNumericFields());
        Iterator<?> choices = iterator(dialog.getChoices());
        Iterator<?> boxes = iterator(dialog.getCheckboxes());
        for (Option option : options) {
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
}
