package endorama.core.transforms;

import endorama.core.files.FileFormatException;
import endorama.core.files.TextFile;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Positions of images as Fiji's Grid/Collection Stitching stores them: a line {@code name; ; (x, y)} an image, pixels of the
 * first one. Holds only the position of a frame's first pixel, no rotation and no scale. Images are the frames 1, 2, 3 ...; a
 * line {@code # frame 7} gives the next image another number.
 */
final class TileConfiguration {
    private static final Pattern DIMENSIONS = Pattern.compile("dim\\s*=\\s*(\\S+)");
    private static final Pattern NUMBER = Pattern.compile("#\\s*frame\\s+(\\d{1,9})");
    private static final Pattern IMAGE = Pattern.compile("[^;]+;[^;]*;\\s*\\(([^()]*)\\)");
    private static final String NEEDED = "must be \"name; ; (x, y)\"";

    private TileConfiguration() {
    }

    // ----------------------------------------------------------------- writing

    /** The text for the frames of the first panorama; others have no position in it. */
    static String text(Transforms transforms) {
        StringBuilder text = new StringBuilder("# Define the number of dimensions we are working on\ndim = 2\n\n"
                + "# Define the image coordinates\n");
        int expected = 1;
        for (Map.Entry<Integer, Transform> e : transforms.matrices().entrySet()) {
            int frame = e.getKey();
            if (!transforms.isRegistered(frame) || transforms.component(frame) != 1) {
                continue;
            }
            if (frame != expected) {
                text.append("# frame ").append(frame).append('\n');
            }
            expected = frame + 1;
            text.append(name(transforms, frame)).append("; ; (").append(plain(e.getValue().m02)).append(", ")
                    .append(plain(e.getValue().m12)).append(")\n");
        }
        return text.toString();
    }

    /** The file that the frame came from, or the file name for a written frame. */
    private static String name(Transforms transforms, int frame) {
        String name = transforms.fileName(frame);
        return name != null ? name : String.format(Locale.ROOT, "frame%05d.png", frame);
    }

    private static double plain(double number) {
        return number == 0 ? 0.0 : number;
    }

    // ----------------------------------------------------------------- reading

    /** The lines are those of a tile configuration. */
    static boolean isOne(List<String> lines) {
        for (String line : lines) {
            if (DIMENSIONS.matcher(line.trim()).matches()) {
                return true;
            }
        }
        return false;
    }

    /** @throws FileFormatException that names the line */
    static Transforms parse(List<String> lines, String file) throws FileFormatException {
        Transforms transforms = new Transforms();
        int frame = 1;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).trim();
            String where = file + ", line " + (i + 1) + ": ";
            Matcher dimensions = DIMENSIONS.matcher(line);
            Matcher number = NUMBER.matcher(line);
            if (dimensions.matches()) {
                check(dimensions.group(1), where);
            } else if (number.matches()) {
                frame = Integer.parseInt(number.group(1));
            } else if (!line.isEmpty() && !line.startsWith("#") && !line.startsWith("multiseries")) {
                TransformsFile.add(transforms, frame, position(line, where), true, where);
                frame++;
            }
        }
        if (transforms.size() == 0) {
            throw new FileFormatException(file + ": holds no position; a line of each image " + NEEDED);
        }
        return transforms;
    }

    private static void check(String dimensions, String where) throws FileFormatException {
        if (!dimensions.equals("2")) {
            throw new FileFormatException(where + "dim = " + TextFile.excerpt(dimensions)
                    + ": must be 2; positions of volumes are not read");
        }
    }

    private static Transform position(String line, String where) throws FileFormatException {
        Matcher image = IMAGE.matcher(line);
        String[] cells = image.matches() ? image.group(1).split(",", -1) : new String[0];
        if (cells.length != 2) {
            throw new FileFormatException(where + "\"" + TextFile.excerpt(line) + "\": " + NEEDED);
        }
        return Transform.translation(TransformsFile.number(cells[0].trim(), where + "x"),
                TransformsFile.number(cells[1].trim(), where + "y"));
    }
}
