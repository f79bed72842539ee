package endorama.core.transforms;

import endorama.core.files.FileFormatException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Landmarks as TurboReg (one pair) and MultiStackReg (a stack) save them: of each transform its kind, and the corresponding
 * points of the source and of the target. The source is the frame, the target its reference; the centre of the first pixel is
 * (0, 0), the unit is one pixel.
 *
 * <p>A stack is a chain: frames before the anchor are registered onto the one after them, frames behind it onto the one before.
 * Homographies are replaced by the nearest affine maps over a frame. With the number 1 in the third line each slice is
 * registered onto one of another stack.
 */
final class LandmarkFile {
    private static final String STACK = "MultiStackReg Transformation File";
    private static final String PAIR = "Transformation";
    private static final List<String> KINDS =
            Collections.unmodifiableList(Arrays.asList("TRANSLATION", "RIGID_BODY", "SCALED_ROTATION", "AFFINE"));
    /** Landmarks of each kind; a stack pads them to three. */
    private static final int[] POINTS = {1, 3, 2, 3};
    private static final int MOST_POINTS = 3;
    /** Side of a square for the landmarks if the size of a frame is not known, px. */
    private static final int SIDE = 512;

    /** Most frames of a file of TurboReg. */
    static final int PAIR_FRAMES = 2;

    private LandmarkFile() {
    }

    static boolean isOne(List<String> lines) {
        String first = lines.isEmpty() ? "" : lines.get(0).trim();
        return first.equals(STACK) || first.equals(PAIR);
    }

    // ----------------------------------------------------------------- writing

    /** The message that a file of TurboReg does not hold so many frames, and which file does. */
    static String tooMany(int frames) {
        return "a landmark file of TurboReg holds the transform of one pair, not of " + frames
                + " frames; give the file another name that ends in .txt (MultiStackReg), .csv or .json";
    }

    /** The text of a file of MultiStackReg; a frame without a pose gets that of the frame beside it. */
    static String stack(Transforms transforms) {
        List<Transform> poses = poses(transforms);
        StringBuilder text = new StringBuilder(STACK + "\nFile Version 1.0\n0\n");
        if (poses.isEmpty()) {
            return text.toString();
        }
        int anchor = 0;
        while (anchor < poses.size() - 1 && poses.get(anchor) == null) {
            anchor++;
        }
        List<Transform> steps = steps(poses, anchor);
        int kind = 0;
        for (Transform step : steps) {
            kind = Math.max(kind, step.kind.ordinal());
        }
        for (int i = anchor - 1; i >= 0; i--) {
            block(text, kind, i + 1, anchor + 1, steps.get(i), transforms);
        }
        for (int i = anchor + 1; i < poses.size(); i++) {
            block(text, kind, i + 1, anchor + 1, steps.get(i), transforms);
        }
        return text.toString();
    }

    /** The poses of all frames up to the last; null: the frame is not in the first panorama. */
    private static List<Transform> poses(Transforms transforms) {
        List<Transform> poses = new ArrayList<Transform>();
        for (int frame = 1; frame <= transforms.lastFrame(); frame++) {
            boolean included = transforms.isRegistered(frame) && transforms.component(frame) == 1;
            poses.add(included ? transforms.affine(frame) : null);
        }
        return poses;
    }

    /** Relative transforms: each frame -&gt; the one beside it, towards the anchor. */
    private static List<Transform> steps(List<Transform> poses, int anchor) {
        List<Transform> steps = new ArrayList<Transform>(Collections.nCopies(poses.size(), Transform.IDENTITY));
        Transform last = poses.get(anchor);
        for (int i = anchor + 1; i < poses.size(); i++) {
            if (poses.get(i) != null) {
                steps.set(i, last.inverse().multiply(poses.get(i)));
                last = poses.get(i);
            }
        }
        return steps;
    }

    private static void block(StringBuilder text, int kind, int source, int target, Transform step,
            Transforms transforms) {
        double[][] onto = landmarks(kind, transforms);
        text.append(KINDS.get(kind)).append("\nSource img: ").append(source).append(" Target img: ").append(target)
                .append('\n');
        points(text, from(onto, step), MOST_POINTS);
        text.append('\n');
        points(text, onto, MOST_POINTS);
        text.append('\n');
    }

    /**
     * The text of a file of TurboReg: the second of two frames onto the first, or one frame onto another image.
     *
     * @throws IllegalArgumentException if there are more
     */
    static String pair(Transforms transforms) {
        List<Integer> frames = new ArrayList<Integer>(transforms.matrices().keySet());
        if (frames.isEmpty() || frames.size() > PAIR_FRAMES) {
            throw new IllegalArgumentException(tooMany(frames.size()));
        }
        Transform first = transforms.get(frames.get(0));
        boolean isPair = frames.size() == 2;
        Transform step = transforms.affine(isPair ? first.inverse().multiply(transforms.get(frames.get(1))) : first);
        int kind = step.kind.ordinal();
        double[][] onto = landmarks(kind, transforms);
        String size = side(transforms.width()) + "\t" + side(transforms.height()) + "\n";
        String ontoSize = side(transforms.ontoWidth()) + "\t" + side(transforms.ontoHeight()) + "\n";
        StringBuilder text = new StringBuilder(PAIR + "\n" + KINDS.get(kind) + "\n\nSource size\n" + size
                + "\nTarget size\n" + ontoSize + "\nRefined source landmarks\n");
        points(text, from(onto, step), POINTS[kind]);
        text.append("\nTarget landmarks\n");
        points(text, onto, POINTS[kind]);
        return text.toString();
    }

    private static int side(int known) {
        return known > 0 ? known : SIDE;
    }


    /** The landmarks of the target; for a rotation its middle first, then a point above and one below. */
    private static double[][] landmarks(int kind, Transforms transforms) {
        double w = side(transforms.ontoWidth());
        double h = side(transforms.ontoHeight());
        switch (kind) {
            case 0: return new double[][] {{w / 2, h / 2}};
            case 1: return new double[][] {{w / 2, h / 2}, {w / 2, h / 4}, {w / 2, 3 * h / 4}};
            case 2: return new double[][] {{w / 4, h / 2}, {3 * w / 4, h / 2}};
            default: return new double[][] {{w / 2, h / 4}, {w / 4, 3 * h / 4}, {3 * w / 4, 3 * h / 4}};
        }
    }

    private static double[][] from(double[][] onto, Transform step) {
        Transform back = step.inverse();
        double[][] from = new double[onto.length][];
        for (int i = 0; i < onto.length; i++) {
            from[i] = new double[] {back.applyX(onto[i][0], onto[i][1]), back.applyY(onto[i][0], onto[i][1])};
        }
        return from;
    }

    private static void points(StringBuilder text, double[][] points, int lines) {
        for (int i = 0; i < lines; i++) {
            double[] point = i < points.length ? points[i] : new double[2];
            text.append(point[0]).append('\t').append(point[1]).append('\n');
        }
    }

    // ----------------------------------------------------------------- reading

    /** @throws FileFormatException that names the line */
    static Transforms parse(List<String> lines, String file) throws FileFormatException {
        return new LandmarkReader(lines, file, KINDS, POINTS).read(lines.get(0).trim().equals(STACK));
    }
}
