/* Kept frames and their poses (live_kept.h). */
#include "live_kept.h"

#include "base/memory.h"

#include <math.h>

/* Sets what follows from the frame that it is beside. */
static void follow(live_kept *kept, int k) {
    live_kept_frame *f = &kept->items[k];
    if (f->beside < 0) {
        f->pose = pose_identity;
        f->component = ++kept->components;
        return;
    }
    const live_kept_frame *other = &kept->items[f->beside];
    f->pose = pose_times(&other->pose, &f->step);
    f->component = other->component;
}

endo_status live_kept_add(live_kept *kept, int64_t number, int beside, const endo_transform *step) {
    void *items = kept->items;
    ENDO_TRY(mosaic_reserve(&items, &kept->capacity, kept->n + 1, sizeof *kept->items));
    kept->items = items;
    kept->items[kept->n] = (live_kept_frame){.number = number, .beside = beside, .step = *step};
    follow(kept, kept->n++);
    return ENDO_OK;
}

void live_kept_free(live_kept *kept) {
    endo_free(kept->items);
    *kept = (live_kept){.items = NULL};
}

double live_moved(mosaic_size size, const endo_transform *step) {
    double right = size.width - 1;
    double bottom = size.height - 1;
    const double points[5][2] = {{right / 2, bottom / 2}, {0, 0}, {right, 0}, {0, bottom}, {right, bottom}};
    double most = 0;
    for (int i = 0; i < 5; i++) {
        double dx = pose_x(step, points[i][0], points[i][1]) - points[i][0];
        double dy = pose_y(step, points[i][0], points[i][1]) - points[i][1];
        double moved = length_of(dx, dy);
        if (!(moved <= most)) most = moved;
    }
    return isnan(most) ? INFINITY : most;
}

int live_kept_near(const live_kept *kept, mosaic_size size, int beside, const endo_transform *pose, double most, int *nearest) {
    double least = INFINITY;
    int n = 0;
    *nearest = -1;
    for (int k = 0; k < kept->n; k++) {
        const live_kept_frame *f = &kept->items[k];
        if (k == beside || f->component != kept->items[beside].component) continue;
        endo_transform step = pose_between(&f->pose, pose);
        double moved = live_moved(size, &step);
        n += moved < most;
        if (moved >= most || moved >= least) continue;
        least = moved;
        *nearest = k;
    }
    return n;
}

/* ---------------------------------------------------------------- solved poses */

static int is_solved(const endo_mosaic_frame *solved, int n, int k) {
    return k < n && solved[k].registered && solved[k].component > 0;
}

static void take(live_kept *kept, const endo_mosaic_frame *solved, int n, int k) {
    int first = 0;
    while (first < k && !(is_solved(solved, n, first) && solved[first].component == solved[k].component)) first++;
    kept->items[k].pose = solved[k].pose;
    kept->items[k].component = first == k ? ++kept->components : kept->items[first].component;
}

void live_kept_solve(live_kept *kept, const endo_mosaic_frame *solved, int n) {
    kept->components = 0;
    for (int k = 0; k < kept->n; k++) {
        if (is_solved(solved, n, k))
            take(kept, solved, n, k);
        else
            follow(kept, k);
    }
}
