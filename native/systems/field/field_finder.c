/* The field of view of a sequence from some of its frames.
 *
 * The field is what several frames show bright: the surround, whatever its shape, is dark in all of them. Bars and panels are
 * made dark before. Overlays are taken from it. Where the circle moves a little on the sensor the brightest greys are the union of all circles and contain a dark
 * rim of each frame, so each frame's circle is found, and the circles are intersected. A corner may be dark in every frame
 * although there is no surround; then most frames vote for no surround. A circle that each frame is too dark and too noisy to
 * show may still be found in all of them together.
 *
 * A damaged or foreign frame does not decide: a circle far from the median is left out where such circles are few, and the
 * maximum is one that several frames reach.
 *
 * Everything is done on a grid of the frames' pixels: on large frames it would otherwise take longer than registering
 * them. */
#include "field_finder.h"

#include "base/simd.h"
#include "field_bars.h"
#include "field_dark.h"
#include "field_overlay.h"
#include "field_panels.h"
#include "field_pits.h"
#include "field_shape.h"

#include <string.h>

/* How many of the brightest greys of a pixel are kept (take_row). */
#define BRIGHTEST 3
/* Most frames that wait to be handled together. */
#define WAITING 16
/* Fewest pixels for which threads are used. */
#define MANY 100000

/* A frame on the grid that has not been handled yet. */
typedef struct waiting_frame {
    uint8_t *grey, *region; /* region: its bright region, once that was found */
    endo_field_info info;
    endo_status status;
    int has_bars; /* they are not black yet */
} waiting_frame;

struct endo_field_finder {
    endo_field_image like;  /* a frame without its pixels */
    endo_field_grid grid;
    int threads;
    endo_cpu cpu;
    waiting_frame waiting[WAITING];
    int n_waiting, n_ranged; /* of the waiting ones, those whose ranges were taken */
    int votes[3];           /* by endo_field_shape */
    uint8_t *brightest[BRIGHTEST]; /* of all frames, the second brightest, and so on; on the grid */
    uint32_t *sums;         /* of the greys of all frames */
    endo_field_overlay overlay;
    endo_field_changes changes;
    uint8_t *panels;        /* 255: what stands still beside the picture; on the grid */
    int has_panels;
    endo_field_info *circles;
    int n_circles, capacity; /* circles, and how many there is memory for */
};

int endo_finder_width(const endo_field_finder *f) { return f->like.width; }

static size_t area_of(const endo_field_finder *f) { return (size_t)f->grid.columns * (size_t)f->grid.rows; }

endo_status endo_finder_make(const endo_context *context, const endo_field_image *like, endo_field_finder **out) {
    endo_field_finder *f = endo_alloc_zeroed(1, sizeof *f);
    endo_status status = ENDO_ERR_MEMORY;
    if (f) {
        f->like = *like;
        f->grid = endo_field_grid_of(like->width, like->height);
        f->threads = context->threads;
        f->cpu = context->cpu;
        f->brightest[0] = endo_alloc_zeroed(area_of(f), BRIGHTEST);
        f->sums = endo_alloc_zeroed(area_of(f), sizeof *f->sums);
        f->panels = endo_alloc(area_of(f), 1);
        status = endo_overlay_make(f->grid.columns, f->grid.rows, &f->overlay);
        if (status == ENDO_OK) status = endo_changes_make(f->grid.columns, f->grid.rows, &f->changes);
    }
    if (status != ENDO_OK || !f->brightest[0] || !f->sums || !f->panels) {
        endo_finder_free(f);
        return endo_fail(ENDO_ERR_MEMORY, "no memory to find the field of %d x %d pixels", like->width, like->height);
    }
    for (int k = 1; k < BRIGHTEST; k++) f->brightest[k] = f->brightest[0] + (size_t)k * area_of(f);
    *out = f;
    return ENDO_OK;
}

void endo_finder_free(endo_field_finder *f) {
    if (!f) return;
    for (int i = 0; i < WAITING; i++) endo_free(f->waiting[i].grey);
    endo_overlay_free(&f->overlay);
    endo_changes_free(&f->changes);
    endo_free(f->brightest[0]);
    endo_free(f->sums);
    endo_free(f->panels);
    endo_free(f->circles);
    endo_free(f);
}

/* ------------------------------------------------------------------ frames */

