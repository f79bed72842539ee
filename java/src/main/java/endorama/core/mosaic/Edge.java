package endorama.core.mosaic;

import endorama.core.transforms.Transform;
import endorama.jni.NativeMosaic;
import java.util.ArrayList;
import java.util.List;

/** An edge of the pose graph, {@code endo_mosaic_edge}: a registered pair of frames. */
final class Edge {
    /** Indices of the frames, from 0. */
    int reference, current;
    /** Current -&gt; reference, px. */
    Transform transform;
    /** Standard deviation of where the transform takes a point of the frame, px. */
    double deviation;
    /** Too few landmarks fitted to rely on it. */
    boolean doubtful;
    /** A person says so. */
    transient boolean byHand;
    /** Estimate of the perspective and its deviation, 1/px; 0: none. */
    double perspectiveX, perspectiveY, perspectiveDeviation;
    /** Estimate of the lens distortion and its deviation; 0: none. */
    double lens, lensDeviation;

    /** The edges of a run. */
    static List<Edge> of(NativeMosaic.Records records) {
        List<Edge> edges = new ArrayList<Edge>();
        for (int i = 0; i < records.size; i++) {
            edges.add(at(records, i));
        }
        return edges;
    }

    private static Edge at(NativeMosaic.Records records, int i) {
        Edge edge = new Edge();
        double[] reals = records.reals;
        int real = i * NativeMosaic.EDGE_REALS;
        int at = i * NativeMosaic.EDGE_INTS;
        edge.transform = Transform.of(records.ints[at], reals, real);
        edge.deviation = reals[real + 9];
        edge.perspectiveX = reals[real + 10];
        edge.perspectiveY = reals[real + 11];
        edge.perspectiveDeviation = reals[real + 12];
        edge.lens = reals[real + 13];
        edge.lensDeviation = reals[real + 14];
        edge.reference = records.ints[at + 1];
        edge.current = records.ints[at + 2];
        edge.doubtful = records.ints[at + 3] != 0;
        return edge;
    }

    /** The edge of a link that is set by hand. */
    static Edge of(Link link, List<FrameRow> rows) {
        Edge edge = new Edge();
        edge.reference = FrameRow.index(rows, link.a);
        edge.current = FrameRow.index(rows, link.b);
        edge.transform = link.transform;
        edge.deviation = link.deviation;
        edge.byHand = true;
        return edge;
    }

    /** The edge as it was registered. */
    Link link(List<FrameRow> rows) {
        FrameRow a = rows.get(reference);
        FrameRow b = rows.get(current);
        return new Link(a.frame, b.frame, true, transform, deviation, b.reference == a.frame ? Link.CHAIN : Link.LOOP);
    }

    /** The records that the library takes. */
    static NativeMosaic.Records records(List<Edge> edges) {
        NativeMosaic.Records records = NativeMosaic.Records.edges(edges.size());
        for (int i = 0; i < edges.size(); i++) {
            edges.get(i).put(records, i);
        }
        return records;
    }

    private void put(NativeMosaic.Records records, int i) {
        double[] others = {deviation, perspectiveX, perspectiveY, perspectiveDeviation, lens, lensDeviation};
        int real = i * NativeMosaic.EDGE_REALS;
        int at = i * NativeMosaic.EDGE_INTS;
        System.arraycopy(transform.toArray(), 0, records.reals, real, 9);
        System.arraycopy(others, 0, records.reals, real + 9, others.length);
        records.ints[at] = transform.kind.ordinal();
        records.ints[at + 1] = reference;
        records.ints[at + 2] = current;
        records.ints[at + 3] = doubtful ? 1 : 0;
        records.ints[at + 4] = byHand ? 1 : 0;
    }
}
