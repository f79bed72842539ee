package walk;

import ij.IJ;
import ij.ImagePlus;
import ij.WindowManager;
import ij.gui.GenericDialog;
import java.awt.Button;
import java.awt.Component;
import java.awt.Container;
import java.awt.Dialog;
import java.awt.Dimension;
import java.awt.EventQueue;
import java.awt.Rectangle;
import java.awt.TextField;
import java.awt.Toolkit;
import java.awt.Window;
import java.awt.event.ActionEvent;
import java.awt.event.ActionListener;
import java.awt.image.BufferedImage;
import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.imageio.ImageIO;

/**
 * Opens the dialog of every command in ImageJ's window, and those behind its buttons, looks whether they lie on the screen,
 * leaves pictures of them, and presses OK; where a value must be given, Cancel. Argument: the folder; with a macro before it,
 * that is run instead.
 */
public final class Dialogs {
    private static final int PATIENCE_MS = 120000;
    /** These ask for a file or an image that is not there, or open a window that has a walk of its own. */
    private static final List<String> CANCELLED = Arrays.asList("Mosaic Parameter Sweep...", "Open Video...", "Live Mosaic...");
    /** All but Mend Panorama, whose window has a walk of its own. */
    private static final String[] COMMANDS = {"Endoscopic Demo Sequence...", "Mosaic Endoscopic Sequence...", "Live Mosaic...",
        "Mosaic Quality...", "Mosaic Parameter Sweep...", "Apply Transforms...", "Align Exposures...",
        "Register Rotation and Scale...", "Register by Mutual Information...", "Adaptive Equalization...", "Open Video...",
        "Endorama Info..."};

    private Dialogs() {
    }

    public static void main(String[] args) throws Exception {
        Walk.begin(args[args.length - 1]);
        if (args.length > 1) {
            IJ.runMacroFile(args[0], args[1]);
            Runtime.getRuntime().halt(0);
        }
        int code = 0;
        ImagePlus demo = null;
        for (String command : COMMANDS) {
            String wrong = walk(command, demo);
            if (demo == null) {
                demo = WindowManager.getCurrentImage();
            }
            Walk.note(wrong == null ? command.replace("...", "") : "FAILED " + command + ": " + wrong);
            code = wrong == null ? code : 1;
            closeAllBut(demo);
        }
        Runtime.getRuntime().halt(code);
    }

    private static void closeAllBut(ImagePlus demo) {
        for (int id : WindowManager.getIDList() == null ? new int[0] : WindowManager.getIDList()) {
            ImagePlus image = WindowManager.getImage(id);
            if (image != demo) {
                image.changes = false;
                image.close();
            }
        }
    }

    private static String name(String command) {
        return command.replaceAll("\\W+", " ").trim().replace(' ', '-').toLowerCase();
    }

    /** Null if all went well. */
    private static String walk(String command, ImagePlus demo) throws Exception {
        if (command.startsWith("Register by Mutual")) {
            new ImagePlus("fixed", demo.getStack().getProcessor(1).duplicate()).show();
        }
        if (demo != null) {
            IJ.selectWindow(demo.getID());
        }
        Thread thread = new Thread(() -> IJ.run(command));
        int before = WindowManager.getImageCount();
        thread.start();
        Dialog dialog = shown(thread);
        if (dialog == null) {
            return command.startsWith("Endorama Info") ? null : "no dialog";
        }
        String off = look(dialog, name(command));
        off = off != null ? off : further(dialog, name(command));
        if (off != null) {
            return off;
        }
        shorten(dialog);
        String button = CANCELLED.contains(command) ? "Cancel" : "OK";
        if (!press(dialog, button)) {
            return "no button " + button;
        }
        String wrong = finish(thread, command);
        boolean makes = !CANCELLED.contains(command) && !command.startsWith("Mosaic Quality")
                && !command.startsWith("Adaptive");
        return wrong != null ? wrong : makes && WindowManager.getImageCount() == before ? "made no image" : null;
    }

    /** A picture of it; null if it lies on the screen. */
    private static String look(Dialog dialog, String name) throws Exception {
        IJ.wait(1000);
        picture(dialog, name);
        Dimension screen = Toolkit.getDefaultToolkit().getScreenSize();
        return new Rectangle(screen).contains(dialog.getBounds()) ? null
                : "the dialog " + dialog.getTitle() + " " + dialog.getBounds() + " is not on the screen, " + screen;
    }

