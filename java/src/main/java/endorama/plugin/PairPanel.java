package endorama.plugin;

import endorama.core.transforms.PointPairs;
import endorama.core.transforms.Transform;
import endorama.picture.FramePicture;
import endorama.picture.PairPicture;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Cursor;
import java.awt.Dimension;
import java.awt.Graphics;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.event.ComponentAdapter;
import java.awt.event.ComponentEvent;
import java.awt.event.KeyAdapter;
import java.awt.event.KeyEvent;
import java.awt.event.MouseAdapter;
import java.awt.event.MouseEvent;
import java.awt.event.MouseWheelEvent;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.image.BufferedImage;
import java.util.List;
import javax.swing.JPanel;
import javax.swing.SwingUtilities;
import javax.swing.Timer;

/**
 * Two frames, one over the other, of which the second follows the mouse; or side by side, where places are marked that both
 * show. Changes nothing itself: it tells where the second frame was put.
 */
final class PairPanel extends JPanel {
    /** What is shown, in the words of its buttons. */
    enum View {
        OVERLAY("Overlay"), AVERAGE("Average"), FLICKER("Flicker"), SIDES("Side by side");

        final String words;

        View(String words) {
            this.words = words;
        }
    }

    /** Hears of what the mouse does. */
    interface Listener {
        /** Frame b was put somewhere. ended: the movement of the hand is over. */
        void placed(Transform transform, boolean ended);

        /** Places were marked; the pair may have moved. */
        void marked(PointPairs points);
    }

    private static final int FLICKER_MS = 400;
    /** Space around the frames, px. */
    private static final int MARGIN = 24;
    /** A notch of the wheel turns by this, radians, and scales by this. */
    private static final double TURN = Math.toRadians(0.5);
    private static final double GROWTH = 1.005;
    private static final Color FIRST = new Color(0, 200, 83);
    private static final Color SECOND = new Color(255, 64, 255);
    private static final Color MARK = new Color(255, 221, 0);

    private final Listener listener;
    private final PointPairs points = new PointPairs();
    private final Timer flicker = new Timer(FLICKER_MS, event -> swap());
    private FramePicture a;
    private FramePicture b;
    /** Frame b -&gt; frame a; null: there is one frame alone, a. */
    private Transform transform;
    /** Frame a -&gt; panel. */
    private Transform toPanel = Transform.IDENTITY;
    private View view = View.OVERLAY;
    private boolean isSecondOnTop;
    private BufferedImage picture;
    private boolean canEdit = true;
    /** Where the mouse was pressed, and the transform then; null: it is not. */
    private MouseEvent pressed;
    private Transform before;

    PairPanel(Listener listener) {
        this.listener = listener;
        setFocusable(true);
        setPreferredSize(new Dimension(640, 520));
        addMouseListener(mouse);
        addMouseMotionListener(mouse);
        addMouseWheelListener(mouse);
        addKeyListener(new KeyAdapter() {
            @Override
            public void keyPressed(KeyEvent event) {
                nudge(event);
            }
        });
        addComponentListener(new ComponentAdapter() {
            @Override
            public void componentResized(ComponentEvent event) {
                fit();
            }
        });
    }

    /** Shows a pair; second null: the first frame alone; first null: nothing. */
    void show(FramePicture first, FramePicture second, Transform secondToFirst) {
        a = first;
        b = second;
        transform = second == null ? null : secondToFirst;
        pressed = null;
        points.clear();
        fit();
    }

    /** Shows frame b elsewhere, after an edit that did not come from here. */
    void move(Transform secondToFirst) {
        transform = secondToFirst;
        fit();
    }

    /** Takes all marks away. */
    void clear() {
        points.clear();
        repaint();
    }

    void look(View how) {
        view = how;
        if (how == View.FLICKER) {
            flicker.start();
        } else {
            flicker.stop();
        }
        setCursor(Cursor.getPredefinedCursor(how == View.SIDES ? Cursor.CROSSHAIR_CURSOR : Cursor.MOVE_CURSOR));
        fit();
    }

    /** While something is computed the pair stays where it is. */
    void canEdit(boolean can) {
        canEdit = can;
        pressed = null;
    }

