package endorama.plugin;

import endorama.core.mosaic.LiveCounts;
import endorama.core.mosaic.LivePicture;
import endorama.core.mosaic.LivePlace;
import endorama.core.mosaic.LiveSession;
import endorama.picture.ImageSlices;
import ij.ImagePlus;
import ij.Prefs;
import ij.process.ImageProcessor;
import java.awt.BorderLayout;
import java.awt.Color;
import java.awt.Component;
import java.awt.Container;
import java.awt.Dimension;
import java.awt.FlowLayout;
import java.awt.Font;
import java.awt.Graphics;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.event.WindowAdapter;
import java.awt.event.WindowEvent;
import java.awt.image.BufferedImage;
import java.lang.reflect.InvocationTargetException;
import java.util.Locale;
import java.util.function.LongSupplier;
import javax.swing.BorderFactory;
import javax.swing.JButton;
import javax.swing.JComponent;
import javax.swing.JFrame;
import javax.swing.JLabel;
import javax.swing.JPanel;
import javax.swing.SwingUtilities;

/**
 * The window of a live run: the growing panorama, a light that says whether the scope is found, counts, Finish and Stop. The
 * picture is copied on a thread of its own, and only drawn on that of events.
 */
final class ScopeWindow {
    private static final int REFRESH_MS = 80;

    private final ImagePlus source;
    private final LongSupplier dropped;
    private final JFrame window;
    /** ImageJ's setting for screens with small pixels. */
    private final double scale = Math.max(1, Prefs.getGuiScale());
    private final LivePanel panel = new LivePanel();
    private final Light light = new Light();
    private final JLabel word = new JLabel(LivePlace.State.STARTING.word());
    private final JLabel counts = new JLabel("waiting for pictures");
    private final JButton finish = new JButton("Finish");
    private final JButton stop = new JButton("Stop");
    private volatile boolean finishing;
    private volatile boolean stopped;
    private volatile boolean closed;
    private volatile LiveSession session;
    private volatile LivePlace place;
    private volatile LivePlace foundAgain;

    /** @param dropped number of pictures that came too fast */
    private ScopeWindow(ImagePlus source, LongSupplier dropped) {
        this.source = source;
        this.dropped = dropped;
        this.window = new JFrame("Live mosaic of " + source.getTitle());
    }

    /** Opens a window. */
    static ScopeWindow open(ImagePlus source, LongSupplier dropped) {
        ScopeWindow scope = new ScopeWindow(source, dropped);
        try {
            SwingUtilities.invokeAndWait(scope::build);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(e.getCause());
        }
        Thread thread = new Thread(scope::refresh, "Endorama live view");
        thread.setDaemon(true);
        thread.start();
        return scope;
    }

    private void build() {
        JPanel state = new JPanel(new FlowLayout(FlowLayout.LEFT, 8, 0));
        state.add(light);
        state.add(word);
        JPanel head = new JPanel(new BorderLayout(8, 0));
        head.add(state, BorderLayout.WEST);
        head.add(counts, BorderLayout.CENTER);
        finish.setToolTipText("Solve and paint the panorama of all kept frames");
        finish.addActionListener(event -> end(false));
        stop.setToolTipText("End at once, with the growing panorama as it is");
        stop.addActionListener(event -> end(true));
        JPanel buttons = new JPanel(new FlowLayout(FlowLayout.RIGHT, 8, 0));
        buttons.add(finish);
        buttons.add(stop);
        JPanel all = new JPanel(new BorderLayout(0, 8));
        all.setBorder(BorderFactory.createEmptyBorder(8, 8, 8, 8));
        all.add(head, BorderLayout.NORTH);
        all.add(panel, BorderLayout.CENTER);
        all.add(buttons, BorderLayout.SOUTH);
        dress(all);
        panel.setPreferredSize(new Dimension((int) Math.max(720, 600 * scale), 540));
        word.setFont(word.getFont().deriveFont(Font.BOLD));
        counts.setFont(counts.getFont().deriveFont(Font.PLAIN));
        // So wide that the counts do not move with the word.
        word.setPreferredSize(new Dimension(word.getFontMetrics(word.getFont()).stringWidth("found again "),
                word.getPreferredSize().height));
        window.setContentPane(all);
        window.setDefaultCloseOperation(JFrame.DO_NOTHING_ON_CLOSE);
        window.addWindowListener(new WindowAdapter() {
            @Override
            public void windowClosing(WindowEvent event) {
                end(true);
            }
        });
        window.getRootPane().setDefaultButton(finish);
        window.pack();
        place();
        window.setVisible(true);
    }

