package endorama.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelType;
import endorama.core.paint.PyramidTiff;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** TIFF files that the test writes by hand: the images 0, 1, 2 ... are filled with 10, 11, 12 ... */
class OmeTiffFramesTest {
    private static final int W = 9;
    private static final int H = 4;
    @TempDir
    Path folder;

    private static void entry(ByteBuffer b, int tag, int type, int count, int value) {
        b.putShort((short) tag).putShort((short) type).putInt(count).putInt(value);
    }

    /** A TIFF of so many images, with smaller copies between them where wanted, and a description of the first. */
    private File tiff(int images, boolean reduced, String description, int bits) throws IOException {
        byte[] text = (description + "\0").getBytes(StandardCharsets.UTF_8);
        ByteBuffer b = ByteBuffer.allocate(100000).order(ByteOrder.LITTLE_ENDIAN);
        b.put((byte) 'I').put((byte) 'I').putShort((short) 42).putInt(8);
        int pages = reduced ? 2 * images : images;
        for (int i = 0; i < pages; i++) {
            boolean small = reduced && i % 2 == 1;
            int area = small ? 1 : W * H;
            int data = b.position() + 2 + 10 * 12 + 4;
            int length = area * bits / 8;
            b.putShort((short) 10);
            entry(b, 254, 4, 1, small ? 1 : 0);
            entry(b, 256, 4, 1, small ? 1 : W);
            entry(b, 257, 4, 1, small ? 1 : H);
            entry(b, 258, 3, 1, bits);
            entry(b, 259, 3, 1, 1);
            entry(b, 262, 3, 1, 1);
            entry(b, 270, 2, i == 0 ? text.length : 2, i == 0 ? data + length : 0);
            entry(b, 273, 4, 1, data);
            entry(b, 277, 3, 1, 1);
            entry(b, 279, 4, 1, length);
            b.putInt(i + 1 == pages ? 0 : data + length + (i == 0 ? text.length : 0));
            byte[] pixels = new byte[length];
            Arrays.fill(pixels, (byte) (10 + (reduced ? i / 2 : i)));
            b.put(pixels).put(i == 0 ? text : new byte[0]);
        }
        File file = folder.resolve("a.ome.tif").toFile();
        Files.write(file.toPath(), Arrays.copyOf(b.array(), b.position()));
        return file;
    }

    private static String ome(String order, int z, int c, int t, String data) {
        return "<?xml version=\"1.0\"?><OME><Image ID=\"Image:0\"><Pixels BigEndian=\"false\" DimensionOrder=\"" + order
                + "\" SizeZ=\"" + z + "\" SizeC=\"" + c + "\" SizeT=\"" + t + "\" PhysicalSizeX=\"0.5\" PhysicalSizeY=\"0.25\""
                + " PhysicalSizeYUnit=\"\u00b5m\"><Channel/>" + data + "</Pixels></Image></OME>";
    }