    void close() {
        flicker.stop();
    }

    // ---------------------------------------------------------------- painting

    private void swap() {
        isSecondOnTop = !isSecondOnTop;
        redraw();
    }

    private void fit() {
        if (a != null && getWidth() > 0 && getHeight() > 0) {
            toPanel = PairPicture.fit(a, b == null ? a : b, b == null ? Transform.IDENTITY : transform, getWidth(), getHeight(),
                    MARGIN);
        }
        redraw();
    }

    private void redraw() {
        picture = null;
        repaint();
    }

    @Override
    protected void paintComponent(Graphics plain) {
        super.paintComponent(plain);
        Graphics2D graphics = (Graphics2D) plain;
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setColor(new Color(48, 48, 48));
        graphics.fillRect(0, 0, getWidth(), getHeight());
        if (a == null) {
            return;
        }
        if (b != null && view == View.SIDES) {
            paintSides(graphics);
        } else {
            paintPair(graphics);
        }
    }

    private void paintPair(Graphics2D graphics) {
        if (picture == null) {
            FramePicture other = b == null ? a : b;
            PairPicture.Look look = b == null ? PairPicture.Look.FIRST : view == View.OVERLAY ? PairPicture.Look.OVERLAY
                    : view == View.AVERAGE ? PairPicture.Look.AVERAGE
                    : isSecondOnTop ? PairPicture.Look.SECOND : PairPicture.Look.FIRST;
            picture = PairPicture.draw(a, other, b == null ? Transform.IDENTITY : transform, look, toPanel, getWidth(),
                    getHeight());
        }
        graphics.drawImage(picture, 0, 0, null);
        outline(graphics, a, toPanel, FIRST);
        if (b != null) {
            outline(graphics, b, toPanel.multiply(transform), SECOND);
        }
    }

    private static void outline(Graphics2D graphics, FramePicture frame, Transform pose, Color color) {
        double[] corners = pose.corners(frame.width(), frame.height());
        Path2D path = new Path2D.Double();
        path.moveTo(corners[0], corners[1]);
        for (int i = 2; i < corners.length; i += 2) {
            path.lineTo(corners[i], corners[i + 1]);
        }
        path.closePath();
        graphics.setStroke(new BasicStroke(1.5f));
        graphics.setColor(color);
        graphics.draw(path);
    }

    /** Frame a or b -&gt; its half of the panel. */
    private Transform side(boolean second) {
        FramePicture frame = second ? b : a;
        Transform fitted = PairPicture.fit(frame, frame, Transform.IDENTITY, getWidth() / 2, getHeight(), MARGIN / 2);
        return Transform.translation(second ? getWidth() / 2 : 0, 0).multiply(fitted);
    }

    private void paintSides(Graphics2D graphics) {
        if (picture == null) {
            picture = new BufferedImage(getWidth(), getHeight(), BufferedImage.TYPE_INT_RGB);
            int half = getWidth() / 2;
            for (int i = 0; i < 2; i++) {
                FramePicture frame = i == 0 ? a : b;
                picture.getGraphics().drawImage(PairPicture.draw(frame, frame, Transform.IDENTITY, PairPicture.Look.FIRST,
                        Transform.translation(-i * half, 0).multiply(side(i == 1)), half, getHeight()), i * half, 0, null);
            }
        }
        graphics.drawImage(picture, 0, 0, null);
        for (int i = 0; i < 2; i++) {
            outline(graphics, i == 0 ? a : b, side(i == 1), i == 0 ? FIRST : SECOND);
            marks(graphics, i == 0 ? points.first() : points.second(), side(i == 1));
        }
    }

    private static void marks(Graphics2D graphics, List<double[]> places, Transform pose) {
        graphics.setStroke(new BasicStroke(1.5f));
        for (int i = 0; i < places.size(); i++) {
            double x = pose.applyX(places.get(i)[0], places.get(i)[1]);
            double y = pose.applyY(places.get(i)[0], places.get(i)[1]);
            graphics.setColor(MARK);
            graphics.draw(new Line2D.Double(x - 8, y, x + 8, y));
            graphics.draw(new Line2D.Double(x, y - 8, x, y + 8));
            graphics.drawString(String.valueOf(i + 1), (float) x + 6, (float) y - 6);
        }
    }