    private void dress(Container in) {
        for (Component part : in.getComponents()) {
            part.setFont(part.getFont().deriveFont((float) (13 * scale)));
            if (part instanceof Container) {
                dress((Container) part);
            }
        }
    }

    /** Beside the image, where the screen has space there. */
    private void place() {
        Component image = source.getWindow();
        if (image == null) {
            window.setLocationByPlatform(true);
            return;
        }
        Dimension screen = window.getToolkit().getScreenSize();
        int right = image.getX() + image.getWidth() + 8;
        window.setLocation(Math.max(0, Math.min(right, screen.width - window.getWidth())),
                Math.max(0, Math.min(image.getY(), screen.height - window.getHeight())));
    }

    private void end(boolean atOnce) {
        stopped |= atOnce;
        finishing = true;
        finish.setEnabled(false);
        word.setText("ending");
    }

    /** Finish or Stop was pressed. */
    boolean isEnding() {
        return finishing;
    }

    /** Stop was pressed. */
    boolean isStopped() {
        return stopped;
    }

    /** Told of each frame, on the thread of the run. */
    void placed(LiveSession of, LivePlace where) {
        foundAgain = where.foundAgain ? where : foundAgain;
        place = where;
        session = of;
    }

    /** Says that the panorama at the end is being made. */
    void solving() {
        finishing = true;
        SwingUtilities.invokeLater(() -> {
            finish.setEnabled(false);
            counts.setText("solving and painting all kept frames");
        });
    }

    void close() {
        closed = true;
        SwingUtilities.invokeLater(window::dispose);
    }

    private void refresh() {
        long changes = -1;
        while (!closed) {
            LiveSession now = session;
            try {
                if (now != null && !finishing) {
                    changes = look(now, changes);
                }
                Thread.sleep(REFRESH_MS);
            } catch (InterruptedException e) {
                return;
            } catch (IllegalStateException e) {
                // The session was closed meanwhile.
                return;
            }
        }
    }

    private long look(LiveSession now, long changes) {
        LivePicture picture = now.picture(changes);
        BufferedImage image = picture == null ? null : screen(picture);
        LiveCounts held = now.counts();
        LivePlace where = place;
        SwingUtilities.invokeLater(() -> {
            if (picture != null) {
                panel.sized(now.kept().width(), now.kept().height());
                panel.show(picture, image);
            }
            panel.show(where);
            tell(where, held);
        });
        return picture == null ? changes : picture.changes;
    }

    private BufferedImage screen(LivePicture picture) {
        ImageProcessor ip = ImageSlices.processor(picture.pixels, picture.width, picture.height);
        ImageProcessor like = picture.pixels instanceof int[] ? null : source.getProcessor();
        // None: the image was closed.
        if (like != null) {
            ip.setColorModel(like.getColorModel());
            ip.setMinAndMax(source.getDisplayRangeMin(), source.getDisplayRangeMax());
        }
        return ip.convertToRGB().getBufferedImage();
    }

    private void tell(LivePlace where, LiveCounts held) {
        if (finishing) {
            return;
        }
        LivePlace again = foundAgain;
        // The words stay for a second or two, so that they can be read.
        boolean isAgain = again != null && where.state == LivePlace.State.FOUND && where.number - again.number < 40;
        light.show(LivePanel.colour(where.state));
        word.setText(isAgain ? "found again" : where.state.word());
        counts.setText(String.format(Locale.ROOT, "%d frames, %d kept, %d dropped, %d not found, %.0f ms%s", held.put
                + dropped.getAsLong(), held.kept, dropped.getAsLong(), held.lost, where.milliseconds,
                held.components > 1 ? "; " + held.components + " panoramas" : ""));
    }

    /** A round light. */
    private final class Light extends JComponent {
        private static final long serialVersionUID = 1;
        private Color colour = LivePanel.colour(LivePlace.State.STARTING);

        Light() {
            int side = (int) (18 * scale);
            setPreferredSize(new Dimension(side, side));
        }

        void show(Color now) {
            colour = now;
            repaint();
        }

        @Override
        protected void paintComponent(Graphics graphics) {
            Graphics2D g = (Graphics2D) graphics;
            g.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
            g.setColor(colour);
            g.fillOval(1, 1, getWidth() - 3, getHeight() - 3);
            g.setColor(Color.DARK_GRAY);
            g.drawOval(1, 1, getWidth() - 3, getHeight() - 3);
        }
    }
}
