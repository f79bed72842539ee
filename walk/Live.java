package walk;

import static walk.Walk.check;
import static walk.Walk.checkOnScreen;
import static walk.Walk.folder;
import static walk.Walk.note;
import static walk.Walk.part;
import static walk.Walk.robot;
import static walk.Walk.step;
import static walk.Walk.walk;

import ij.IJ;
import ij.ImagePlus;
import ij.WindowManager;
import ij.process.ImageProcessor;
import java.awt.Component;
import java.awt.Container;
import java.awt.EventQueue;
import java.awt.Frame;
import java.awt.Window;
import java.awt.image.BufferedImage;
import java.io.File;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import javax.imageio.ImageIO;
import javax.swing.JButton;
import javax.swing.JFrame;
import javax.swing.JLabel;

/**
 * A walk through the window of Live Mosaic, while a thread updates an image 25 times a second as a camera does: the panorama
 * grows, something else is shown and the scope is lost, it comes back and is found, Finish makes the panorama; and Stop leaves
 * the growing one, of a command that the thread of events started. That thread must never be kept for longer than half a second.
 */
public final class Live {
    private static final int PATIENCE_MS = 60000;
    private static final int PERIOD_MS = 40;
    private static final int MOST_KEPT_MS = 500;

    private static Window window;
    private static ImagePlus demo;
    private static ImagePlus camera;
    private static volatile boolean covered;
    private static volatile boolean ended;
    private static final AtomicLong longest = new AtomicLong();

    private Live() {
    }

    public static void main(String[] args) throws Exception {
        walk(args[0], () -> {
            step("finds the scope", Live::find);
            step("says that it is lost", Live::lose);
            step("finds it again", Live::findAgain);
            step("finishes", Live::finish);
            step("stops", Live::stop);
        });
    }

    // ------------------------------------------------------------------- steps

    private static void find() throws Exception {
        IJ.run("Endoscopic Demo Sequence...", "width=480 height=360 frames=120 rotation=6 zoom=4 step=5");
        demo = WindowManager.getCurrentImage();
        camera = new ImagePlus("camera", demo.getStack().getProcessor(1).duplicate());
        demo.hide();
        camera.show();
        start(Live::show);
        start(Live::watchEvents);
        open(command -> new Thread(command).start());
        says("found", 3000);
        checkOnScreen(window);
    }

    private static void lose() throws Exception {
        covered = true;
        says("lost", 500);
    }

    private static void findAgain() throws Exception {
        covered = false;
        says("found", 500);
        // Painted, because Java may be wrong about the place of a window where nothing manages windows.
        Container all = ((JFrame) window).getContentPane();
        BufferedImage content = new BufferedImage(all.getWidth(), all.getHeight(), BufferedImage.TYPE_INT_RGB);
        EventQueue.invokeAndWait(() -> all.printAll(content.getGraphics()));
        ImageIO.write(content, "png", new File(folder, "window.png"));
    }

    private static void finish() throws Exception {
        String before = fingerprint();
        press("Finish");
        Frame made = shown("camera panorama");
        robot.delay(1500);
        check(WindowManager.getImage("camera panorama") != null && made != null, "there is no panorama");
        check(!window.isShowing(), "the window is still there");
        check(WindowManager.getImage("camera") == camera && before.equals(fingerprint()), "the image has changed");
        check(longest.get() < MOST_KEPT_MS, "events waited for " + longest + " ms");
        note("# events waited for " + longest + " ms at most");
    }

    private static void stop() throws Exception {
        WindowManager.getImage("camera panorama").close();
        IJ.selectWindow("camera");
        open(EventQueue::invokeLater);
        says("found", 1000);
        press("Stop");
        shown("camera panorama (growing)");
        ended = true;
    }

    /** @param starter runs the command, on a thread of its own or on that of events */
    private static void open(Consumer<Runnable> starter) throws Exception {
        WindowManager.setTempCurrentImage(camera);
        IJ.selectWindow("camera");
        starter.accept(() -> IJ.run("Live Mosaic...", "step=4"));
        window = shown("Live mosaic of camera");
        robot.delay(500);
        EventQueue.invokeAndWait(window::toFront);
    }

    private static String fingerprint() {
        return camera.getTitle() + camera.getWidth() + camera.getType() + camera.getStackSize() + camera.getRoi();
    }

    // ------------------------------------------------------------------ threads

    private static void start(Walk.Step work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Exception e) {
                e.printStackTrace();
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    /** The camera: the demo to and fro, or a wall without anything on it. */
    private static void show() throws Exception {
        int n = demo.getStackSize();
        for (int i = 0; !ended; i++) {
            int at = i % (2 * n - 2);
            ImageProcessor next = demo.getStack().getProcessor(1 + (at < n ? at : 2 * n - 2 - at));
            int[] pixels = (int[]) camera.getProcessor().getPixels();
            if (covered) {
                Arrays.fill(pixels, 0xff606060);
            } else {
                System.arraycopy(next.getPixels(), 0, pixels, 0, pixels.length);
            }
            camera.updateAndDraw();
            Thread.sleep(PERIOD_MS);
        }
    }

    /** How long the thread of events is kept. */
    private static void watchEvents() throws Exception {
        while (!ended) {
            long start = System.nanoTime();
            EventQueue.invokeAndWait(() -> { });
            longest.accumulateAndGet((System.nanoTime() - start) / 1000000, Math::max);
            Thread.sleep(5);
        }
    }

    // ------------------------------------------------------------------- window

    private static Frame shown(String title) {
        for (int i = 0; i < PATIENCE_MS / 50; i++) {
            for (Frame frame : Frame.getFrames()) {
                if (frame.isShowing() && frame.getTitle().replaceFirst(" \\(\\d+%\\)$", "").equals(title)) {
                    return frame;
                }
            }
            robot.delay(50);
        }
        throw new IllegalStateException("no window " + title);
    }

    /** Waits until the window says a word, and goes on saying it for some time. */
    private static void says(String word, int ms) {
        for (int i = 0; i < PATIENCE_MS / 20; i++) {
            if (words(window).contains("|" + word)) {
                robot.delay(ms);
                return;
            }
            robot.delay(20);
        }
        throw new IllegalStateException("the window never says " + word + ", but " + words(window));
    }

    private static String words(Container in) {
        StringBuilder words = new StringBuilder();
        for (Component part : in.getComponents()) {
            words.append(part instanceof JLabel ? "|" + ((JLabel) part).getText() : "");
            words.append(part instanceof Container ? words((Container) part) : "");
        }
        return words.toString();
    }

    private static void press(String text) throws Exception {
        JButton button = (JButton) part(window, JButton.class, text);
        EventQueue.invokeAndWait(button::doClick);
    }
}
