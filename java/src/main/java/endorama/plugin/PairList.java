package endorama.plugin;

import endorama.core.mosaic.Link;
import endorama.core.mosaic.Mending;
import endorama.core.transforms.Transform;
import endorama.picture.FramePicture;
import endorama.picture.PairPicture;
import java.awt.BorderLayout;
import java.awt.Color;
import java.awt.Component;
import java.awt.Dimension;
import java.awt.Font;
import java.awt.image.BufferedImage;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
import javax.swing.BorderFactory;
import javax.swing.BoxLayout;
import javax.swing.DefaultListModel;
import javax.swing.ImageIcon;
import javax.swing.JLabel;
import javax.swing.JList;
import javax.swing.JPanel;
import javax.swing.ListCellRenderer;
import javax.swing.ListSelectionModel;

/**
 * The links of a sequence with small pictures, those to doubt first, after the frames that are in no panorama. A value above 0
 * is the number of such a frame, others are indices of links as -1 - index.
 */
final class PairList extends JList<Integer> {
    private static final int THUMB_WIDTH = 84;
    private static final int THUMB_HEIGHT = 63;
    /** Small frames that are kept. */
    private static final int KEPT = 400;
    private static final ImageIcon EMPTY = new ImageIcon(
            new BufferedImage(THUMB_WIDTH, THUMB_HEIGHT, BufferedImage.TYPE_INT_RGB));
    private static final Color LOST = new Color(198, 40, 40);
    private static final Color HAND = new Color(21, 101, 192);

    /** A small picture, and what it shows. */
    private static final class Thumb {
        final Transform transform;
        final ImageIcon icon;

        Thumb(Transform transform, ImageIcon icon) {
            this.transform = transform;
            this.icon = icon;
        }
    }