    /** The dialogs behind its buttons, and its help; null if all of them lie on the screen. */
    private static String further(Dialog dialog, String name) throws Exception {
        for (String button : Arrays.asList("Frames...", "Registration...", "Picture...", "Computing...", "Help")) {
            if (!has(dialog, button)) {
                continue;
            }
            EventQueue.invokeLater(() -> press(dialog, button));
            Dialog above = null;
            for (int ms = 0; above == null && ms < 10000; ms += 50) {
                IJ.wait(50);
                above = above(dialog);
            }
            if (above == null) {
                return button + " opens nothing";
            }
            String off = look(above, name + "-" + name(button));
            Dialog open = above;
            EventQueue.invokeLater(open::dispose);
            for (int ms = 0; open.isShowing() && ms < 10000; ms += 50) {
                IJ.wait(50);
            }
            if (off != null) {
                return off;
            }
        }
        return null;
    }

    private static Dialog above(Dialog dialog) {
        for (Window window : Window.getWindows()) {
            if (window instanceof Dialog && window != dialog && window.isShowing()) {
                return (Dialog) window;
            }
        }
        return null;
    }

    private static boolean has(Container in, String label) {
        for (Component part : in.getComponents()) {
            if (part instanceof Button && ((Button) part).getLabel().trim().equals(label)
                    || part instanceof Container && has((Container) part, label)) {
                return true;
            }
        }
        return false;
    }

    /** The demo would take long in its own size, and exposures do not turn. */
    private static void shorten(Dialog dialog) {
        if (dialog instanceof GenericDialog && dialog.getTitle().contains("Demo")) {
            @SuppressWarnings("unchecked")
            List<TextField> fields = new ArrayList<TextField>(((GenericDialog) dialog).getNumericFields());
            fields.get(0).setText("256");
            fields.get(1).setText("192");
            fields.get(2).setText("8");
            fields.get(4).setText("0");
            fields.get(5).setText("0");
        }
    }

    private static Dialog shown(Thread thread) {
        for (int ms = 0; ms < PATIENCE_MS && (thread.isAlive() || ms < 2000); ms += 50) {
            Dialog dialog = any();
            if (dialog != null) {
                return dialog;
            }
            IJ.wait(50);
        }
        return null;
    }

    private static Dialog any() {
        for (Window window : Window.getWindows()) {
            if (window instanceof Dialog && window.isShowing()) {
                return (Dialog) window;
            }
        }
        return null;
    }

    /** Only the slice that is shown is equalized; any other question, or an error, is what is wrong. */
    private static String finish(Thread thread, String command) throws Exception {
        for (int ms = 0; ms < PATIENCE_MS && thread.isAlive(); ms += 100) {
            IJ.wait(100);
            Dialog dialog = ms % 1000 == 900 ? any() : null;
            if (dialog != null && dialog.getTitle().startsWith("Process Stack")) {
                press(dialog, "No");
            } else if (dialog != null && thread.isAlive()) {
                picture(dialog, name(command) + "-asked");
                if (!press(dialog, "Cancel") && !press(dialog, "OK")) {
                    dialog.dispose();
                }
                return "it asked: " + dialog.getTitle();
            }
        }
        return thread.isAlive() ? "it did not end" : null;
    }

    private static boolean press(Container in, String label) {
        for (Component part : in.getComponents()) {
            if (part instanceof Button && ((Button) part).getLabel().trim().equals(label)) {
                for (ActionListener listener : ((Button) part).getActionListeners()) {
                    listener.actionPerformed(new ActionEvent(part, ActionEvent.ACTION_PERFORMED, label));
                }
                return true;
            }
            if (part instanceof Container && press((Container) part, label)) {
                return true;
            }
        }
        return false;
    }

    /** Without a window manager Java may be wrong about where a window lies, and its corner there is black: it is moved, then. */
    private static void picture(Window window, String name) throws Exception {
        BufferedImage picture = null;
        for (int i = 0; i < 10 && (picture == null || (picture.getRGB(2, 2) & 0xffffff) == 0); i++) {
            if (picture != null) {
                int place = i;
                EventQueue.invokeAndWait(() -> window.setLocation(place, place));
                IJ.wait(1000);
            }
            picture = Walk.robot.createScreenCapture(window.getBounds());
        }
        ImageIO.write(picture, "png", new File(Walk.folder, name + ".png"));
    }
}
