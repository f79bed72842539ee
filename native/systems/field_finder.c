/* The field of view of a sequence from some of its frames.
 *
 * Each frame votes for what it shows. The accumulated maximum alone would mislead where the circle moves a
 * little on the sensor: it is the union of all circles and keeps a dark rim in each frame; and where it is
 * dark in one corner in every frame although nothing is framed. So circles are intersected, and the maximum
 * decides only among frames that show no circle.
 *
 * A damaged or foreign frame does not decide: a circle far from the median is left out where such circles are few, and
 * what stands for the maximum is what several frames reach.
 *
 * A vote is taken on a reduced frame: shape and circle need no more, and 16 votes on large frames would take
 * longer than registering them. */
#include "field_finder.h"

#include <string.h>

/* A vote works on every n-th pixel and row, so that no side is longer. */
#define VOTE_SIDE 640

/* The brightest greys that are kept of a pixel: this many frames at most must show it. */
#define BRIGHTEST 3

struct endo_field_finder {
    endo_context *context;
    int width, height, low, high;
    endo_pixel type;
    int votes[3]; /* by endo_field_shape */
    uint8_t *brightest[BRIGHTEST]; /* of all frames, the second brightest, and so on */
    int step;           /* every so many pixels vote */
    uint8_t *single;    /* grey of one frame */
    uint8_t *reduced, *reduced_mask;
    uint8_t *common; /* intersection of the circles, to decide */
    endo_field_info *circles;
    int n_circles, room; /* the circles, and how many there is memory for */
};

int endo_finder_width(const endo_field_finder *f) { return f->width; }

endo_status endo_finder_make(endo_context *context, const endo_field_image *like, endo_field_finder **out) {
    int width = like->width, height = like->height;
    size_t area = (size_t)width * height;
    endo_field_finder *f = endo_alloc_zeroed(1, sizeof *f);
    if (f) {
        f->context = context;
        f->width = width, f->height = height, f->low = like->low, f->high = like->high, f->type = like->type;
        for (int k = 0; k < BRIGHTEST; k++) f->brightest[k] = endo_alloc_zeroed(area, 1);
        f->single = endo_alloc(area, 1);
        f->step = ((width > height ? width : height) + VOTE_SIDE - 1) / VOTE_SIDE;
        f->reduced = endo_alloc(area, 1);
        f->reduced_mask = endo_alloc(area, 1);
        f->common = endo_alloc(area, 1);
    }
    if (!f || !f->brightest[0] || !f->brightest[1] || !f->brightest[2] || !f->single || !f->reduced ||
        !f->reduced_mask || !f->common) {
        endo_finder_free(f);
        return endo_fail(ENDO_ERR_MEMORY, "no memory to find the field of %d x %d pixels", width, height);
    }
    *out = f;
    return ENDO_OK;
}

void endo_finder_free(endo_field_finder *f) {
    if (!f) return;
    for (int k = 0; k < BRIGHTEST; k++) endo_free(f->brightest[k]);
    endo_free(f->single);
    endo_free(f->reduced);
    endo_free(f->reduced_mask);
    endo_free(f->common);
    endo_free(f->circles);
    endo_free(f);
}

/* What the frame in `single` shows, in its own pixels. */
static endo_status vote(endo_field_finder *f, endo_field_info *info) {
    int step = f->step, width = (f->width + step - 1) / step, height = (f->height + step - 1) / step;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            f->reduced[(size_t)y * width + x] = f->single[(size_t)y * step * f->width + (size_t)x * step];
    endo_status status = endo_field_find(f->reduced, width, height, f->reduced_mask, info);
    if (status != ENDO_OK) return status;
    info->x *= step, info->y *= step, info->radius *= step;
    info->left *= step, info->top *= step;
    info->right = info->right == width - 1 ? f->width - 1 : info->right * step;
    info->bottom = info->bottom == height - 1 ? f->height - 1 : info->bottom * step;
    return ENDO_OK;
}

/* ------------------------------------------------------------------ frames */

/* Room for one circle more. */
static endo_status reserve_circle(endo_field_finder *f) {
    if (f->n_circles < f->room) return ENDO_OK;
    int room = f->room ? 2 * f->room : 16;
    endo_field_info *circles = endo_alloc((size_t)room, sizeof *circles);
    if (!circles) return endo_fail(ENDO_ERR_MEMORY, "no memory for the circles of %d frames", room);
    if (f->n_circles) memcpy(circles, f->circles, (size_t)f->n_circles * sizeof *circles);
    endo_free(f->circles);
    f->circles = circles, f->room = room;
    return ENDO_OK;
}

static uint8_t smaller(uint8_t a, uint8_t b) { return a < b ? a : b; }
static uint8_t larger(uint8_t a, uint8_t b) { return a > b ? a : b; }

static void take_brightest(endo_field_finder *f) {
    int area = f->width * f->height;
    uint8_t *const *b = f->brightest;
#pragma omp parallel for num_threads(f->context->threads) if (f->step > 1)
    for (int i = 0; i < area; i++) {
        uint8_t grey = f->single[i];
        for (int k = BRIGHTEST - 1; k > 0; k--) b[k][i] = larger(b[k][i], smaller(b[k - 1][i], grey));
        b[0][i] = larger(b[0][i], grey);
    }
}

