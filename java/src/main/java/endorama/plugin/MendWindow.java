package endorama.plugin;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.mosaic.Link;
import endorama.core.mosaic.MendSession;
import endorama.core.mosaic.Mending;
import endorama.core.mosaic.MosaicResult;
import endorama.core.mosaic.Refinement;
import endorama.core.options.Commands;
import endorama.core.options.MosaicParameters;
import endorama.core.transforms.PointPairs;
import endorama.core.transforms.Transform;
import endorama.picture.FramePicture;
import ij.IJ;
import ij.ImagePlus;
import ij.Prefs;
import ij.WindowManager;
import ij.gui.GUI;
import ij.io.SaveDialog;
import ij.plugin.frame.Recorder;
import java.awt.BorderLayout;
import java.awt.Component;
import java.awt.Container;
import java.awt.FlowLayout;
import java.awt.Font;
import java.awt.GridLayout;
import java.awt.Rectangle;
import java.awt.Toolkit;
import java.awt.event.ActionEvent;
import java.awt.event.KeyEvent;
import java.awt.event.WindowAdapter;
import java.awt.event.WindowEvent;
import java.io.File;
import java.io.IOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.swing.AbstractAction;
import javax.swing.BorderFactory;
import javax.swing.ButtonGroup;
import javax.swing.JButton;
import javax.swing.JComponent;
import javax.swing.JFrame;
import javax.swing.JLabel;
import javax.swing.JOptionPane;
import javax.swing.JPanel;
import javax.swing.JRootPane;
import javax.swing.JScrollPane;
import javax.swing.JSplitPane;
import javax.swing.JTextField;
import javax.swing.JToggleButton;
import javax.swing.KeyStroke;
import javax.swing.SwingUtilities;
import javax.swing.Timer;

/**
 * The window in which links are mended: a list of pairs, the selected pair, and what can be done with it. What is edited is the
 * session's; here it is shown.
 */
final class MendWindow implements PairPanel.Listener {
    /** Width that small frames have about, px. */
    private static final int SMALL = 96;
    /** Width of the list's pictures with what is around them, px, and of its words at scale 1. */
    private static final int PICTURE_WIDTH = 120;
    private static final int LIST_WIDTH = 170;
    /** Small frames that are kept. */
    private static final int KEPT = 500;
    /** After this long without a notch or key a movement of the hand is over, ms. */
    private static final int PAUSE_MS = 700;
    private static final String MOVE = "Drag frame %d. Shift-drag or wheel: turn. Ctrl-wheel: scale. Arrow keys: one pixel.";
    private static final String MARK = "Click the same place in both frames, up to three times. Right click: take back.";

    /** Work that takes long, on a thread of its own; returns the line that says how it went. */
    private interface Job {
        String run(ImageJProgress progress) throws IOException;
    }

    private final ImagePlus image;
    private final FrameSource source;
    private final MendSession session;
    private final Mending mending;
    private final MosaicParameters parameters;
    /** Where the links are saved; null: nobody has said. */
    private File file;

    private final JFrame window;
    private final PairList list;
    private final PairPanel panel = new PairPanel(this);
    /** ImageJ's setting for screens with small pixels. */
    private final double scale = Math.max(1, Prefs.getGuiScale());
    private final JLabel title = new JLabel(" ");
    private final JLabel hint = new JLabel(" ");
    private final JLabel status = new JLabel(" ");
    private final JTextField first = new JTextField(4);
    private final JTextField second = new JTextField(4);
    private final JButton add = button("Add", this::addPair);
    private final JButton refine = button("Refine", this::refine);
    private final JButton use = button("Do not use", this::switchUse);
    private final JButton undo = button("Undo", () -> step(true));
    private final JButton redo = button("Redo", () -> step(false));
    private final JButton solve = button("Solve again", () -> solve(false));
    private final JButton save = button("Save", this::save);
    private PairPanel.View view = PairPanel.View.OVERLAY;
    private boolean busy;
    private ImagePlus panorama;