/* Makes memory for so many circles more. */
static endo_status reserve_circles(endo_field_finder *f, int more) {
    if (f->n_circles + more <= f->capacity) return ENDO_OK;
    int capacity = 2 * f->capacity + WAITING;
    endo_field_info *circles = endo_alloc((size_t)capacity, sizeof *circles);
    if (!circles) return endo_fail(ENDO_ERR_MEMORY, "no memory for the circles of %d frames", capacity);
    if (f->n_circles) memcpy(circles, f->circles, (size_t)f->n_circles * sizeof *circles);
    endo_free(f->circles);
    f->circles = circles;
    f->capacity = capacity;
    return ENDO_OK;
}

ENDO_SIMD_INLINE uint8_t smaller(uint8_t a, uint8_t b) { return a < b ? a : b; }
ENDO_SIMD_INLINE uint8_t larger(uint8_t a, uint8_t b) { return a > b ? a : b; }

/* Takes a row of greys; they and what they are taken into share no memory. */
ENDO_SIMD_INLINE void take_row(const uint8_t *restrict grey, int n, uint8_t *restrict first, uint8_t *restrict second,
                               uint8_t *restrict third, uint32_t *restrict sums) {
    for (int x = 0; x < n; x++) {
        third[x] = larger(third[x], smaller(second[x], grey[x]));
        second[x] = larger(second[x], smaller(first[x], grey[x]));
        first[x] = larger(first[x], grey[x]);
    }
    for (int x = 0; x < n; x++) sums[x] += grey[x];
}

ENDO_SIMD_LOOP(take_greys, take_row,
               (const uint8_t *restrict grey, int n, uint8_t *restrict first, uint8_t *restrict second,
                uint8_t *restrict third, uint32_t *restrict sums),
               (grey, n, first, second, third, sums))

/* Makes the bars of each waiting frame black. */
static void blacken_bars(endo_field_finder *f) {
    size_t n = (size_t)f->n_waiting;
#pragma omp parallel for num_threads(f->threads) schedule(dynamic) if (n > 1 && n * area_of(f) > MANY)
    for (size_t i = 0; i < n; i++) {
        waiting_frame *w = &f->waiting[i];
        if (w->has_bars) endo_field_blacken_bars(w->grey, f->grid.columns, f->grid.rows);
        w->has_bars = 0;
    }
}

/* Finds the shape that each waiting frame shows. */
static endo_status observe_waiting(endo_field_finder *f) {
    size_t n = (size_t)f->n_waiting;
    endo_status status = ENDO_OK;
#pragma omp parallel for num_threads(f->threads) schedule(dynamic) if (n > 1 && n * area_of(f) > MANY)
    for (size_t i = 0; i < n; i++) {
        waiting_frame *w = &f->waiting[i];
        w->status = endo_field_shape_of(w->grey, f->grid.columns, f->grid.rows, w->region, &w->info);
    }
    for (size_t i = 0; i < n && status == ENDO_OK; i++) status = f->waiting[i].status;
    return status == ENDO_OK ? status : endo_fail(status, "no memory to find the field of %zu frames", n);
}

/* Takes the ranges of the waiting frames' greys, of each once, and finds the panels in them. */
static endo_status range_waiting(endo_field_finder *f) {
    int first = f->n_ranged, taken = f->overlay.frames - first;
    uint64_t edges = 0;
#pragma omp parallel for num_threads(f->threads) schedule(static) reduction(+ : edges) if ((size_t)f->n_waiting * area_of(f) > MANY)
    for (int y = 0; y < f->grid.rows; y++)
        for (int i = first; i < f->n_waiting; i++) {
            edges += endo_overlay_take_row(&f->overlay, f->waiting[i].grey, y, f->cpu);
            endo_changes_take_row(&f->changes, f->waiting[i].grey, taken + i, y);
        }
    endo_overlay_count(&f->overlay, f->n_waiting - first, edges);
    f->n_ranged = f->n_waiting;
    return endo_panels_find(&f->changes, &f->overlay, f->panels, &f->has_panels);
}

/* Makes panels as dark as a surround. */
static void blacken_panels(endo_field_finder *f) {
#pragma omp parallel for num_threads(f->threads) schedule(dynamic) if (f->has_panels)
    for (int i = 0; i < (f->has_panels ? f->n_waiting : 0); i++)
        for (size_t k = 0; k < area_of(f); k++) f->waiting[i].grey[k] &= (uint8_t)~f->panels[k];
}

