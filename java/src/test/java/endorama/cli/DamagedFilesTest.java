package endorama.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.frames.FrameReadException;
import endorama.core.frames.PixelType;
import ij.ImagePlus;
import ij.io.FileSaver;
import ij.process.ByteProcessor;
import java.awt.color.ColorSpace;
import java.awt.image.BufferedImage;
import java.awt.image.ComponentColorModel;
import java.awt.image.DataBuffer;
import java.awt.image.WritableRaster;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A file is read completely and with its grey values, or refused by name. */
class DamagedFilesTest {
    private static final int W = 60;
    private static final int H = 50;

    @TempDir
    Path folder;
    private final byte[] grey = new byte[W * H];

    @BeforeEach
    void texture() {
        new Random(5).nextBytes(grey);
    }

    private File file(String name) {
        return folder.resolve(name).toFile();
    }

    private File write(String name, byte[] bytes) throws IOException {
        Files.write(folder.resolve(name), bytes);
        return file(name);
    }

    /** The texture as a file of this format. */
    private byte[] whole(String format) throws IOException {
        ImagePlus image = new ImagePlus("", new ByteProcessor(W, H, grey.clone()));
        File made = file("whole." + format);
        if (format.equals("tif")) {
            assertTrue(new FileSaver(image).saveAsTiff(made.getPath()));
        } else {
            assertTrue(ImageIO.write(image.getProcessor().getBufferedImage(), format, made));
        }
        byte[] bytes = Files.readAllBytes(made.toPath());
        Files.delete(made.toPath());
        return bytes;
    }

    private static ByteBuffer little(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Offset of the image descriptor: left, top, width and height follow. */
    private static int gifImage(byte[] gif) {
        int at = 13 + ((gif[10] & 0x80) != 0 ? 3 << (gif[10] & 7) + 1 : 0);
        while (gif[at] != 0x2c) {
            at++;
        }
        return at;
    }

    private String refused(File file) {
        String message = assertThrows(FrameReadException.class, () -> ImageFiles.read(file)).getMessage();
        assertTrue(message.contains(file.getName()), message);
        return message;
    }

    @ParameterizedTest
    @ValueSource(strings = {"png", "jpg", "gif", "bmp", "tif"})
    void truncatedFiles(String format) throws IOException {
        byte[] bytes = whole(format);
        assertEquals(W, ImageFiles.read(write("a." + format, bytes)).width);
        for (int length : new int[] {0, 3, 20, bytes.length / 2, bytes.length - 20, bytes.length - 2}) {
            refused(write("b." + format, Arrays.copyOf(bytes, length)));
        }
    }

    @Test
    void corruptData() throws IOException {
        byte[] png = whole("png");
        png[png.length / 2] ^= 4;
        assertTrue(refused(write("a.png", png)).contains("check sum"));
        byte[] jpg = whole("jpg");
        Arrays.fill(jpg, jpg.length / 2, jpg.length / 2 + 40, (byte) 0);
        assertTrue(refused(write("a.jpg", jpg)).contains("Corrupt JPEG data"));
        byte[] gif = whole("gif");
        little(gif).putShort(gifImage(gif) + 7, (short) (2 * H));
        assertTrue(refused(write("a.gif", gif)).contains("fewer pixels"));
    }

    @ParameterizedTest
    @CsvSource({"0, 154", "1, 40000"})
    void transparencyLeavesTheGrey(int kind, int value) throws IOException {
        ComponentColorModel model = new ComponentColorModel(ColorSpace.getInstance(ColorSpace.CS_GRAY), true, false, 3,
                kind == 0 ? DataBuffer.TYPE_BYTE : DataBuffer.TYPE_USHORT);
        WritableRaster raster = model.createCompatibleWritableRaster(W, H);
        for (int i = 0; i < W * H; i++) {
            raster.setSample(i % W, i / W, 0, value);
            raster.setSample(i % W, i / W, 1, i % 200);
        }
        assertTrue(ImageIO.write(new BufferedImage(model, raster, false, null), "png", file("a.png")));
        Image image = ImageFiles.read(file("a.png"));
        assertEquals(kind == 0 ? PixelType.GREY8 : PixelType.GREY16, image.type);
        for (int i = 0; i < W * H; i++) {
            assertEquals(value, kind == 0 ? ((byte[]) image.pixels)[i] & 0xff : ((short[]) image.pixels)[i] & 0xffff);
        }
    }

    @Test
    void transparentColoursStayColours() throws IOException {
        BufferedImage image = new BufferedImage(W, H, BufferedImage.TYPE_INT_ARGB);
        image.setRGB(7, 8, 0x20503010);
        assertTrue(ImageIO.write(image, "png", file("a.png")));
        assertEquals(0xff503010, ((int[]) ImageFiles.read(file("a.png")).pixels)[8 * W + 7]);
    }

    @ParameterizedTest
    @ValueSource(strings = {"JPEG", "LZW", "ZLib", "PackBits"})
    void compressedTiff(String compression) throws IOException {
        BufferedImage smooth = new BufferedImage(W, H, BufferedImage.TYPE_BYTE_GRAY);
        for (int i = 0; i < W * H; i++) {
            grey[i] = (byte) (i % W + 2 * (i / W));
        }
        smooth.getRaster().setDataElements(0, 0, W, H, grey);
        ImageWriter writer = ImageIO.getImageWritersByFormatName("tiff").next();
        ImageWriteParam param = writer.getDefaultWriteParam();
        param.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
        param.setCompressionType(compression);
        try (ImageOutputStream out = ImageIO.createImageOutputStream(file("a.tif"))) {
            writer.setOutput(out);
            writer.write(null, new IIOImage(smooth, null, null), param);
        }
        byte[] read = (byte[]) ImageFiles.read(file("a.tif")).pixels;
        for (int i = 0; i < read.length; i++) {
            assertEquals(grey[i] & 0xff, read[i] & 0xff, compression.equals("JPEG") ? 8 : 0);
        }
    }

    /** The link to the next directory leads back to the first. */
    @Test
    void directoriesInACircle() throws IOException {
        byte[] tiff = whole("tif");
        ByteBuffer buffer = ByteBuffer.wrap(tiff).order(tiff[0] == 'I' ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        int first = buffer.getInt(4);
        buffer.putInt(first + 2 + 12 * buffer.getShort(first), first);
        write("a.tif", tiff);
        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            TiffStack stack = new TiffStack(file("a.tif"));
            assertEquals(2, stack.count());
            assertArrayEquals(grey, (byte[]) stack.pixels(0));
            FrameReadException e = assertThrows(FrameReadException.class, () -> stack.pixels(1));
            assertTrue(e.getMessage().contains("lead back"), e.getMessage());
        });
    }