    private final ExecutorService worker = Executors.newSingleThreadExecutor(MendWindow::thread);
    private final ExecutorService reader = Executors.newSingleThreadExecutor(MendWindow::thread);
    private final Map<Integer, FramePicture> small = new LinkedHashMap<Integer, FramePicture>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, FramePicture> eldest) {
            return size() > KEPT;
        }
    };
    private final Set<Integer> asked = Collections.synchronizedSet(new HashSet<Integer>());
    private final Timer pause = new Timer(PAUSE_MS, event -> ended());

    /**
     * A window over a session.
     *
     * @param source the frames, as they are shown
     * @param file where the links are read from and saved to; null: Save asks
     */
    MendWindow(ImagePlus image, FrameSource source, MendSession session, MosaicParameters parameters, File file) {
        this.image = image;
        this.source = source;
        this.session = session;
        this.mending = session.mending();
        this.parameters = parameters;
        this.file = file;
        this.window = new JFrame("Mend " + image.getTitle());
        this.list = new PairList(mending, step(), this::small);
        pause.setRepeats(false);
        build();
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "Endorama mending");
        thread.setDaemon(true);
        return thread;
    }

    private static JButton button(String label, Runnable action) {
        JButton button = new JButton(label);
        button.addActionListener(event -> action.run());
        return button;
    }

    // ------------------------------------------------------------------ layout

    private void build() {
        JPanel left = new JPanel(new BorderLayout(0, 6));
        JScrollPane scroll = new JScrollPane(list, JScrollPane.VERTICAL_SCROLLBAR_ALWAYS,
                JScrollPane.HORIZONTAL_SCROLLBAR_NEVER);
        left.add(scroll, BorderLayout.CENTER);
        left.add(adding(), BorderLayout.SOUTH);
        JPanel right = new JPanel(new BorderLayout(0, 6));
        right.add(views(), BorderLayout.NORTH);
        right.add(panel, BorderLayout.CENTER);
        right.add(actions(), BorderLayout.SOUTH);
        JSplitPane both = new JSplitPane(JSplitPane.HORIZONTAL_SPLIT, left, right);
        both.setBorder(null);
        both.setDividerLocation((int) (PICTURE_WIDTH + scale * LIST_WIDTH));
        JPanel all = new JPanel(new BorderLayout(0, 6));
        all.setBorder(BorderFactory.createEmptyBorder(8, 8, 8, 8));
        all.add(both, BorderLayout.CENTER);
        status.setBorder(BorderFactory.createEmptyBorder(0, 4, 0, 0));
        all.add(status, BorderLayout.SOUTH);
        window.setContentPane(all);
        dress(all);
        list.setFixedCellHeight(Math.max(list.getFixedCellHeight(), 4 * list.getFontMetrics(list.getFont()).getHeight()));
        title.setFont(title.getFont().deriveFont(Font.BOLD));
        window.setDefaultCloseOperation(JFrame.DO_NOTHING_ON_CLOSE);
        window.addWindowListener(new WindowAdapter() {
            @Override
            public void windowClosing(WindowEvent event) {
                close();
            }

            @Override
            public void windowActivated(WindowEvent event) {
                WindowManager.setWindow(window);
            }
        });
        keys(window.getRootPane());
        list.addListSelectionListener(event -> {
            if (!event.getValueIsAdjusting()) {
                select();
            }
        });
    }

    private JComponent adding() {
        JPanel adding = new JPanel(new FlowLayout(FlowLayout.LEFT, 6, 0));
        adding.add(new JLabel("Add a pair:"));
        adding.add(first);
        adding.add(new JLabel("\u2013"));
        adding.add(second);
        adding.add(add);
        first.addActionListener(event -> addPair());
        second.addActionListener(event -> addPair());
        return adding;
    }

    private JComponent views() {
        JPanel bar = new JPanel(new BorderLayout());
        JPanel buttons = new JPanel(new FlowLayout(FlowLayout.RIGHT, 4, 0));
        ButtonGroup group = new ButtonGroup();
        for (PairPanel.View one : PairPanel.View.values()) {
            JToggleButton button = new JToggleButton(one.words, one == view);
            button.addActionListener(event -> look(one));
            group.add(button);
            buttons.add(button);
        }
        bar.add(title, BorderLayout.CENTER);
        bar.add(buttons, BorderLayout.EAST);
        return bar;
    }

    private JComponent actions() {
        JPanel pair = new JPanel(new FlowLayout(FlowLayout.LEFT, 4, 0));
        pair.add(refine);
        pair.add(use);
        pair.add(undo);
        pair.add(redo);
        JPanel whole = new JPanel(new FlowLayout(FlowLayout.RIGHT, 4, 0));
        whole.add(solve);
        whole.add(save);
        JPanel buttons = new JPanel(new BorderLayout());
        buttons.add(pair, BorderLayout.WEST);
        buttons.add(whole, BorderLayout.EAST);
        JPanel actions = new JPanel(new GridLayout(2, 1, 0, 4));
        hint.setBorder(BorderFactory.createEmptyBorder(0, 4, 0, 0));
        actions.add(hint);
        actions.add(buttons);
        return actions;
    }

    /** Plain letters of ImageJ's size. */
    private void dress(Component part) {
        if (part.getFont() != null) {
            part.setFont(part.getFont().deriveFont(Font.PLAIN, (float) (scale * part.getFont().getSize2D())));
        }
        for (Component child : part instanceof Container ? ((Container) part).getComponents() : new Component[0]) {
            dress(child);
        }
    }

    private void keys(JRootPane root) {
        int menu = Toolkit.getDefaultToolkit().getMenuShortcutKeyMask();
        key(root, KeyStroke.getKeyStroke(KeyEvent.VK_Z, menu), () -> step(true));
        key(root, KeyStroke.getKeyStroke(KeyEvent.VK_Y, menu), () -> step(false));
        key(root, KeyStroke.getKeyStroke(KeyEvent.VK_S, menu), this::save);
        key(root, KeyStroke.getKeyStroke(KeyEvent.VK_ESCAPE, 0), this::stop);
    }

    private void stop() {
        if (busy) {
            IJ.setKeyDown(KeyEvent.VK_ESCAPE);
        }
    }

    private static void key(JRootPane root, KeyStroke stroke, Runnable action) {
        root.getInputMap(JComponent.WHEN_IN_FOCUSED_WINDOW).put(stroke, stroke.toString());
        root.getActionMap().put(stroke.toString(), new AbstractAction() {
            private static final long serialVersionUID = 1;

            @Override
            public void actionPerformed(ActionEvent event) {
                action.run();
            }
        });
    }

    /** Shows the window, and solves for the first time, so that it is known what to doubt. */
    void open() {
        window.pack();
        Rectangle screen = GUI.getMaxWindowBounds(IJ.getInstance());
        window.setSize(Math.min(screen.width, Math.max(window.getWidth(), (int) (1000 * scale))),
                Math.min(screen.height, Math.max(window.getHeight(), 680)));
        // Aside, so that the panorama, which comes at the upper left, can be seen.
        window.setLocation(screen.x + screen.width - window.getWidth(), screen.y + (screen.height - window.getHeight()) / 2);
        WindowManager.addWindow(window);
        window.setVisible(true);
        enable();
        solve(true);
    }

    // ------------------------------------------------------------------ frames

    private int step() {
        return Math.max(1, source.width() / SMALL);
    }

    /** The frame of a number. */
    private FramePicture read(int frame) throws FrameReadException {
        int index = Frames.index(source, frame);
        Object pixels = source.pixels(index);
        try {
            return FramePicture.of(pixels, source.width(), source.height(), image.getDisplayRangeMin(),
                    image.getDisplayRangeMax());
        } finally {
            source.giveBack(index, pixels);
        }
    }

    /** The small frame of a number; null: it is read now. */
    private FramePicture small(int frame) {
        synchronized (small) {
            FramePicture known = small.get(frame);
            if (known == null && asked.add(frame)) {
                reader.execute(() -> readSmall(frame));
            }
            return known;
        }
    }

    private void readSmall(int frame) {
        try {
            FramePicture reduced = read(frame).reduced(step());
            synchronized (small) {
                small.put(frame, reduced);
            }
            asked.remove(frame);
            SwingUtilities.invokeLater(list::repaint);
        } catch (IOException | RuntimeException e) {
            say(e.getMessage());
        }
    }

    // --------------------------------------------------------------- selection

    private void select() {
        pause.stop();
        mending.placed();
        int link = list.link();
        int one = link < 0 ? list.frame() : mending.link(link).a;
        int other = link < 0 ? 0 : mending.link(link).b;
        if (link < 0 && one > 0) {
            first.setText(String.valueOf(mending.nearestPlaced(one)));
            second.setText(String.valueOf(one));
        }
        panel.show(null, null, null);
        title.setText(one == 0 ? " " : other == 0 ? " Frame " + one : " Frames " + PairList.name(mending.link(link)));
        hint.setText(hintOf(one, other));
        enable();
        if (one > 0) {
            reader.execute(() -> showFrames(link, one, other));
        }
    }

    private void showFrames(int link, int one, int other) {
        try {
            FramePicture a = read(one);
            FramePicture b = other == 0 ? null : read(other);
            SwingUtilities.invokeLater(() -> {
                if (link == list.link() && (link >= 0 || one == list.frame())) {
                    panel.show(a, b, other == 0 ? null : mending.link(link).transform);
                }
            });
        } catch (IOException | RuntimeException e) {
            say(e.getMessage());
        }
    }

    private String hintOf(int one, int other) {
        if (one == 0) {
            return "Select a pair.";
        }
        if (other == 0) {
            return "Nothing ties frame " + one + " to the panorama: add a pair with it.";
        }
        return view == PairPanel.View.SIDES ? MARK : String.format(Locale.ROOT, MOVE, other);
    }

    private void look(PairPanel.View how) {
        view = how;
        panel.look(how);
        int link = list.link();
        hint.setText(link < 0 ? hintOf(list.frame(), 0) : hintOf(mending.link(link).a, mending.link(link).b));
    }

    // ------------------------------------------------------------------- edits

    private void enable() {
        int link = list.link();
        boolean pair = !busy && link >= 0;
        refine.setEnabled(pair);
        use.setEnabled(pair);
        use.setText(link >= 0 && !mending.link(link).use ? "Use" : "Do not use");
        undo.setEnabled(!busy && mending.canUndo());
        redo.setEnabled(!busy && mending.canRedo());
        solve.setEnabled(!busy);
        add.setEnabled(!busy);
        save.setEnabled(!busy && (file == null || mending.isChanged() || !file.exists()));
        panel.canEdit(!busy);
        window.setTitle((mending.isChanged() ? "*" : "") + "Mend " + image.getTitle()
                + (file == null ? "" : " - " + file.getName()));
    }

    private void edited() {
        list.refresh();
        enable();
    }

    private void say(String line) {
        SwingUtilities.invokeLater(() -> status.setText(line.isEmpty() ? " " : line));
    }

    @Override
    public void placed(Transform transform, boolean ended) {
        int link = list.link();
        if (link >= 0 && !busy) {
            mending.place(link, transform);
            pause.restart();
            if (ended) {
                ended();
            }
        }
    }

    private void ended() {
        pause.stop();
        mending.placed();
        edited();
        say("Placed by hand. Refine registers it from there.");
    }

    @Override
    public void marked(PointPairs points) {
        int link = list.link();
        if (link < 0 || busy) {
            return;
        }
        try {
            Transform transform = points.transform(mending.link(link).transform);
            mending.place(link, transform);
            mending.placed();
            panel.move(transform);
            edited();
            say("Placed by " + (points.pairs() == 1 ? "one pair" : points.pairs() + " pairs")
                    + " of places. Refine registers it from there.");
        } catch (IllegalArgumentException e) {
            say(e.getMessage() + ".");
        }
    }

    private void switchUse() {
        int link = list.link();
        mending.use(link, !mending.link(link).use);
        edited();
        say(PairList.name(mending.link(link)) + (mending.link(link).use ? " counts." : " does not count any more."));
    }

    private void step(boolean back) {
        if (busy) {
            return;
        }
        pause.stop();
        if (back) {
            mending.undo();
        } else {
            mending.redo();
        }
        list.refresh();
        if (list.link() >= 0) {
            panel.move(mending.link(list.link()).transform);
        }
        panel.clear();
        edited();
        say("");
    }

    private void addPair() {
        try {
            list.select(addedPair());
            edited();
            say("Place frame " + second.getText().trim() + ", and it counts.");
        } catch (IllegalArgumentException e) {
            say(e.getMessage());
        }
    }

    private int addedPair() {
        int link = mending.add(number(first), number(second));
        list.refresh();
        return link;
    }

    private int number(JTextField field) {
        String text = field.getText().trim();
        if (!text.matches("\\d{1,9}")) {
            throw new IllegalArgumentException("frame \"" + text + "\": must be the number of a frame");
        }
        return Integer.parseInt(text);
    }

    // -------------------------------------------------------------------- work

    /** Does a job on the worker's thread; meanwhile nothing can be edited, and Escape stops it. */
    private void work(String what, Job job) {
        if (busy) {
            return;
        }
        pause.stop();
        mending.placed();
        busy = true;
        enable();
        say(what + "... (Esc stops)");
        worker.execute(() -> {
            String line = "";
            ImageJProgress progress = MendCommand.quiet(what);
            try {
                line = job.run(progress);
            } catch (Throwable e) {
                Failure.report(Commands.MEND, e);
            } finally {
                progress.finish("");
                String said = line;
                SwingUtilities.invokeLater(() -> done(said));
            }
        });
    }

    private void done(String line) {
        busy = false;
        edited();
        if (list.link() >= 0) {
            panel.move(mending.link(list.link()).transform);
        }
        say(line);
    }

    private void refine() {
        int index = list.link();
        Link link = mending.link(index);
        work("Refining " + PairList.name(link), progress -> {
            Refinement found = session.refine(index, parameters, progress);
            return found == null ? "Stopped." : found.transform == null
                    ? "Not refined: " + found.why + ". It stays where it is."
                    : String.format(Locale.ROOT, "Refined: moved by %.1f px, now \u00b1 %.2f px; likeness %.2f.", found.moved,
                            found.deviation, found.quality);
        });
    }

    /** opening: for the first time, so that the pair to doubt most is shown. */
    private void solve(boolean opening) {
        work("Solving", progress -> {
            try (MosaicResult result = session.solve(parameters, progress)) {
                String line = result == null || result.cancelled() ? "Stopped." : show(result, opening);
                SwingUtilities.invokeLater(() -> sort(opening));
                if (result != null) {
                    StackCommand.rethrow(result.failure());
                }
                return line;
            }
        });
    }

    private void sort(boolean opening) {
        list.sort();
        if (opening) {
            list.setSelectedIndex(0);
            list.ensureIndexIsVisible(0);
        }
    }

    /** Shows the panorama in its window, in front where this one hides all of it; a line for people. */
    private String show(MosaicResult result, boolean opening) {
        if (result.panorama() == null) {
            return "Nothing is placed: no link counts.";
        }
        ImagePlus picture = MosaicCommand.picture(image, source, session.values(), result, 1);
        if (panorama != null && panorama.getWindow() != null) {
            panorama.setProcessor(picture.getProcessor());
            panorama.setCalibration(picture.getCalibration());
            panorama.setOverlay(picture.getOverlay());
            panorama.setProperty("Info", picture.getProperty("Info"));
            panorama.updateAndRepaintWindow();
            if (!opening && window.getBounds().contains(panorama.getWindow().getBounds())) {
                panorama.getWindow().toFront();
            }
        } else {
            panorama = picture;
            panorama.setTitle(Images.title(image, "mended"));
            panorama.show();
            if (panorama.getWindow() != null) {
                panorama.getWindow().setLocation(GUI.getMaxWindowBounds(window).getLocation());
                window.toFront();
            }
        }
        return "Solved: " + result.summary() + ".";
    }

    // ------------------------------------------------------------------ saving

    /** Saves the links, and records the command that makes the panorama of them. True: they are saved. */
    private boolean save() {
        if (busy) {
            return false;
        }
        File to = file == null ? ask() : file;
        if (to == null) {
            return false;
        }
        try {
            mending.links().write(to);
        } catch (IOException e) {
            Failure.report(Commands.MEND, e);
            return false;
        }
        file = to;
        mending.saved();
        enable();
        say("Saved " + to + ", for links=[...] of Mosaic Endoscopic Sequence.");
        if (Recorder.record) {
            Recorder.record("run", Commands.MOSAIC.title(), Recorder.fixPath(MendCommand.line(session.values(), to)));
        }
        return true;
    }

    private void closeFrames() {
        try {
            if (source instanceof AutoCloseable) {
                ((AutoCloseable) source).close();
            }
        } catch (Exception e) {
            IJ.log("Endorama: " + e.getMessage());
        }
    }

    private File ask() {
        SaveDialog dialog = new SaveDialog("Save links", Images.title(image, "links"), ".csv");
        return dialog.getFileName() == null ? null : new File(dialog.getDirectory(), dialog.getFileName());
    }

    private void close() {
        if (busy) {
            say("It is still computing; Esc stops it.");
            return;
        }
        if (mending.isChanged()) {
            Object[] answers = {"Save", "Discard", "Cancel"};
            int answer = JOptionPane.showOptionDialog(window, "The links have changed. Save them?", "Mend Panorama",
                    JOptionPane.YES_NO_CANCEL_OPTION, JOptionPane.QUESTION_MESSAGE, null, answers, answers[0]);
            if (answer != 1 && !(answer == 0 && save())) {
                return;
            }
        }
        pause.stop();
        panel.close();
        worker.shutdown();
        reader.execute(this::closeFrames);
        reader.shutdown();
        WindowManager.removeWindow(window);
        window.dispose();
    }
}
