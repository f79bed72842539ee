/* Every shift of shrunken frames, by local bitmaps. */
#include "exposures_search.h"

#include "exposures_local.h"

#include "rules/exposures.h"

/* Distance of shifts that are found, shrunken px: nearer ones are of the same peak. */
#define APART 2

/* Range of shifts along an axis of n px, shrunken px: half of the images must overlap. From a multiple of the factor the shift is
 * within reach of exposures_local_judge. */
static int reach_of(int search, int n, int factor) {
    int reach = (endo_exposure_reach(search, n) + factor - 1) / factor;
    int most = n / factor / 2;
    return reach < most ? reach : most;
}

/* Whether a shift is one of the peaks found already, or near to one. */
static int is_found(const endo_bitmap_request *q, const endo_bitmap_request *found, int n) {
    for (int i = 0; i < n; i++) {
        int x = q->dx - found[i].dx;
        int y = q->dy - found[i].dy;
        if (x >= -APART && x <= APART && y >= -APART && y <= APART) return 1;
    }
    return 0;
}

/* Adds the shift of greatest coefficient that is not near to those found; of equal ones the first. */
static int add_greatest(const endo_bitmap_request *all, const endo_bitmap_overlap *overlaps, size_t count,
                        endo_bitmap_request *found, int n) {
    double greatest = -2;
    for (size_t i = 0; i < count; i++) {
        double coefficient = exposures_local_coefficient(&overlaps[i]);
        if (coefficient <= greatest || is_found(&all[i], found, n)) continue;
        greatest = coefficient;
        found[n] = all[i];
    }
    return greatest > -2 ? n + 1 : n;
}

/* All shifts, row by row. */
static void list_all(const endo_pair *pair, int reach_x, int reach_y, endo_bitmap_request *all) {
    for (int dy = -reach_y; dy <= reach_y; dy++)
        for (int dx = -reach_x; dx <= reach_x; dx++)
            *all++ = (endo_bitmap_request){.reference = pair->reference, .current = pair->current, .dx = dx, .dy = dy};
}

endo_status exposures_search_find(endo_frames *frames, int search, const endo_pair *pair,
                                  endo_bitmap_request found[SEARCH_FOUND], int *n) {
    int factor = endo_bitmap_factor(frames->options.width, frames->options.height);
    int reach_x = reach_of(search, frames->options.width, factor);
    int reach_y = reach_of(search, frames->options.height, factor);
    size_t count = (2 * (size_t)reach_x + 1) * (2 * (size_t)reach_y + 1);
    endo_bitmap_request *all = endo_alloc(count, sizeof *all);
    endo_bitmap_overlap *overlaps = endo_alloc(count, sizeof *overlaps);
    endo_status status = all && overlaps ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for %zu shifts", count);
    if (status == ENDO_OK) {
        list_all(pair, reach_x, reach_y, all);
        status = exposures_local_compare(frames, ENDO_BITMAP_SMALL, all, count, overlaps);
    }
    *n = 0;
    for (int i = 0; i < SEARCH_FOUND && status == ENDO_OK; i++) *n = add_greatest(all, overlaps, count, found, *n);
    for (int i = 0; i < *n; i++) {
        found[i].dx *= factor;
        found[i].dy *= factor;
    }
    endo_free(all);
    endo_free(overlaps);
    return status;
}
