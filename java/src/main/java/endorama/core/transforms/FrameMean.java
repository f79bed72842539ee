package endorama.core.transforms;

import java.util.function.DoubleBinaryOperator;

/** Means over a frame by Gauss-Legendre quadrature, five nodes along each side: exact up to ninth powers. */
final class FrameMean {
    /** The nodes, from the middle, in halves of a side. */
    private static final double[] NODES = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640};
    private static final double[] WEIGHTS = {0.1184634425280945, 0.2393143352496832, 0.2844444444444445, 0.2393143352496832,
        0.1184634425280945};

    private FrameMean() {
    }

    /** Mean of a function of x and y, px from the middle of a frame of width x height px. */
    static double of(double width, double height, DoubleBinaryOperator f) {
        double sum = 0;
        for (int i = 0; i < NODES.length; i++) {
            for (int k = 0; k < NODES.length; k++) {
                sum += WEIGHTS[i] * WEIGHTS[k] * f.applyAsDouble(NODES[i] * width / 2, NODES[k] * height / 2);
            }
        }
        return sum;
    }
}