/* Merges the waiting frames row by row; their order does not matter. */
static void merge_waiting(endo_field_finder *f) {
    endo_cpu set = endo_simd_best(f->cpu);
#pragma omp parallel for num_threads(f->threads) schedule(static) if ((size_t)f->n_waiting * area_of(f) > MANY)
    for (int y = 0; y < f->grid.rows; y++)
        for (int i = 0; i < f->n_waiting; i++) {
            size_t at = (size_t)y * (size_t)f->grid.columns;
            take_greys[set](f->waiting[i].grey + at, f->grid.columns, f->brightest[0] + at, f->brightest[1] + at,
                            f->brightest[2] + at, f->sums + at);
        }
}

/* Handles the waiting frames; on failure they still wait. */
static endo_status take_waiting(endo_field_finder *f) {
    endo_status status = reserve_circles(f, f->n_waiting);
    blacken_bars(f);
    if (status == ENDO_OK) status = range_waiting(f);
    if (status != ENDO_OK) return status;
    blacken_panels(f);
    status = observe_waiting(f);
    if (status != ENDO_OK) return status;
    for (int i = 0; i < f->n_waiting; i++) {
        const endo_field_info *info = &f->waiting[i].info;
        f->votes[info->shape]++;
        if (info->radius > 0) f->circles[f->n_circles++] = *info;
    }
    merge_waiting(f);
    f->n_waiting = f->n_ranged = 0;
    return ENDO_OK;
}

endo_status endo_finder_take(endo_field_finder *f, const void *pixels, ptrdiff_t stride) {
    endo_field_image image = f->like;
    endo_status status = f->n_waiting == WAITING ? take_waiting(f) : ENDO_OK;
    if (status != ENDO_OK) return status;
    waiting_frame *w = &f->waiting[f->n_waiting];
    if (!w->grey) w->grey = endo_alloc(area_of(f), 2);
    if (!w->grey) return endo_fail(ENDO_ERR_MEMORY, "no memory for another frame of %d x %d", f->like.width, f->like.height);
    w->region = w->grey + area_of(f);
    image.pixels = pixels;
    image.stride = stride;
    endo_field_sample(&image, &f->grid, f->threads, f->cpu, w->grey);
    w->has_bars = 1;
    f->n_waiting++;
    return ENDO_OK;
}

/* ----------------------------------------------------------------- circles */

enum { CIRCLE_NUMBERS = 3 };

static void numbers_of(const endo_field_info *c, double out[CIRCLE_NUMBERS]) {
    const double numbers[CIRCLE_NUMBERS] = {c->x, c->y, c->radius};
    memcpy(out, numbers, sizeof numbers);
}

/* Median of a number of the circles, by counting: there are few of them. */
static double median_number(const endo_field_finder *f, int k) {
    for (int i = 0; i < f->n_circles; i++) {
        double numbers[CIRCLE_NUMBERS], other[CIRCLE_NUMBERS];
        int below = 0, equal = 0;
        numbers_of(&f->circles[i], numbers);
        for (int j = 0; j < f->n_circles; j++) {
            numbers_of(&f->circles[j], other);
            below += other[k] < numbers[k];
            equal += other[k] == numbers[k];
        }
        if (2 * below <= f->n_circles && 2 * (below + equal) > f->n_circles) return numbers[k];
    }
    return 0; /* one of them is the median */
}

/* Whether a circle is further from the median, in its centre or radius, than a sixteenth of the longer side. */
static int is_outlier(const endo_field_finder *f, const endo_field_info *circle, const double median[CIRCLE_NUMBERS]) {
    double numbers[CIRCLE_NUMBERS], most = (f->grid.columns > f->grid.rows ? f->grid.columns : f->grid.rows) / 16.0;
    numbers_of(circle, numbers);
    for (int k = 0; k < CIRCLE_NUMBERS; k++)
        if (numbers[k] < median[k] - most || numbers[k] > median[k] + most) return 1;
    return 0;
}

/* Cuts the region to all circles but outliers, if these are a third at most: where they are more, the circle moves. Returns
 * the last circle used. */