    private final Mending mending;
    /** The frame of a number from 1, reduced; null: it is not there yet, and will be repainted. */
    private final IntFunction<FramePicture> frames;
    private final DefaultListModel<Integer> entries = new DefaultListModel<Integer>();
    /** Links that are listed: those with lower indices. */
    private int listed;
    private final Map<Integer, Thumb> thumbs = new LinkedHashMap<Integer, Thumb>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Thumb> eldest) {
            return size() > KEPT;
        }
    };
    /** Pixels of a frame along one of a small one. */
    private final int step;

    /** step: pixels of a frame along one of those that frames gives. */
    PairList(Mending mending, int step, IntFunction<FramePicture> frames) {
        this.mending = mending;
        this.step = step;
        this.frames = frames;
        setModel(entries);
        setSelectionMode(ListSelectionModel.SINGLE_SELECTION);
        setCellRenderer(new Cell());
        setFixedCellHeight(THUMB_HEIGHT + 8);
        sort();
    }

    static int entryOf(int link) {
        return -1 - link;
    }

    /** The selected link; -1: none, or a frame alone. */
    int link() {
        Integer entry = getSelectedValue();
        return entry == null || entry > 0 ? -1 : -1 - entry;
    }

    /** Number of the selected frame that is alone; 0: none. */
    int frame() {
        Integer entry = getSelectedValue();
        return entry == null || entry < 0 ? 0 : entry;
    }

    /** Sorts by doubt, and keeps the selection. */
    void sort() {
        Integer selected = getSelectedValue();
        setValueIsAdjusting(true);
        entries.clear();
        listed = mending.size();
        for (int frame : mending.unplaced()) {
            entries.addElement(frame);
        }
        for (int link : mending.byDoubt()) {
            entries.addElement(entryOf(link));
        }
        setSelectedValue(selected, true);
        setValueIsAdjusting(false);
    }

    /** Shows the links as they are, without sorting; one that was added comes first. */
    void refresh() {
        for (; listed > mending.size(); listed--) {
            entries.removeElement(entryOf(listed - 1));
        }
        for (; listed < mending.size(); listed++) {
            entries.add(0, entryOf(listed));
        }
        repaint();
    }

    void select(int link) {
        setSelectedValue(entryOf(link), true);
    }

    private ImageIcon icon(int entry) {
        Link link = entry < 0 ? mending.link(-1 - entry) : null;
        Transform transform = link == null ? Transform.IDENTITY : link.transform;
        Thumb known = thumbs.get(entry);
        if (known != null && known.transform.equals(transform)) {
            return known.icon;
        }
        FramePicture a = frames.apply(link == null ? entry : link.a);
        FramePicture b = link == null ? a : frames.apply(link.b);
        if (a == null || b == null) {
            return known == null ? EMPTY : known.icon;
        }
        ImageIcon icon = new ImageIcon(thumb(a, b, FramePicture.reduced(transform, step), link == null));
        thumbs.put(entry, new Thumb(transform, icon));
        return icon;
    }

    private static BufferedImage thumb(FramePicture a, FramePicture b, Transform transform, boolean alone) {
        Transform view = PairPicture.fit(a, b, transform, THUMB_WIDTH, THUMB_HEIGHT, 2);
        return PairPicture.draw(a, b, transform, alone ? PairPicture.Look.FIRST : PairPicture.Look.OVERLAY, view, THUMB_WIDTH,
                THUMB_HEIGHT);
    }

    /** "12 - 13". */
    static String name(Link link) {
        return link.a + " \u2013 " + link.b;
    }

    private static String px(double value) {
        return String.format(Locale.ROOT, value < 0.095 ? "%.2f" : value < 9.95 ? "%.1f" : "%.0f", value);
    }

    private String facts(int index) {
        Link link = mending.link(index);
        double off = mending.off(index);
        return "\u00b1 " + px(link.deviation) + " px" + (Double.isNaN(off) ? "" : ", " + px(off) + " px off");
    }

    private String state(int index) {
        Link link = mending.link(index);
        String origin = link.origin.equals(Link.HAND) ? "by hand" : link.origin;
        return link.use ? origin : origin + ", not used";
    }

    /** One link or frame: its picture, its name, what is known, and whether it counts. */
    private final class Cell extends JPanel implements ListCellRenderer<Integer> {
        private static final long serialVersionUID = 1;
        private final JLabel picture = new JLabel();
        private final JLabel[] lines = {new JLabel(), new JLabel(), new JLabel()};

        Cell() {
            super(new BorderLayout(8, 0));
            JPanel text = new JPanel();
            text.setLayout(new BoxLayout(text, BoxLayout.Y_AXIS));
            text.setOpaque(false);
            text.setBorder(BorderFactory.createEmptyBorder(4, 0, 0, 0));
            for (JLabel line : lines) {
                text.add(line);
            }
            picture.setPreferredSize(new Dimension(THUMB_WIDTH, THUMB_HEIGHT));
            add(picture, BorderLayout.WEST);
            add(text, BorderLayout.CENTER);
            setBorder(BorderFactory.createEmptyBorder(4, 6, 4, 6));
        }

        @Override
        public Component getListCellRendererComponent(JList<? extends Integer> list, Integer entry, int index, boolean selected,
                boolean focus) {
            int link = -1 - entry;
            boolean alone = entry > 0;
            boolean counts = alone || mending.link(link).use;
            boolean byHand = !alone && mending.link(link).origin.equals(Link.HAND);
            setBackground(selected ? list.getSelectionBackground() : list.getBackground());
            Color plain = selected ? list.getSelectionForeground() : counts ? list.getForeground() : Color.GRAY;
            picture.setIcon(icon(entry));
            say(0, alone ? "Frame " + entry : name(mending.link(link)), plain, list.getFont().deriveFont(Font.BOLD));
            say(1, alone ? "outside the panorama" : facts(link), alone ? LOST : plain, list.getFont());
            say(2, alone ? "add a pair with it" : state(link), byHand && counts ? HAND : plain, list.getFont());
            return this;
        }

        private void say(int line, String text, Color color, Font font) {
            lines[line].setText(text);
            lines[line].setForeground(color);
            lines[line].setFont(font);
        }
    }
}
