package endorama.core.volumes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import endorama.core.files.FileFormatException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ITK's text format compared with numbers worked out by hand. */
class ItkTransformTest {
    @TempDir
    Path folder;

    private File file(String... lines) throws IOException {
        return Files.write(folder.resolve("t.tfm"), String.join("\n", lines).getBytes(StandardCharsets.UTF_8)).toFile();
    }

    private double[] read(String kind, String parameters, String fixed) throws IOException {
        return ItkTransform.read(file("#Insight Transform File V1.0", "#Transform 0", "Transform: " + kind,
                "Parameters: " + parameters, "FixedParameters: " + fixed)).world;
    }

    @Test
    void affineIsWrittenAsItkReadsIt() throws IOException {
        double[] world = {1, 2, 3, 4, 5, 6, 7.5, 8, 9, 10, -11, 12, 0, 0, 0, 1};
        assertEquals("#Insight Transform File V1.0\n#Transform 0\nTransform: AffineTransform_double_3_3\n"
                + "Parameters: 1 2 3 5 6 7.5 9 10 -11 4 8 12\nFixedParameters: 0 0 0\n", ItkTransform.text(world, false));
        assertEquals("#Insight Transform File V1.0\n#Transform 0\nTransform: AffineTransform_double_2_2\n"
                + "Parameters: 1 2 5 6 4 8\nFixedParameters: 0 0\n", ItkTransform.text(world, true));
        assertArrayEquals(world, ItkTransform.read(file(ItkTransform.text(world, false))).world);
        assertEquals(3, ItkTransform.read(file(ItkTransform.text(world, false))).dimensions);
        assertEquals(2, ItkTransform.read(file(ItkTransform.text(world, true))).dimensions);
        assertTrue(ItkTransform.text(new double[] {-0.0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, true)
                .contains("Parameters: 0 1 1 0 0 0"));
    }

    /** A quarter turn, about (10, 20, 30), then a shift by (1, 2, 3): (11, 20, 30) goes to (10, 21, 30) + (1, 2, 3). */
    @Test
    void everyKindHasItsCentreAndOrder() throws IOException {
        double h = Math.PI / 2;
        String q = Double.toString(Math.sqrt(0.5));
        double[][] turns = {
            read("Euler3DTransform_double_3_3", "0 0 " + h + " 1 2 3", "10 20 30 0"),
            read("VersorRigid3DTransform_double_3_3", "0 0 " + q + " 1 2 3", "10 20 30"),
            read("Similarity3DTransform_float_3_3", "0 0 " + q + " 1 2 3 1", "10 20 30"),
            read("AffineTransform_double_3_3", "0 -1 0 1 0 0 0 0 1 1 2 3", "10 20 30"),
            read("MatrixOffsetTransformBase_double_3_3", "0 -1 0 1 0 0 0 0 1 1 2 3", "10 20 30")};
        for (double[] m : turns) {
            assertArrayEquals(new double[] {11, 23, 33}, Affine3.apply(m, 11, 20, 30), 1e-12);
        }
        assertArrayEquals(new double[] {11, 23, 0}, Affine3.apply(read("Euler2DTransform_double_2_2", h + " 1 2",
                "10 20"), 11, 20, 0), 1e-12);
        assertArrayEquals(new double[] {11, 24, 0}, Affine3.apply(read("Similarity2DTransform_double_2_2",
                "2 " + h + " 1 2", "10 20"), 11, 20, 0), 1e-12);
        assertArrayEquals(new double[] {12, 22, 33}, Affine3.apply(read("TranslationTransform_double_3_3", "1 2 3", ""),
                11, 20, 30), 1e-12);
        // Euler's angles: Rz Rx Ry. x by a quarter, then z by a quarter: y goes to z, which stays.
        double[] two = read("Euler3DTransform_double_3_3", h + " 0 " + h + " 0 0 0", "0 0 0");
        assertArrayEquals(new double[] {0, 0, 1}, Affine3.apply(two, 0, 1, 0), 1e-12);
        assertArrayEquals(new double[] {0, 1, 0}, Affine3.apply(two, 1, 0, 0), 1e-12);
    }

    /** Rotation about y takes x to -z, and rotation about x takes that to y. */
    @Test
    void eulerTurnsAboutYFirst() throws IOException {
        double h = Math.PI / 2;
        double[] m = read("Euler3DTransform_double_3_3", h + " " + h + " 0 0 0 0", "0 0 0");
        assertArrayEquals(new double[] {0, 1, 0}, Affine3.apply(m, 1, 0, 0), 1e-12);
    }

    private void assertRefused(String text, String... lines) throws IOException {
        File file = file(lines);
        String message = assertThrows(FileFormatException.class, () -> ItkTransform.read(file)).getMessage();
        assertTrue(message.contains(text) && message.contains("t.tfm"), message);
    }

    @Test
    void whatIsNoneIsRefused() throws IOException {
        String first = "#Insight Transform File V1.0";
        String affine = "Transform: AffineTransform_double_3_3";
        String identity = "Parameters: 1 0 0 0 1 0 0 0 1 0 0 0";
        String fixed = "FixedParameters: 0 0 0";
        assertRefused("does not begin with", "frame,m00");
        assertRefused("does not begin with", "");
        assertRefused("no line begins with Parameters:", first, affine);
        assertRefused("\"x\" is not a number", first, affine, "Parameters: 1 x", fixed);
        assertRefused("\"NaN\" is not a number", first, affine, "Parameters: 1 NaN", fixed);
        assertRefused("with 11 parameters", first, affine, "Parameters: 1 0 0 0 1 0 0 0 1 0 0", fixed);
        assertRefused("BSplineTransform_double_3_3", first, "Transform: BSplineTransform_double_3_3", identity, fixed);
        assertRefused("cannot be inverted", first, affine, "Parameters: 1 0 0 1 0 0 0 0 1 0 0 0", fixed);
        assertRefused("several transforms", first, affine, identity, fixed, affine, identity, fixed);
    }
}
