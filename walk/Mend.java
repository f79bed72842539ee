package walk;

import static walk.Walk.check;
import static walk.Walk.checkOnScreen;
import static walk.Walk.folder;
import static walk.Walk.part;
import static walk.Walk.picture;
import static walk.Walk.robot;
import static walk.Walk.step;
import static walk.Walk.walk;

import ij.IJ;
import ij.ImagePlus;
import ij.WindowManager;
import ij.plugin.filter.GaussianBlur;
import ij.plugin.frame.Recorder;
import java.awt.Component;
import java.awt.Container;
import java.awt.Dialog;
import java.awt.EventQueue;
import java.awt.Frame;
import java.awt.Point;
import java.awt.Rectangle;
import java.awt.Window;
import java.awt.event.InputEvent;
import java.awt.event.WindowEvent;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import javax.swing.JButton;
import javax.swing.JLabel;
import javax.swing.JList;
import javax.swing.JToggleButton;

/**
 * A walk with the mouse through the window of Mend Panorama: a pair is dragged and refined, places are marked, a frame that was
 * left out is placed by hand, all is solved again and saved, and the macro line that was recorded makes the panorama.
 */
public final class Mend {
    private static final int PATIENCE_MS = 120000;
    private static final int FRAMES = 24;
    /** A frame that registration cannot place. */
    private static final int BLURRED = 17;

    private static Window window;

    private Mend() {
    }

    public static void main(String[] args) throws Exception {
        walk(args[0], () -> {
            step("opens", Mend::open);
            step("drags", Mend::drag);
            step("refines", Mend::refine);
            step("marks places", Mend::mark);
            step("undoes", Mend::undo);
            step("leaves a pair out", Mend::leaveOut);
            step("places a frame", Mend::place);
            step("saves", Mend::save);
            step("asks before it closes", Mend::close);
            step("makes the panorama", Mend::panorama);
        });
    }

    // ------------------------------------------------------------------- steps

    private static void open() throws Exception {
        IJ.run("Endoscopic Demo Sequence...", "width=360 height=288 frames=" + FRAMES + " rotation=4 zoom=2 step=12");
        ImagePlus demo = WindowManager.getCurrentImage();
        new GaussianBlur().blurGaussian(demo.getStack().getProcessor(BLURRED), 14);
        new Recorder();
        new Thread(() -> IJ.run("Mend Panorama...", "links=[" + new File(folder, "links.csv") + "]")).start();
        window = shown("Mend " + demo.getTitle());
        says("Solved");
        checkOnScreen(window);
        check(list().getModel().getElementAt(0).equals(BLURRED) && list().getSelectedIndex() == 0, "another frame is first");
        EventQueue.invokeAndWait(window::toFront);
    }

    /** The first pair; the frame is before it. */
    private static void drag() throws Exception {
        Rectangle cell = list().getCellBounds(1, 1);
        Point corner = list().getLocationOnScreen();
        click(corner.x + cell.width / 2, corner.y + (int) cell.getCenterY(), InputEvent.BUTTON1_DOWN_MASK);
        robot.delay(500);
        dragBy(20, 10);
        says("Placed by hand");
    }

    private static void refine() throws Exception {
        press(JButton.class, "Refine");
        says("Refined: moved by");
    }

    private static void mark() throws Exception {
        press(JToggleButton.class, "Side by side");
        Point middle = middle(panel());
        int quarter = panel().getWidth() / 4;
        for (int i = 0; i < 2; i++) {
            int y = middle.y - 30 + 60 * i;
            click(middle.x - quarter + 20 * i, y, InputEvent.BUTTON1_DOWN_MASK);
            click(middle.x + quarter + 20 * i, y, InputEvent.BUTTON1_DOWN_MASK);
        }
        says("Placed by 2 pairs");
        picture("marked");
    }

    private static void undo() throws Exception {
        press(JButton.class, "Undo");
        press(JButton.class, "Undo");
        press(JButton.class, "Redo");
        press(JButton.class, "Undo");
        press(JToggleButton.class, "Overlay");
    }

    private static void leaveOut() throws Exception {
        press(JButton.class, "Do not use");
        says("does not count");
        press(JButton.class, "Solve again");
        says("Solved: 23 ok, 0 doubtful, 1 not");
    }

    private static void place() throws Exception {
        EventQueue.invokeAndWait(window::toFront);
        EventQueue.invokeAndWait(() -> list().setSelectedIndex(0));
        press(JButton.class, "Add");
        robot.delay(500);
        dragBy(-8, 3);
        says("Placed by hand");
        picture("placed");
        press(JButton.class, "Solve again");
        says("Solved: 24 ok, 0 doubtful, 0 not");
    }

