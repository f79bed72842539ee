package endorama.core.places;

import endorama.core.pairs.FrameRow;
import endorama.core.pairs.Link;
import endorama.core.transforms.Transform;
import java.util.List;

/** Places along the chains, where pairs were registered once more as homographies after the chains were made. */
public final class ChainedPlaces {
    private final List<FrameRow> rows;
    /** Of each frame the pair by which it joined its chain, or null. */
    private final Link[] steps;
    private final Transform[] places;

    private ChainedPlaces(List<FrameRow> rows, Link[] steps) {
        this.rows = rows;
        this.steps = steps;
        places = new Transform[rows.size()];
    }

    /** One place a frame, in the coordinates of its chain: as the rows have them, unless their pairs say more by now. */
    public static Transform[] of(List<FrameRow> rows, List<Link> links) {
        Link[] steps = new Link[rows.size()];
        boolean isNew = false;
        for (Link link : links) {
            FrameRow row = rows.get(link.current);
            if (row.reference - 1 == link.reference) {
                steps[link.current] = link;
                isNew |= link.step.isHomography() && !row.transform.isHomography();
            }
        }
        ChainedPlaces chained = new ChainedPlaces(rows, steps);
        for (int i = 0; i < rows.size(); i++) {
            chained.places[i] = isNew ? null : rows.get(i).transform;
        }
        for (int i = 0; isNew && i < rows.size(); i++) {
            chained.follow(i);
        }
        return chained.places;
    }

    /** A frame after those that it was registered against, one after the other. */
    private void follow(int frame) {
        FrameRow row = rows.get(frame);
        int before = row.reference - 1;
        boolean isStep = row.registered && before >= 0 && before < frame && rows.get(before).part == row.part;
        if (!isStep) {
            places[frame] = row.transform;
            return;
        }
        Transform step = steps[frame] != null ? steps[frame].step
                : rows.get(before).transform.inverse().multiply(row.transform);
        places[frame] = places[before].multiply(step);
    }
}