    // ------------------------------------------------------------------- mouse

    private boolean moves() {
        return canEdit && b != null && view != View.SIDES;
    }

    private void put(Transform to, boolean ended) {
        transform = to;
        redraw();
        listener.placed(to, ended);
    }

    /** A point of the panel in frame a. */
    private double[] inFirst(double x, double y) {
        Transform back = toPanel.inverse();
        return new double[] {back.applyX(x, y), back.applyY(x, y)};
    }

    /** The middle of frame b under a transform, in frame a. */
    private double[] middle(Transform pose) {
        double x = (b.width() - 1) / 2.0;
        double y = (b.height() - 1) / 2.0;
        return new double[] {pose.applyX(x, y), pose.applyY(x, y)};
    }

    private Transform dragged(MouseEvent event) {
        double[] from = inFirst(pressed.getX(), pressed.getY());
        double[] to = inFirst(event.getX(), event.getY());
        if (!event.isShiftDown()) {
            return Transform.translation(to[0] - from[0], to[1] - from[1]).multiply(before);
        }
        double[] about = middle(before);
        double angle = Math.atan2(to[1] - about[1], to[0] - about[0]) - Math.atan2(from[1] - about[1], from[0] - about[0]);
        return Transform.turning(angle, 1, about[0], about[1]).multiply(before);
    }

    /** Arrow keys move by a pixel of the frames. */
    private void nudge(KeyEvent event) {
        int key = event.getKeyCode();
        int dx = key == KeyEvent.VK_LEFT ? -1 : key == KeyEvent.VK_RIGHT ? 1 : 0;
        int dy = key == KeyEvent.VK_UP ? -1 : key == KeyEvent.VK_DOWN ? 1 : 0;
        if (moves() && (dx != 0 || dy != 0)) {
            put(Transform.translation(dx, dy).multiply(transform), false);
            event.consume();
        }
        if (canEdit && view == View.SIDES && (key == KeyEvent.VK_BACK_SPACE || key == KeyEvent.VK_DELETE)) {
            points.removeLast();
            repaint();
        }
    }

    /** Marks a place, or, with the right button, takes the last one away. */
    private void mark(MouseEvent event) {
        boolean second = event.getX() >= getWidth() / 2;
        Transform back = side(second).inverse();
        double x = back.applyX(event.getX(), event.getY());
        double y = back.applyY(event.getX(), event.getY());
        FramePicture frame = second ? b : a;
        int pairs = points.pairs();
        if (SwingUtilities.isRightMouseButton(event)) {
            points.removeLast();
        } else if (x > -1 && y > -1 && x < frame.width() && y < frame.height()) {
            if (second) {
                points.inSecond(x, y);
            } else {
                points.inFirst(x, y);
            }
        }
        repaint();
        if (points.pairs() > pairs) {
            listener.marked(points);
        }
    }

    private final MouseAdapter mouse = new MouseAdapter() {
        @Override
        public void mousePressed(MouseEvent event) {
            requestFocusInWindow();
            if (canEdit && b != null && view == View.SIDES) {
                mark(event);
            } else if (moves()) {
                pressed = event;
                before = transform;
            }
        }

        @Override
        public void mouseDragged(MouseEvent event) {
            if (moves() && pressed != null) {
                put(dragged(event), false);
            }
        }

        @Override
        public void mouseReleased(MouseEvent event) {
            if (moves() && pressed != null && transform != before) {
                put(transform, true);
                fit();
            }
            pressed = null;
        }

        /** Turns; with Ctrl it scales. */
        @Override
        public void mouseWheelMoved(MouseWheelEvent event) {
            if (moves() && pressed == null) {
                double notches = event.getPreciseWheelRotation();
                double[] about = middle(transform);
                put(Transform.turning(event.isControlDown() ? 0 : TURN * notches,
                        event.isControlDown() ? Math.pow(GROWTH, -notches) : 1, about[0], about[1]).multiply(transform), false);
            }
        }
    };
}
