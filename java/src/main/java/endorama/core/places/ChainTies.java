package endorama.core.places;

import endorama.core.pairs.FrameRow;
import endorama.core.pairs.Link;
import endorama.core.transforms.Horizon;
import endorama.core.transforms.Transform;
import java.util.List;

/**
 * Which chains pairs tie together, the first pair between two of them deciding how these lie to each other: where it puts
 * all frames before the horizon.
 */
final class ChainTies {
    private final List<FrameRow> rows;
    /** Of each frame the place along its own chain. */
    private final Transform[] along;
    private final Horizon horizon;
    /** Of each chain the one that it is tied to, itself at first; */
    private final int[] root;
    /** and its own coordinates in those of that. */
    private final Transform[] offset;

    ChainTies(List<FrameRow> rows, List<Link> links, Transform[] along, Horizon horizon) {
        this.rows = rows;
        this.along = along;
        this.horizon = horizon;
        int chains = 0;
        for (FrameRow row : rows) {
            chains = Math.max(chains, row.part + 1);
        }
        root = new int[chains];
        offset = new Transform[chains];
        for (int i = 0; i < chains; i++) {
            root[i] = i;
            offset[i] = Transform.IDENTITY;
        }
        for (Link link : links) {
            tie(link);
        }
    }

    /** All chains that are tied to the pair's current frame, to those of its reference. */
    private void tie(Link link) {
        int onto = root[rows.get(link.reference).part];
        int from = root[rows.get(link.current).part];
        if (onto == from) {
            return;
        }
        Transform across = place(link.reference).multiply(link.step).multiply(place(link.current).inverse());
        if (!showsAll(from, across)) {
            return;
        }
        for (int i = 0; i < root.length; i++) {
            if (root[i] == from) {
                root[i] = onto;
                offset[i] = across.multiply(offset[i]);
            }
        }
    }

    /** All frames of the chains that are tied to this one, moved. */
    private boolean showsAll(int from, Transform moved) {
        for (int i = 0; i < rows.size(); i++) {
            FrameRow row = rows.get(i);
            if (row.registered && root[row.part] == from
                    && !horizon.shows(moved.multiply(offset[row.part]).multiply(along[i]))) {
                return false;
            }
        }
        return true;
    }

    /** The chain that a chain is tied to. */
    int root(int chain) {
        return root[chain];
    }

    /** Of a frame, in the coordinates of the chain that its own is tied to. */
    Transform place(int frame) {
        return offset[rows.get(frame).part].multiply(along[frame]);
    }
}
