/* An edge of neighbours takes the simplest class that explains it, so that a change of scale or a rotation too slow to be
 * significant in any one of them is lost, always to the same side; frames further apart show it (sequence_class.h). */
#include "sequence_class.h"

/* Fewest edges of frames further apart that decide anything. */
#define LEAST 5
/* Least share of edges that ask for a class: few do so without a reason, and many see it too badly. */
#define SHARE 0.1
/* Most general class chosen for others: shear is only accepted from edges that ask for it themselves. */
#define MOST ENDO_TRANSFORM_SIMILARITY

#define CLASSES 5

static int sum(const int counts[CLASSES]) {
    int all = 0;
    for (int kind = 0; kind < CLASSES; kind++) all += counts[kind];
    return all;
}

static endo_transform_class asked(const int counts[CLASSES]) {
    int at_least = 0;
    for (int kind = CLASSES - 1; kind > 0; kind--) {
        at_least += counts[kind];
        if (at_least > 0 && at_least >= SHARE * sum(counts)) return kind < (int)MOST ? (endo_transform_class)kind : MOST;
    }
    return ENDO_TRANSFORM_TRANSLATION;
}

endo_transform_class sequence_class(const mosaic_edges *edges) {
    int far[CLASSES] = {0};
    int all[CLASSES] = {0};
    for (int i = 0; i < edges->n; i++) {
        const endo_mosaic_edge *edge = &edges->items[i];
        if (edge->doubtful) continue;
        all[edge->transform.kind]++;
        if (edge->current - edge->reference > 1) far[edge->transform.kind]++;
    }
    return asked(sum(far) < LEAST ? all : far);
}