    private static void save() throws Exception {
        press(JButton.class, "Save");
        says("Saved");
        String links = new String(Files.readAllBytes(new File(folder, "links.csv").toPath()), StandardCharsets.UTF_8);
        check(links.contains(",hand\n"), "no link by hand in " + links);
        check(links.contains("16,17,1,"), "no link of the blurred frame in " + links);
    }

    /** Once it is not closed, then it is, without what was changed since it was saved. */
    private static void close() throws Exception {
        press(JButton.class, "Undo");
        for (String answer : new String[] {"Cancel", "Discard"}) {
            EventQueue.invokeLater(() -> window.dispatchEvent(new WindowEvent(window, WindowEvent.WINDOW_CLOSING)));
            Window question = shown("Mend Panorama");
            robot.delay(300);
            press(question, JButton.class, answer);
            boolean stays = answer.equals("Cancel");
            for (int ms = 0; ms < PATIENCE_MS && (question.isShowing() || window.isShowing() != stays); ms += 50) {
                robot.delay(50);
            }
            check(window.isShowing() == stays, "after " + answer + " the window is " + (stays ? "gone" : "still there"));
        }
    }

    private static void panorama() throws Exception {
        String recorded = Recorder.getInstance().getText();
        String line = recorded.substring(recorded.indexOf("run(\"Mosaic"));
        check(!recorded.contains("Mend"), "recorded: " + recorded);
        int before = WindowManager.getImageCount();
        ImagePlus demo = WindowManager.getImage(WindowManager.getIDList()[0]);
        IJ.selectWindow(demo.getID());
        IJ.runMacro(line);
        check(WindowManager.getImageCount() == before + 1, "no panorama of " + line);
    }

    // ------------------------------------------------------------------- mouse

    private static void click(int x, int y, int button) {
        robot.mouseMove(x, y);
        robot.delay(50);
        robot.mousePress(button);
        robot.delay(50);
        robot.mouseRelease(button);
        robot.delay(200);
    }

    private static Point middle(Component part) {
        Point corner = part.getLocationOnScreen();
        return new Point(corner.x + part.getWidth() / 2, corner.y + part.getHeight() / 2);
    }

    private static void dragBy(int dx, int dy) {
        Point from = middle(panel());
        robot.mouseMove(from.x, from.y);
        robot.mousePress(InputEvent.BUTTON1_DOWN_MASK);
        for (int i = 1; i <= 10; i++) {
            robot.mouseMove(from.x + dx * i / 10, from.y + dy * i / 10);
            robot.delay(30);
        }
        robot.mouseRelease(InputEvent.BUTTON1_DOWN_MASK);
    }

    private static void press(Class<?> kind, String label) {
        press(window, kind, label);
    }

    private static void press(Container in, Class<?> kind, String label) {
        Component button = part(in, kind, label);
        check(button != null && button.isEnabled(), "no button " + label + " that can be pressed");
        Point middle = middle(button);
        click(middle.x, middle.y, InputEvent.BUTTON1_DOWN_MASK);
    }

    // ------------------------------------------------------------------- parts

    private static JList<?> list() {
        return (JList<?>) part(window, JList.class, null);
    }

    private static Component panel() {
        return named(window, "PairPanel");
    }

    private static Component named(Container in, String name) {
        for (Component part : in.getComponents()) {
            Component found = part.getClass().getSimpleName().equals(name) ? part
                    : part instanceof Container ? named((Container) part, name) : null;
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** Waits for a window. */
    private static Window shown(String title) {
        for (int ms = 0; ms < PATIENCE_MS; ms += 50) {
            for (Window one : Window.getWindows()) {
                String its = one instanceof Frame ? ((Frame) one).getTitle()
                        : one instanceof Dialog ? ((Dialog) one).getTitle() : "";
                if (one.isShowing() && its.startsWith(title)) {
                    return one;
                }
            }
            robot.delay(50);
        }
        throw new IllegalStateException("no window " + title);
    }

    /** Waits until the window says something; any dialog is wrong. */
    private static void says(String line) {
        for (int ms = 0; ms < PATIENCE_MS; ms += 50) {
            if (part(window, JLabel.class, line) != null) {
                return;
            }
            for (Window one : Window.getWindows()) {
                check(!(one instanceof Dialog && one.isShowing()), "it asks while \"" + line + "\" is waited for");
            }
            robot.delay(50);
        }
        throw new IllegalStateException("it does not say \"" + line + "\"");
    }
}
