package walk;

import ij.ImageJ;
import ij.Prefs;
import java.awt.Component;
import java.awt.Container;
import java.awt.Dimension;
import java.awt.Rectangle;
import java.awt.Robot;
import java.awt.Toolkit;
import java.awt.Window;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import javax.imageio.ImageIO;
import javax.swing.AbstractButton;
import javax.swing.JLabel;

/**
 * What walks share: ImageJ at a GUI scale (property walk.scale, 1 by default), steps that are noted, and pictures of the screen.
 * All of them are compiled together: {@code javac -d CLASSES -cp IJ_JAR walk/*.java}, then {@code java -cp IJ_JAR:CLASSES
 * walk.Mend FOLDER}. The folder gets steps.txt, a line for each step that was done, and pictures.
 */
final class Walk {
    static File folder;
    static Robot robot;

    private Walk() {
    }

    /** A step; what it throws is what is wrong. */
    interface Step {
        void run() throws Exception;
    }

    static void begin(String where) throws Exception {
        folder = new File(where).getAbsoluteFile();
        robot = new Robot();
        Prefs.setGuiScale(Double.parseDouble(System.getProperty("walk.scale", "1")));
        new ImageJ(ImageJ.STANDALONE);
    }

    /** Walks all steps and ends Java; exit code 1 if one failed. */
    static void walk(String where, Step all) throws Exception {
        begin(where);
        try {
            all.run();
        } catch (Exception | Error e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
        Runtime.getRuntime().halt(0);
    }

    /** Leaves a line and a picture. */
    static void step(String name, Step step) throws Exception {
        try {
            step.run();
            note(name);
        } catch (Exception | Error e) {
            note("FAILED " + name + ": " + e.getMessage());
            throw e;
        } finally {
            picture(name.replace(' ', '-'));
        }
    }

    static void note(String line) throws Exception {
        Files.write(new File(folder, "steps.txt").toPath(), (line + "\n").getBytes(StandardCharsets.UTF_8),
                StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    static void picture(String name) throws Exception {
        robot.delay(700);
        Rectangle screen = new Rectangle(Toolkit.getDefaultToolkit().getScreenSize());
        ImageIO.write(robot.createScreenCapture(screen), "png", new File(folder, name + ".png"));
    }

    static void check(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException(what);
        }
    }

    static void checkOnScreen(Window window) {
        Dimension screen = Toolkit.getDefaultToolkit().getScreenSize();
        check(new Rectangle(screen).contains(window.getBounds()), "the window " + window.getBounds() + " is not on the screen");
    }

    /** A part of a kind, with a text; null: any. */
    static Component part(Container in, Class<?> kind, String text) {
        for (Component part : in.getComponents()) {
            String words = part instanceof AbstractButton ? ((AbstractButton) part).getText()
                    : part instanceof JLabel ? ((JLabel) part).getText() : null;
            boolean isLabel = part instanceof JLabel;
            boolean meant = text == null || words != null && (isLabel ? words.contains(text) : words.equals(text));
            Component found = kind.isInstance(part) && meant ? part
                    : part instanceof Container ? part((Container) part, kind, text) : null;
            if (found != null) {
                return found;
            }
        }
        return null;
    }
}
