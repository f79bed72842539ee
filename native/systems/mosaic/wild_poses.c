/* Finds wild poses, component by component: if all frames fit into a panorama none is wild, else those far from most of the
 * others are (wild_poses.h). */
#include "wild_poses.h"

#include "base/memory.h"
#include "base/status.h"
#include "numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Distance from the centre of all frames, relative to the median distance, from which on a frame is wild. */
#define FAR 50

typedef struct reached {
    int component;
    int frame;
    mosaic_rect rect;
} reached;

typedef struct search {
    const endo_mosaic_frame *frames;
    int n_frames;
    mosaic_rect frame; /* a whole frame */
    int64_t limit;
    reached *reached; /* component by component */
    int n;
    double *numbers;                               /* scratch memory for a median */
    char (*why)[sizeof((endo_wild_pose *)0)->why]; /* one a frame; "": its pose can be shown */
} search;

/* --------------------------------------------------------------- where frames lie */

static int compare_components(const void *a, const void *b) {
    const reached *x = a;
    const reached *y = b;
    if (x->component != y->component) return x->component < y->component ? -1 : 1;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

static void gather(search *s) {
    for (int i = 0; i < s->n_frames; i++) {
        const endo_mosaic_frame *f = &s->frames[i];
        reached *next = &s->reached[s->n];
        if (!f->registered) continue;
        next->component = f->component;
        next->frame = i;
        if (rect_transformed(s->frame, &f->pose, &next->rect))
            s->n++;
        else
            snprintf(s->why[i], sizeof s->why[i], "its transform takes it across its horizon, or more than 2^29 px away");
    }
    qsort(s->reached, (size_t)s->n, sizeof *s->reached, compare_components);
}

/* ------------------------------------------------------------------- a component */

static int fit(const reached *list, int n, int64_t limit) {
    mosaic_rect all = list[0].rect;
    for (int i = 1; i < n; i++) all = rect_union(all, list[i].rect);
    int longest = rect_width(all) > rect_height(all) ? rect_width(all) : rect_height(all);
    return rect_area(all) <= limit && longest <= WILD_LONGEST_SIDE;
}

/* The median; of an even number the upper one of the two in the middle. */
static double middle(double *numbers, int n) { return number_at_rank(numbers, (size_t)n, (size_t)n / 2); }

/* Median of the frames' centres along x. */
static double middle_across(const reached *list, int n, double *numbers) {
    for (int i = 0; i < n; i++) numbers[i] = (list[i].rect.left + (double)list[i].rect.right) / 2;
    return middle(numbers, n);
}

static double middle_down(const reached *list, int n, double *numbers) {
    for (int i = 0; i < n; i++) numbers[i] = (list[i].rect.top + (double)list[i].rect.bottom) / 2;
    return middle(numbers, n);
}

/* Distance from (x, y) to the farthest corner of a rectangle, px. */
static double distance(mosaic_rect r, double x, double y) {
    return length_of(greater_of(fabs(r.left - x), fabs(r.right - x)), greater_of(fabs(r.top - y), fabs(r.bottom - y)));
}

static void find_far(search *s, const reached *list, int n) {
    double x = middle_across(list, n, s->numbers);
    double y = middle_down(list, n, s->numbers);
    for (int i = 0; i < n; i++) s->numbers[i] = distance(list[i].rect, x, y);
    double usual = middle(s->numbers, n);
    for (int i = 0; i < n; i++) {
        double far = distance(list[i].rect, x, y);
        if (far > FAR * usual)
            snprintf(s->why[list[i].frame], sizeof *s->why,
                     "its transform takes it %.0f px from the middle of the others, which are %.0f px from it", far, usual);
    }
}

/* ------------------------------------------------------------------------- all */

static void find_wild(search *s) {
    gather(s);
    int end;
    for (int first = 0; first < s->n; first = end) {
        const reached *list = &s->reached[first];
        for (end = first + 1; end < s->n && s->reached[end].component == list->component;) end++;
        if (!fit(list, end - first, s->limit)) find_far(s, list, end - first);
    }
}

static void take(const search *s, endo_wild_pose *wild, int32_t *n_wild) {
    int n = 0;
    for (int i = 0; i < s->n_frames; i++) {
        if (!s->why[i][0]) continue;
        wild[n].frame = i;
        memcpy(wild[n].why, s->why[i], sizeof wild[n].why);
        n++;
    }
    *n_wild = n;
}

static int allocate(search *s) {
    size_t n = (size_t)s->n_frames + 1;
    s->reached = endo_alloc(n, sizeof *s->reached);
    s->numbers = endo_alloc(n, sizeof *s->numbers);
    s->why = endo_alloc_zeroed(n, sizeof *s->why);
    return s->reached && s->numbers && s->why;
}

endo_status wild_poses_find(const endo_mosaic_frame *frames, int n, mosaic_size size, int64_t limit, endo_wild_pose *wild,
                            int32_t *n_wild) {
    search s = {
        .frames = frames,
        .n_frames = n,
        .frame = {.right = size.width, .bottom = size.height},
        .limit = limit,
    };
    int there = allocate(&s);
    if (there) {
        find_wild(&s);
        take(&s, wild, n_wild);
    }
    endo_free(s.reached);
    endo_free(s.numbers);
    endo_free(s.why);
    return there ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for where %d frames lie", n);
}