endo_status endo_finder_take(endo_field_finder *f, const void *pixels, ptrdiff_t stride) {
    endo_field_info info;
    memset(f->single, 0, (size_t)f->width * f->height);
    endo_field_image image = {pixels, f->type, f->width, f->height, stride, f->low, f->high};
    endo_field_brighten(&image, f->context->threads, f->single);
    endo_status status = vote(f, &info);
    if (status == ENDO_OK && info.shape == ENDO_FIELD_CIRCLE) status = reserve_circle(f);
    if (status != ENDO_OK) return status;
    f->votes[info.shape]++;
    if (info.shape == ENDO_FIELD_CIRCLE) f->circles[f->n_circles++] = info;
    take_brightest(f);
    return ENDO_OK;
}

/* ----------------------------------------------------------------- circles */

enum { CIRCLE_NUMBERS = 7 };

static void numbers_of(const endo_field_info *c, double out[CIRCLE_NUMBERS]) {
    const double numbers[CIRCLE_NUMBERS] = {c->x, c->y, c->radius, c->left, c->top, c->right, c->bottom};
    memcpy(out, numbers, sizeof numbers);
}

/* By counting: there are few of them. */
static double median_number(const endo_field_finder *f, int k) {
    for (int i = 0; i < f->n_circles; i++) {
        double own[CIRCLE_NUMBERS], other[CIRCLE_NUMBERS];
        int below = 0, equal = 0;
        numbers_of(&f->circles[i], own);
        for (int j = 0; j < f->n_circles; j++) {
            numbers_of(&f->circles[j], other);
            below += other[k] < own[k], equal += other[k] == own[k];
        }
        if (2 * below <= f->n_circles && 2 * (below + equal) > f->n_circles) return own[k];
    }
    return 0; /* one of them is the median */
}

/* Further from the median, in its place, radius or box, than a sixteenth of the longer side. */
static int is_outlier(const endo_field_finder *f, const endo_field_info *circle, const double median[CIRCLE_NUMBERS]) {
    double own[CIRCLE_NUMBERS], most = (f->width > f->height ? f->width : f->height) / 16.0;
    numbers_of(circle, own);
    for (int k = 0; k < CIRCLE_NUMBERS; k++)
        if (own[k] < median[k] - most || own[k] > median[k] + most) return 1;
    return 0;
}

/* The circle and its box; as far inside, in voting pixels, as the mask of endo_field_detect. */
static void intersect(const endo_field_finder *f, const endo_field_info *info) {
    double radius = info->radius - 1.5 * f->step;
#pragma omp parallel for num_threads(f->context->threads) if (f->step > 1)
    for (int y = 0; y < f->height; y++)
        for (int x = 0; x < f->width; x++) {
            double dx = x - info->x, dy = y - info->y;
            int inside = x >= info->left && x <= info->right && y >= info->top && y <= info->bottom &&
                         dx * dx + dy * dy <= radius * radius;
            if (!inside) f->common[(size_t)y * f->width + x] = 0;
        }
}

/* All circles, less those far from the others if they are a third at most: where more of them are, the circle moves.
 * Returns the last of those taken. */
static endo_field_info intersect_circles(const endo_field_finder *f) {
    double median[CIRCLE_NUMBERS];
    int outliers = 0;
    endo_field_info last = f->circles[0];
    for (int k = 0; k < CIRCLE_NUMBERS; k++) median[k] = median_number(f, k);
    for (int i = 0; i < f->n_circles; i++) outliers += is_outlier(f, &f->circles[i], median);
    memset(f->common, 255, (size_t)f->width * f->height);
    for (int i = 0; i < f->n_circles; i++) {
        if (3 * outliers <= f->n_circles && is_outlier(f, &f->circles[i], median)) continue;
        intersect(f, &f->circles[i]);
        last = f->circles[i];
    }
    return last;
}

/* ---------------------------------------------------------------- decision */

static void take_whole(const endo_field_finder *f, uint8_t *mask, endo_field_info *info) {
    endo_field_info whole = {.shape = ENDO_FIELD_WHOLE, .right = f->width - 1, .bottom = f->height - 1};
    memset(mask, 255, (size_t)f->width * f->height);
    *info = whole;
}

static size_t count_common(const endo_field_finder *f) {
    size_t count = 0, area = (size_t)f->width * f->height;
    for (size_t i = 0; i < area; i++) count += f->common[i] != 0;
    return count;
}

/* The intersection's own bounding box goes with it. */
static void take_common(const endo_field_finder *f, const endo_field_info *circle, uint8_t *mask, endo_field_info *info) {
    endo_box box = endo_mask_bounds(f->common, f->width, f->height);
    memcpy(mask, f->common, (size_t)f->width * f->height);
    *info = *circle;
    info->left = box.left, info->top = box.top, info->right = box.right, info->bottom = box.bottom;
}

/* What one frame in three shows, or three frames of many: one alone may be of another scene. */
static const uint8_t *shown_by_several(const endo_field_finder *f, int frames) {
    int k = (frames - 1) / 3;
    return f->brightest[k < BRIGHTEST ? k : BRIGHTEST - 1];
}

endo_status endo_finder_decide(const endo_field_finder *f, uint8_t *mask, endo_field_info *info) {
    int circles = f->votes[ENDO_FIELD_CIRCLE], wholes = f->votes[ENDO_FIELD_WHOLE];
    int frames = circles + wholes + f->votes[ENDO_FIELD_OTHER];
    if (frames == 0 || 2 * wholes > frames) {
        take_whole(f, mask, info);
        return ENDO_OK;
    }
    if (2 * circles >= frames) {
        endo_field_info circle = intersect_circles(f);
        /* An intersection of circles that move about may leave little: then the maximum is the better guess. */
        if (4 * count_common(f) >= (size_t)f->width * f->height) {
            take_common(f, &circle, mask, info);
            return ENDO_OK;
        }
    }
    return endo_field_find(shown_by_several(f, frames), f->width, f->height, mask, info);
}
