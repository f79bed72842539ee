package endorama.core.volumes;

import endorama.core.files.AtomicFile;
import endorama.core.files.FileFormatException;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.PixelType;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * Volumes in NIfTI-1 files, plain (.nii) or compressed (.nii.gz). Memory is allocated slice by slice while reading, so that a
 * truncated file takes no more than it holds.
 */
public final class NiftiFile {
    /** Largest expansion factor of Deflate. */
    private static final long MOST_EXPANSION = 1032;
    private static final int BUFFER = 1 << 16;

    private NiftiFile() {
    }

    /** The file name is that of a NIfTI file. */
    public static boolean isNifti(File file) {
        String name = file.getName().toLowerCase(Locale.ROOT);
        return name.endsWith(".nii") || name.endsWith(".nii.gz");
    }

    /** @throws FrameReadException that names the file and says why it cannot be read */
    public static Volume read(File file) throws FrameReadException {
        try (InputStream in = open(file)) {
            return read(file, new DataInputStream(in));
        } catch (FileFormatException e) {
            throw new FrameReadException(e.getMessage(), e);
        } catch (FrameReadException e) {
            throw e;
        } catch (EOFException e) {
            throw new FrameReadException(file + ": ends before its header does; it may be truncated", e);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            throw FrameReadException.because(file.toString(), e);
        }
    }

    private static boolean isCompressed(File file) throws IOException {
        try (InputStream in = Files.newInputStream(file.toPath())) {
            return in.read() == 0x1f && in.read() == 0x8b;
        }
    }

    private static InputStream open(File file) throws IOException {
        if (!file.isFile()) {
            throw new FileFormatException(file + ": " + (file.exists() ? "not a file" : "no such file"));
        }
        InputStream in = new BufferedInputStream(Files.newInputStream(file.toPath()), BUFFER);
        return isCompressed(file) ? new BufferedInputStream(new GZIPInputStream(in, BUFFER), BUFFER) : in;
    }

    private static Volume read(File file, DataInputStream in) throws IOException {
        byte[] bytes = new byte[NiftiHeader.BYTES];
        in.readFully(bytes);
        String name = file.toString();
        NiftiHeader header = new NiftiHeader(name, bytes);
        checkLength(file, header);
        List<byte[]> slices = slices(name, header, in);
        List<String> notes = new ArrayList<String>();
        NiftiSlices source = new NiftiSlices(header, slices);
        source.check(file.getName());
        source.describe(file.getName(), notes);
        Grid grid = header.grid(file.getName(), notes);
        return Volume.of(file.getName(), source, grid, header.frames, source.values(), true, notes);
    }

    /** Checks, before memory is allocated, that the file can hold what the header states. */
    private static void checkLength(File file, NiftiHeader h) throws IOException {
        long limit = isCompressed(file) ? file.length() * MOST_EXPANSION : file.length();
        if (h.sliceBytes() > Integer.MAX_VALUE - 8) {
            throw new FileFormatException(file + ": a slice of " + h.width + " x " + h.height + " voxels of "
                    + h.voxelBytes() + " bytes is more than an array of Java holds");
        }
        if (h.offset + h.dataBytes() > limit) {
            throw new FileFormatException(file + ": its header claims " + h.width + " x " + h.height + " x " + h.depth
                    + (h.frames > 1 ? " x " + h.frames : "") + " voxels of " + h.voxelBytes() + " bytes, which its "
                    + file.length() + " bytes cannot hold; it is truncated, or the header is damaged");
        }
    }

    private static List<byte[]> slices(String name, NiftiHeader header, DataInputStream in) throws IOException {
        List<byte[]> slices = new ArrayList<byte[]>();
        int n = header.depth * header.frames;
        try {
            for (long skipped = NiftiHeader.BYTES; skipped < header.offset; skipped++) {
                in.readByte();
            }
            while (slices.size() < n) {
                byte[] slice = new byte[(int) header.sliceBytes()];
                in.readFully(slice);
                slices.add(slice);
            }
            // Reading beyond the end checks the checksum of a compressed file.
            in.read();
        } catch (EOFException e) {
            throw new FileFormatException(name + ": ends in slice " + (slices.size() + 1) + " of " + n
                    + "; it is truncated", e);
        } catch (java.util.zip.ZipException e) {
            throw new FileFormatException(name + ": damaged in slice " + Math.min(n, slices.size() + 1) + " of " + n + ": "
                    + e.getMessage(), e);
        }
        return slices;
    }

    /**
     * Writes slices, plain or compressed by the name; the file is there whole or not at all.
     *
     * @param grid of one volume, whose position it keeps
     * @param volumes of grid.depth slices each
     * @param values what the pixels stand for
     */
    public static void write(File file, FrameSource slices, Grid grid, int volumes, RealValues values)
            throws IOException {
        boolean compressed = file.getName().toLowerCase(Locale.ROOT).endsWith(".gz");
        int type = slices.type() == PixelType.GREY8 ? NiftiHeader.UINT8
                : slices.type() == PixelType.GREY16 ? NiftiHeader.UINT16 : NiftiHeader.RGB24;
        AtomicFile.write(file, raw -> {
            OutputStream out = compressed ? new GZIPOutputStream(raw, BUFFER) : new BufferedOutputStream(raw, BUFFER);
            out.write(NiftiHeader.bytes(type, grid, volumes, values));
            for (int i = 0; i < slices.count(); i++) {
                out.write(bytes(slices.pixels(i)));
            }
            if (out instanceof GZIPOutputStream) {
                ((GZIPOutputStream) out).finish();
            }
            out.flush();
        });
    }

    private static byte[] bytes(Object pixels) {
        if (pixels instanceof byte[]) {
            return (byte[]) pixels;
        }
        if (pixels instanceof short[]) {
            ByteBuffer out = ByteBuffer.allocate(2 * ((short[]) pixels).length).order(ByteOrder.LITTLE_ENDIAN);
            out.asShortBuffer().put((short[]) pixels);
            return out.array();
        }
        int[] colours = (int[]) pixels;
        byte[] bytes = new byte[3 * colours.length];
        for (int i = 0; i < colours.length; i++) {
            bytes[3 * i] = (byte) (colours[i] >> 16);
            bytes[3 * i + 1] = (byte) (colours[i] >> 8);
            bytes[3 * i + 2] = (byte) colours[i];
        }
        return bytes;
    }
}