static endo_field_info intersect_circles(const endo_field_finder *f, uint8_t *region) {
    double median[CIRCLE_NUMBERS];
    int outliers = 0;
    endo_field_info last = f->circles[0];
    for (int k = 0; k < CIRCLE_NUMBERS; k++) median[k] = median_number(f, k);
    for (int i = 0; i < f->n_circles; i++) outliers += is_outlier(f, &f->circles[i], median);
    for (int i = 0; i < f->n_circles; i++) {
        const endo_field_info *c = &f->circles[i];
        if (3 * outliers <= f->n_circles && is_outlier(f, c, median)) continue;
        endo_field_cut(region, f->grid.columns, f->grid.rows, c->x, c->y, c->radius);
        last = *c;
    }
    return last;
}

/* ---------------------------------------------------------------- decision */

/* The brightness that a third of the frames reach, or three of many: one alone may be of another scene. */
static const uint8_t *shown_by_several(const endo_field_finder *f, int frames) {
    int k = (frames - 1) / 3;
    return f->brightest[k < BRIGHTEST ? k : BRIGHTEST - 1];
}

/* Cuts the region to the circles that at least half of the frames show; 0: they are fewer, or move about and leave little: then
 * the maximum is the better guess. disc: 255 in all of the circles. */
static int cut_to_circles(const endo_field_finder *f, int frames, uint8_t *region, uint8_t *disc, endo_field_info *info) {
    if (2 * f->n_circles < frames) return 0;
    size_t common = 0;
    memset(disc, 255, area_of(f));
    endo_field_info last = intersect_circles(f, disc);
    for (size_t i = 0; i < area_of(f); i++) common += region[i] & disc[i] & 1;
    if (4 * common < area_of(f)) return 0;
    for (size_t i = 0; i < area_of(f); i++) region[i] &= disc[i];
    *info = last;
    info->shape = ENDO_FIELD_CIRCLE;
    return 1;
}

/* The field that several frames show, without the surround of any frame. disc: workspace of the region's size. */
static endo_status find_region(const endo_field_finder *f, int frames, uint8_t *region, uint8_t *disc, endo_field_info *info) {
    int columns = f->grid.columns, rows = f->grid.rows;
    ENDO_TRY(endo_field_shape_of(shown_by_several(f, frames), columns, rows, region, info));
    if (!cut_to_circles(f, frames, region, disc, info)) {
        memset(disc, 255, area_of(f));
        if (info->radius > 0) endo_field_cut(disc, columns, rows, info->x, info->y, info->radius);
    }
    return endo_field_fill_pits(f->sums, columns, rows, info->radius > 0 ? disc : NULL, region);
}

static endo_status decide(const endo_field_finder *f, uint8_t *region, uint8_t *mask, endo_field_info *info) {
    int wholes = f->votes[ENDO_FIELD_WHOLE], frames = f->votes[ENDO_FIELD_CIRCLE] + wholes + f->votes[ENDO_FIELD_OTHER];
    int carved = 0;
    endo_status status = ENDO_OK;
    endo_field_info found = {.shape = ENDO_FIELD_WHOLE};
    memset(region, 255, area_of(f));
    if (frames > 0 && 2 * wholes <= frames) status = find_region(f, frames, region, region + area_of(f), &found);
    if (status == ENDO_OK && found.shape == ENDO_FIELD_WHOLE && frames > 0)
        status = endo_field_dark_circle(shown_by_several(f, frames), f->grid.columns, f->grid.rows, region + area_of(f),
                                        region, &found);
    if (status == ENDO_OK) status = endo_overlay_carve(&f->overlay, region, &carved);
    if (status != ENDO_OK) return status;
    for (size_t i = 0; f->has_panels && i < area_of(f); i++) region[i] &= (uint8_t)~f->panels[i];
    carved |= f->has_panels;
    if (carved && found.shape == ENDO_FIELD_WHOLE) found.shape = ENDO_FIELD_OTHER;
    endo_field_enlarge(&f->grid, &found);
    status = endo_field_finish(&f->grid, region, &found, f->threads, mask);
    if (status == ENDO_OK) *info = found;
    return status;
}

endo_status endo_finder_decide(endo_field_finder *f, uint8_t *mask, endo_field_info *info) {
    endo_status waited = take_waiting(f);
    if (waited != ENDO_OK) return waited;
    uint8_t *region = endo_alloc(area_of(f), 2);
    if (!region)
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the field of %d x %d pixels", f->like.width, f->like.height);
    endo_status status = decide(f, region, mask, info);
    endo_free(region);
    return status;
}