    @Test
    void whiteIsZero() throws IOException {
        byte[] tiff = whole("tif");
        ByteBuffer buffer = ByteBuffer.wrap(tiff).order(tiff[0] == 'I' ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        int first = buffer.getInt(4);
        for (int i = 0; i < buffer.getShort(first); i++) {
            if (buffer.getShort(first + 2 + 12 * i) == 262) {
                buffer.putShort(first + 2 + 12 * i + 8, (short) 0);
            }
        }
        byte[] read = (byte[]) ImageFiles.read(write("a.tif", tiff)).pixels;
        for (int i = 0; i < read.length; i++) {
            assertEquals(255 - (grey[i] & 0xff), read[i] & 0xff);
        }
    }

    /** A picture that exceeds the memory is lost alone, and does not define the type of the others. */
    @ParameterizedTest
    @ValueSource(strings = {"0.tif", "0.gif", "5.bmp"})
    void oversizedFrame(String name) throws IOException {
        for (int i = 1; i < 4; i++) {
            write(i + ".png", whole("png"));
        }
        byte[] huge = whole(name.substring(2));
        ByteBuffer buffer = little(huge);
        if (name.endsWith("gif")) {
            buffer.putShort(gifImage(huge) + 5, (short) 60000).putShort(gifImage(huge) + 7, (short) 60000);
        } else if (name.endsWith("bmp")) {
            buffer.putInt(18, 60000).putInt(22, 60000);
        } else {
            buffer.order(huge[0] == 'I' ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
            int first = buffer.getInt(4);
            buffer.putInt(first + 2 + 12 + 8, 60000).putInt(first + 2 + 24 + 8, 60000);
        }
        write(name, huge);
        ImageFolder frames = new ImageFolder(folder.toFile());
        assertEquals(W, frames.width());
        int bad = name.startsWith("0") ? 0 : 3;
        assertThrows(FrameReadException.class, () -> frames.pixels(bad));
        assertArrayEquals(grey, (byte[]) frames.pixels(1));
    }

    @Test
    void mostFramesSayTheSize() throws IOException {
        ImageFiles.writePng(file("0.png"), new ByteProcessor(30, 20));
        for (int i = 1; i < 4; i++) {
            write(i + ".png", whole("png"));
        }
        ImageFolder frames = new ImageFolder(folder.toFile());
        assertEquals(W, frames.width());
        assertTrue(assertThrows(FrameReadException.class, () -> frames.pixels(0)).getMessage().contains("30 x 20"));
    }

    @Test
    void foldersAreNoImages() throws IOException {
        write("1.png", whole("png"));
        Files.createDirectory(folder.resolve("2.png"));
        ImageFolder frames = new ImageFolder(folder.toFile());
        assertTrue(assertThrows(FrameReadException.class, () -> frames.pixels(1)).getMessage()
                .contains("not a regular file"));
    }
}
