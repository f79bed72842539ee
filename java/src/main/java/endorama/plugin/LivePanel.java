package endorama.plugin;

import endorama.core.mosaic.LivePicture;
import endorama.core.mosaic.LivePlace;
import endorama.core.transforms.Transform;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.AffineTransform;
import java.awt.geom.Path2D;
import java.awt.image.BufferedImage;
import javax.swing.JPanel;

/** The growing panorama, fitted into the panel, and the outline of the present frame over it. */
final class LivePanel extends JPanel {
    private static final long serialVersionUID = 1;
    private static final Color BACKGROUND = new Color(32, 32, 32);
    private static final int MARGIN = 12;

    private transient BufferedImage image;
    private transient LivePicture picture;
    private transient LivePlace place;
    private int frameWidth;
    private int frameHeight;

    LivePanel() {
        setBackground(BACKGROUND);
    }

    /** The colour of a state. */
    static Color colour(LivePlace.State state) {
        switch (state) {
            case FOUND: return new Color(0, 200, 83);
            case DOUBTFUL: return new Color(255, 193, 7);
            case LOST: return new Color(229, 57, 53);
            default: return Color.GRAY;
        }
    }

    /** Size of the frames, px. */
    void sized(int width, int height) {
        frameWidth = width;
        frameHeight = height;
    }

    /** Shows another picture, in the colours of a screen. */
    void show(LivePicture of, BufferedImage as) {
        picture = of;
        image = as;
        repaint();
    }

    /** Shows where the scope is. */
    void show(LivePlace where) {
        place = where;
        repaint();
    }

    @Override
    protected void paintComponent(Graphics graphics) {
        super.paintComponent(graphics);
        if (image == null) {
            return;
        }
        Graphics2D g = (Graphics2D) graphics.create();
        g.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
        g.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        double scale = Math.min((getWidth() - 2.0 * MARGIN) / image.getWidth(), (getHeight() - 2.0 * MARGIN) / image.getHeight());
        scale = Math.max(0.01, scale);
        AffineTransform fit = AffineTransform.getTranslateInstance((getWidth() - scale * image.getWidth()) / 2,
                (getHeight() - scale * image.getHeight()) / 2);
        fit.scale(scale, scale);
        g.drawImage(image, fit, null);
        outline(g, fit);
        g.dispose();
    }

    /** The outline of the present frame; of a lost one a broken line where it was seen last. */
    private void outline(Graphics2D g, AffineTransform fit) {
        boolean lost = place != null && place.state == LivePlace.State.LOST;
        if (place == null || place.state == LivePlace.State.STARTING || !lost && place.component != picture.component) {
            return;
        }
        Transform onto = picture.transform.multiply(place.pose);
        double[] x = {-0.5, frameWidth - 0.5, frameWidth - 0.5, -0.5};
        double[] y = {-0.5, -0.5, frameHeight - 0.5, frameHeight - 0.5};
        Path2D path = new Path2D.Double();
        for (int i = 0; i < x.length; i++) {
            double u = onto.applyX(x[i], y[i]) + 0.5;
            double v = onto.applyY(x[i], y[i]) + 0.5;
            if (i == 0) {
                path.moveTo(u, v);
            } else {
                path.lineTo(u, v);
            }
        }
        path.closePath();
        path.transform(fit);
        g.setColor(new Color(0, 0, 0, 160));
        g.setStroke(new BasicStroke(4));
        g.draw(path);
        g.setColor(colour(place.state));
        g.setStroke(lost ? new BasicStroke(2, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER, 10, new float[] {8, 6}, 0)
                : new BasicStroke(2));
        g.draw(path);
    }
}
