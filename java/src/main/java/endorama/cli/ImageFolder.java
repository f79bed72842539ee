package endorama.cli;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.SizedFrames;
import java.awt.Dimension;
import java.io.File;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** The images of a folder in the natural order of their names (frame2 before frame10), read on demand. */
final class ImageFolder extends SizedFrames {
    private static final Pattern IMAGE = Pattern.compile(".*\\.(png|jpe?g|tiff?|bmp|gif)", Pattern.DOTALL);

    /** Number of files whose sizes are read to find the usual one. */
    private static final int SAMPLES = 32;

    private final File[] files;

    ImageFolder(File folder) throws FrameReadException {
        this(list(folder));
    }

    private ImageFolder(File[] files) throws FrameReadException {
        this(files, first(files, usual(files)));
    }

    private ImageFolder(File[] files, Image first) {
        super(files.length, first.width, first.height, first.type);
        this.files = files;
    }

    /**
     * The most frequent size among files spread over the folder; of equally frequent ones that of the earlier file. Null if no
     * file states its size. Only the headers of the files are read.
     */
    private static Dimension usual(File[] files) {
        Map<Dimension, Integer> votes = new LinkedHashMap<Dimension, Integer>();
        int n = Math.min(SAMPLES, files.length);
        for (int i = 0; i < n; i++) {
            Dimension size = ImageFiles.size(files[n == 1 ? 0 : (int) ((long) i * (files.length - 1) / (n - 1))]);
            if (size != null) {
                votes.merge(size, 1, Integer::sum);
            }
        }
        Dimension usual = null;
        for (Map.Entry<Dimension, Integer> vote : votes.entrySet()) {
            if (usual == null || vote.getValue() > votes.get(usual)) {
                usual = vote.getKey();
            }
        }
        return usual;
    }

    /** The name is that of an image. */
    static boolean isImage(String name) {
        return !name.startsWith(".") && IMAGE.matcher(name.toLowerCase(Locale.ROOT)).matches();
    }

    /** The images of a folder; at least one. */
    static File[] list(File folder) throws FrameReadException {
        File[] files = folder.listFiles((dir, name) -> isImage(name));
        if (files == null) {
            throw new FrameReadException(folder + ": the folder cannot be read");
        }
        if (files.length == 0) {
            File[] inner = folder.listFiles(file -> file.isDirectory() && !file.isHidden());
            throw new FrameReadException(folder + ": no png, jpg, tif, bmp or gif file" + (inner == null || inner.length == 0 ? ""
                    : ", but folders; mosaic --batch " + folder + " makes a panorama of each"));
        }
        Arrays.sort(files, (a, b) -> compare(a.getName(), b.getName()));
        return files;
    }

    /** The first readable image of this size, which defines the type of the frames; else the first readable one. */
    private static Image first(File[] files, Dimension usual) throws FrameReadException {
        FrameReadException problem = null;
        for (boolean any : new boolean[] {usual == null, true}) {
            for (File file : files) {
                try {
                    return ImageFiles.read(file, any ? ImageDecoder.ANY_SIZE : (w, h) -> check(file, w, h, usual));
                } catch (FrameReadException e) {
                    problem = problem == null ? e : problem;
                }
            }
        }
        throw problem;
    }

    private static void check(File file, int w, int h, Dimension wanted) throws FrameReadException {
        if (w != wanted.width || h != wanted.height) {
            throw new FrameReadException(file + " is " + w + " x " + h + " pixels, the sequence " + wanted.width + " x "
                    + wanted.height);
        }
    }

    /** Compares names; numbers within them are compared as numbers. */
    static int compare(String a, String b) {
        int i = 0;
        int j = 0;
        while (i < a.length() && j < b.length()) {
            int m = digits(a, i);
            int n = digits(b, j);
            int order;
            if (m > i && n > j) {
                String x = a.substring(i, m).replaceFirst("^0+(?=.)", "");
                String y = b.substring(j, n).replaceFirst("^0+(?=.)", "");
                order = x.length() != y.length() ? x.length() - y.length() : x.compareTo(y);
                i = m;
                j = n;
            } else {
                order = Character.toLowerCase(a.charAt(i++)) - Character.toLowerCase(b.charAt(j++));
            }
            if (order != 0) {
                return order;
            }
        }
        int rest = (a.length() - i) - (b.length() - j);
        return rest != 0 ? rest : a.compareTo(b);
    }

    private static int digits(String text, int from) {
        int i = from;
        while (i < text.length() && text.charAt(i) >= '0' && text.charAt(i) <= '9') {
            i++;
        }
        return i;
    }

    @Override
    public String label(int index) {
        return files[index].getName();
    }

    @Override
    public Object pixels(int index) throws FrameReadException {
        String name = "frame " + (index + 1) + ": ";
        Image image;
        try {
            Dimension size = new Dimension(width(), height());
            image = ImageFiles.read(files[index], (w, h) -> check(files[index], w, h, size));
        } catch (FrameReadException e) {
            throw new FrameReadException(name + e.getMessage(), e);
        }
        Object pixels = image.as(type());
        if (pixels == null) {
            throw new FrameReadException(name + files[index] + " is " + image.type.words() + ", the sequence "
                    + type().words());
        }
        return pixels;
    }
}