    /** The first values of the frames: of colours all three. */
    private static String values(FrameSource frames) throws FrameReadException {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < frames.count(); i++) {
            Object pixels = frames.pixels(i);
            int last = W * H - 1;
            all.append(i == 0 ? "" : " ").append(pixels instanceof byte[] ? ((byte[]) pixels)[last] + ""
                    : pixels instanceof short[] ? (((short[]) pixels)[last] >> 8) + ""
                    : (((int[]) pixels)[last] >> 16 & 255) + "/" + (((int[]) pixels)[last] >> 8 & 255) + "/"
                    + (((int[]) pixels)[last] & 255));
        }
        return all.toString();
    }

    private static FrameSource open(File file) throws FrameReadException {
        return OmeTiffFrames.of(new TiffStack(file));
    }

    @ParameterizedTest
    @CsvSource({"XYCZT, 1, 1, 4, 8, 10 11 12 13", "XYCZT, 4, 1, 1, 8, 10 11 12 13", "XYCZT, 1, 3, 2, 8, 10/11/12 13/14/15",
        "XYZCT, 2, 3, 1, 8, 10/12/14 11/13/15", "XYCTZ, 1, 2, 3, 8, 10 12 14", "XYTCZ, 1, 2, 3, 8, 10 11 12",
        "XYCZT, 1, 3, 2, 16, 10 13"})
    void planesAreFramesAndChannels(String order, int z, int c, int t, int bits, String wanted) throws Exception {
        FrameSource frames = open(tiff(z * c * t, false, ome(order, z, c, t, ""), bits));
        assertEquals(wanted, values(frames));
        assertEquals(wanted.contains("/") ? PixelType.RGB32 : bits == 8 ? PixelType.GREY8 : PixelType.GREY16, frames.type());
        assertEquals("0.5 0.25 micrometer", frames.pixelSize().width + " " + frames.pixelSize().height + " "
                + frames.pixelSize().unit);
        assertEquals(c == 1 || wanted.contains("/") ? null : folder.resolve("a.ome.tif") + " has " + c
                + " channels; the first one is taken", frames.warning());
    }

    /** What TiffData says goes before the order of the axes. */
    @Test
    void imagesAreWhereTiffDataSays() throws Exception {
        String data = "<TiffData FirstC=\"1\" FirstT=\"0\" IFD=\"0\"/><TiffData FirstC='0' FirstT='0' IFD='1' PlaneCount='1'>"
                + "</TiffData><TiffData FirstT=\"1\" IFD=\"3\"/><TiffData FirstC=\"1\" FirstT=\"1\" IFD=\"2\"/>";
        assertEquals("11 13", values(open(tiff(4, false, ome("XYCZT", 1, 2, 2, data), 8))));
        assertEquals("10 12", values(open(tiff(4, false, ome("XYCZT", 1, 2, 2, "<TiffData/>"), 8))));
        assertEquals("10 12", values(open(tiff(4, false, ome("XYCZT", 1, 2, 2, "<TiffData IFD=\"99999999\" FirstC=\"88888888\""
                + " PlaneCount=\"77777777\"/>"), 8))), "numbers beyond the file say nothing");
    }

    @Test
    void framesLieAlongOneAxis() throws Exception {
        File file = tiff(6, false, ome("XYCZT", 3, 1, 2, ""), 8);
        assertEquals(file + ": has 2 points of time of 3 planes; frames lie along one axis: give an image of one plane",
                assertThrows(FrameReadException.class, () -> open(file)).getMessage());
        assertEquals("10 11 12 13 14 15", values(open(tiff(6, false, ome("XYCZT", 3, 1, 1, ""), 8))), "it is about other images");
        assertEquals("10 11", values(open(tiff(2, false, "no XML", 8))));
        assertNull(open(tiff(2, false, "no XML", 8)).pixelSize());
    }

    /** Smaller copies are no frames, wherever they stand. */
    @Test
    void levelsAreNoFrames() throws Exception {
        assertEquals("10 11 12", values(open(tiff(3, true, ome("XYCZT", 1, 1, 3, ""), 8))));
        File pyramid = folder.resolve("p.ome.tif").toFile();
        PyramidTiff.write(pyramid, PixelType.GREY8, 1500, 900, (first, n) -> new byte[1500 * n], () -> false);
        FrameSource frames = open(pyramid);
        assertEquals("1 1500 900", frames.count() + " " + frames.width() + " " + frames.height());
    }

    @Test
    void calibrationOfImageJ() throws Exception {
        ij.ImagePlus image = ij.IJ.createImage("a", "8-bit ramp", 30, 20, 3);
        image.getCalibration().setUnit("mm");
        image.getCalibration().pixelWidth = 0.25;
        image.getCalibration().pixelHeight = 0.5;
        File file = folder.resolve("b.tif").toFile();
        ImageFiles.writeTiff(file, image);
        assertEquals("0.25 0.5 millimeter", open(file).pixelSize().width + " " + open(file).pixelSize().height + " "
                + open(file).pixelSize().unit);
    }
}
