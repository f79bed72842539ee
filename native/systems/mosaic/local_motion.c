/* Patches are compared by the coefficient of correlation of values less their local mean, in integers (local_motion.h). */
#include "local_motion.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Half the side of a patch, the distance of two, and how far each is looked for, px. */
#define HALF 10
#define SPACING 16
#define REACH 8
/* Half the side of the squares of local means, and what a grey level is in values, +-1020. */
#define MEAN_HALF 8
#define ONE 4
/* Grey values of pixels that say nothing: highlights. */
#define BRIGHT 245
/* Least gradient of a patch in its weaker direction, grey levels a pixel; else it is found anywhere along an edge. */
#define LEAST_GRADIENT 1.0
/* Largest share of a patch, and of where it is looked for, that may be unknown. */
#define MOST_UNKNOWN 0.1
#define LEAST_COEFFICIENT 0.55
/* Neighbours have moved alike if their shifts are so near, px; two of them must have, and half of them. */
#define NEAR 2.5
#define LEAST_ALIKE 2
/* Patches that lie at the same place of both images, to so many px, are not counted: what stands still with the scope does. */
#define STILL 1.5
/* Least number of patches that are alike, and least share of all. Of 148 pairs of images that have nothing in common none had
 * more than a tenth; of tissue that a scope came back to, 0.42 and more. */
#define LEAST_PATCHES 16
#define LEAST_SHARE 0.3
/* The first pass says where the second one looks, if so many patches are alike. */
#define PASSES 2
#define LEAST_TO_FIT 8

/* Values of an image less their local mean; unknown ones are 0. */
typedef struct values {
    int16_t *of;
    uint8_t *known;
} values;

typedef struct patch {
    int has_texture;
    int is_found;
    int is_alike; /* as its neighbours, and not at the same place of both images */
    int x, y;   /* its middle, px of the reference */
    int dx, dy; /* where it is found, from there */
} patch;

typedef struct motion_search {
    mosaic_size size;
    int columns, rows; /* of patches */
    values reference, current;
    uint8_t *grey;  /* the current image where the transform takes it */
    int32_t *sums;  /* of the values above and to the left, and of their number */
    int32_t *counts;
    patch *patches;
} motion_search;

/* ----------------------------------------------------------------------- memory */

static void search_free(motion_search *s) {
    endo_free(s->reference.of);
    endo_free(s->reference.known);
    endo_free(s->current.of);
    endo_free(s->current.known);
    endo_free(s->grey);
    endo_free(s->sums);
    endo_free(s->counts);
    endo_free(s->patches);
}

static int patches_along(int length) { return length > 2 * (HALF + REACH) ? (length - 2 * (HALF + REACH) - 1) / SPACING + 1 : 0; }

static endo_status search_make(mosaic_size size, motion_search *s) {
    size_t area = (size_t)size.width * (size_t)size.height;
    size_t table = (size_t)(size.width + 1) * (size_t)(size.height + 1);
    *s = (motion_search){.size = size, .columns = patches_along(size.width), .rows = patches_along(size.height)};
    s->reference = (values){endo_alloc(area, sizeof *s->reference.of), endo_alloc(area, 1)};
    s->current = (values){endo_alloc(area, sizeof *s->current.of), endo_alloc(area, 1)};
    s->grey = endo_alloc(area, 1);
    s->sums = endo_alloc(table, sizeof *s->sums);
    s->counts = endo_alloc(table, sizeof *s->counts);
    s->patches = endo_alloc_zeroed((size_t)(s->columns * s->rows) + 1, sizeof *s->patches);
    if (s->reference.of && s->reference.known && s->current.of && s->current.known && s->grey && s->sums && s->counts && s->patches)
        return ENDO_OK;
    search_free(s);
    return endo_fail(ENDO_ERR_MEMORY, "no memory for the local motion of two images of %d x %d px", size.width, size.height);
}

/* ----------------------------------------------------------------------- values */

/* The current image as the reference shows it, between pixels to 1/256 px. */
static void take_there(motion_search *s, const uint8_t *image, const uint8_t *mask, const endo_transform *start) {
    int width = s->size.width;
    endo_transform back = pose_inverse(start);
    for (int y = 0; y < s->size.height; y++)
        for (int x = 0; x < width; x++) {
            int at = y * width + x;
            double u = pose_x(&back, x, y);
            double v = pose_y(&back, x, y);
            s->grey[at] = s->current.known[at] = 0;
            if (!(u >= 0 && v >= 0 && u < width - 1 && v < s->size.height - 1)) continue;
            int i = (int)(256 * u);
            int j = (int)(256 * v);
            int a = i & 255;
            int b = j & 255;
            int from = (j >> 8) * width + (i >> 8);
            const uint8_t *p = image + from;
            if (mask && !(mask[from] && mask[from + 1] && mask[from + width] && mask[from + width + 1])) continue;
            int upper = (256 - a) * p[0] + a * p[1];
            int lower = (256 - a) * p[width] + a * p[width + 1];
            s->grey[at] = (uint8_t)(((256 - b) * upper + b * lower + 32768) >> 16);
            s->current.known[at] = s->grey[at] < BRIGHT;
        }
}

static void sum_up(motion_search *s, const uint8_t *grey, const uint8_t *known) {
    int stride = s->size.width + 1;
    memset(s->sums, 0, (size_t)stride * sizeof *s->sums);
    memset(s->counts, 0, (size_t)stride * sizeof *s->counts);
    for (int y = 0; y < s->size.height; y++) {
        int32_t *sums = s->sums + (y + 1) * stride;
        int32_t *counts = s->counts + (y + 1) * stride;
        int32_t sum = sums[0] = 0;
        int32_t count = counts[0] = 0;
        for (int x = 0; x < s->size.width; x++) {
            int at = y * s->size.width + x;
            sum += known[at] ? grey[at] : 0;
            count += known[at];
            sums[x + 1] = sums[x + 1 - stride] + sum;
            counts[x + 1] = counts[x + 1 - stride] + count;
        }
    }
}

static int32_t in_square(const motion_search *s, const int32_t *table, int x, int y, int half) {
    int stride = s->size.width + 1;
    int left = x > half ? x - half : 0;
    int top = y > half ? y - half : 0;
    int right = x + half + 1 < s->size.width ? x + half + 1 : s->size.width;
    int bottom = y + half + 1 < s->size.height ? y + half + 1 : s->size.height;
    return table[bottom * stride + right] - table[bottom * stride + left] - table[top * stride + right] + table[top * stride + left];
}

static void take_values(motion_search *s, const uint8_t *grey, values *out) {
    sum_up(s, grey, out->known);
    for (int y = 0; y < s->size.height; y++)
        for (int x = 0; x < s->size.width; x++) {
            int at = y * s->size.width + x;
            out->of[at] = 0;
            if (!out->known[at]) continue;
            int32_t count = in_square(s, s->counts, x, y, MEAN_HALF);
            int32_t sum = in_square(s, s->sums, x, y, MEAN_HALF);
            out->of[at] = (int16_t)(ONE * grey[at] - (2 * ONE * sum + count) / (2 * count));
        }
}

/* ---------------------------------------------------------------------- patches */

/* Whether a square is known but for a few pixels; the table of counts is that of the image. */
static int is_known(const motion_search *s, int x, int y, int half) {
    int side = 2 * half + 1;
    return in_square(s, s->counts, x, y, half) >= (1 - MOST_UNKNOWN) * side * side;
}

/* The smaller eigenvalue of the patch's mean square gradients. */
static int has_texture(const motion_search *s, int x, int y) {
    int width = s->size.width;
    double xx = 0;
    double xy = 0;
    double yy = 0;
    for (int j = 1 - HALF; j < HALF; j++) {
        const int16_t *row = s->reference.of + (y + j) * width + x;
        for (int i = 1 - HALF; i < HALF; i++) {
            int gx = row[i + 1] - row[i - 1];
            int gy = row[i + width] - row[i - width];
            xx += gx * gx;
            xy += gx * gy;
            yy += gy * gy;
        }
    }
    double pixels = (2 * HALF - 1) * (2 * HALF - 1);
    double weaker = (xx + yy) / 2 - length_of((xx - yy) / 2, xy);
    return weaker / pixels >= 4 * ONE * ONE * LEAST_GRADIENT * LEAST_GRADIENT;
}

/* Sums over a patch of both images. With |value| <= 1020 all are below 2^31. */
typedef struct patch_sums {
    int32_t one, other, squares, other_squares, products;
} patch_sums;

static void add_row(const int16_t *a, const int16_t *b, patch_sums *to) {
    int32_t one = 0;
    int32_t other = 0;
    int32_t squares = 0;
    int32_t other_squares = 0;
    int32_t products = 0;
    for (int i = 0; i < 2 * HALF + 1; i++) {
        one += a[i];
        other += b[i];
        squares += a[i] * a[i];
        other_squares += b[i] * b[i];
        products += a[i] * b[i];
    }
    to->one += one;
    to->other += other;
    to->squares += squares;
    to->other_squares += other_squares;
    to->products += products;
}

static double coefficient(const motion_search *s, const patch *p, int dx, int dy) {
    patch_sums sums = {0};
    double n = (2 * HALF + 1) * (2 * HALF + 1);
    for (int j = -HALF; j <= HALF; j++) {
        const int16_t *a = s->reference.of + (p->y + j) * s->size.width + p->x - HALF;
        const int16_t *b = s->current.of + (p->y + dy + j) * s->size.width + p->x + dx - HALF;
        add_row(a, b, &sums);
    }
    double one = n * sums.squares - (double)sums.one * sums.one;
    double other = n * sums.other_squares - (double)sums.other * sums.other;
    return one > 0 && other > 0 ? (n * sums.products - (double)sums.one * sums.other) / sqrt(one * other) : 0;
}

/* Finds a patch; at the rim of the search its place is not known. */
static void find_patch(const motion_search *s, patch *p) {
    double best = -1;
    for (int dy = -REACH; dy <= REACH; dy++)
        for (int dx = -REACH; dx <= REACH; dx++) {
            double c = coefficient(s, p, dx, dy);
            if (!(c > best)) continue;
            best = c;
            p->dx = dx;
            p->dy = dy;
        }
    p->is_found = best >= LEAST_COEFFICIENT && abs(p->dx) < REACH && abs(p->dy) < REACH;
}

static int is_near(const patch *a, const patch *b) {
    double dx = a->dx - b->dx;
    double dy = a->dy - b->dy;
    return dx * dx + dy * dy <= NEAR * NEAR;
}

/* Whether a patch has moved as the found ones of the eight around it have. */
static int is_alike(const motion_search *s, int column, int row) {
    const patch *p = &s->patches[row * s->columns + column];
    int found = 0;
    int near = 0;
    for (int j = row - 1; j <= row + 1; j++)
        for (int i = column - 1; i <= column + 1; i++) {
            if (i < 0 || j < 0 || i >= s->columns || j >= s->rows || (i == column && j == row)) continue;
            const patch *q = &s->patches[j * s->columns + i];
            found += q->is_found;
            near += q->is_found && is_near(p, q);
        }
    return p->is_found && near >= LEAST_ALIKE && 2 * near >= found;
}

/* Texture is asked of the reference while the table of counts is its own. */
static void place_patches(motion_search *s) {
    for (int k = 0; k < s->columns * s->rows; k++) {
        patch *p = &s->patches[k];
        p->x = HALF + REACH + k % s->columns * SPACING;
        p->y = HALF + REACH + k / s->columns * SPACING;
        p->has_texture = is_known(s, p->x, p->y, HALF) && has_texture(s, p->x, p->y);
    }
}

/* back: reference -> current. */
static int is_still(const patch *p, const endo_transform *back) {
    double u = pose_x(back, p->x + p->dx, p->y + p->dy);
    double v = pose_y(back, p->x + p->dx, p->y + p->dy);
    return length_of(u - p->x, v - p->y) <= STILL;
}

static void compare_patches(motion_search *s, local_motion *out) {
    endo_transform back = pose_inverse(&out->transform);
    out->patches = out->alike = 0;
    for (int k = 0; k < s->columns * s->rows; k++) {
        patch *p = &s->patches[k];
        p->is_found = 0;
        if (!p->has_texture || !is_known(s, p->x, p->y, HALF + REACH)) continue;
        find_patch(s, p);
        out->patches++;
    }
    for (int k = 0; k < s->columns * s->rows; k++) {
        s->patches[k].is_alike = is_alike(s, k % s->columns, k / s->columns) && !is_still(&s->patches[k], &back);
        out->alike += s->patches[k].is_alike;
    }
}

/* -------------------------------------------------------------------- transform */

/* Fits the similarity that takes the places where patches are found to those of the reference. *deviation: root mean square of
 * what is left, px. */
static endo_transform fit(const motion_search *s, int n, double *deviation) {
    double x = 0, y = 0, u = 0, v = 0, squares = 0, along = 0, across = 0, left = 0;
    for (int k = 0; k < s->columns * s->rows; k++) {
        const patch *p = &s->patches[k];
        if (!p->is_alike) continue;
        x += (double)(p->x + p->dx) / n, y += (double)(p->y + p->dy) / n;
        u += (double)p->x / n, v += (double)p->y / n;
    }
    for (int k = 0; k < s->columns * s->rows; k++) {
        const patch *p = &s->patches[k];
        if (!p->is_alike) continue;
        double px = p->x + p->dx - x, py = p->y + p->dy - y, qx = p->x - u, qy = p->y - v;
        squares += px * px + py * py;
        along += px * qx + py * qy;
        across += px * qy - py * qx;
        left += qx * qx + qy * qy;
    }
    double a = squares > 0 ? along / squares : 1;
    double b = squares > 0 ? across / squares : 0;
    left -= a * along + b * across;
    *deviation = sqrt((left > 0 ? left : 0) / n);
    const double m[6] = {a, -b, u - a * x + b * y, b, a, v - b * x - a * y};
    return endo_transform_make(ENDO_TRANSFORM_SIMILARITY, m);
}

static void search(motion_search *s, const uint8_t *reference, const uint8_t *current, const uint8_t *mask,
                   const endo_transform *start, local_motion *out) {
    int area = s->size.width * s->size.height;
    for (int i = 0; i < area; i++) s->reference.known[i] = (!mask || mask[i]) && reference[i] < BRIGHT;
    take_values(s, reference, &s->reference);
    place_patches(s);
    out->transform = *start;
    for (int pass = 0; pass < PASSES; pass++) {
        take_there(s, current, mask, &out->transform);
        take_values(s, s->grey, &s->current);
        compare_patches(s, out);
        if (out->alike < LEAST_TO_FIT) return;
        endo_transform moved = fit(s, out->alike, &out->deviation);
        out->transform = pose_times(&moved, &out->transform);
    }
    out->is_same = out->alike >= LEAST_PATCHES && out->alike >= LEAST_SHARE * out->patches;
}

endo_status local_motion_find(const uint8_t *reference, const uint8_t *current, const uint8_t *mask, mosaic_size size,
                              const endo_transform *start, local_motion *out) {
    motion_search s;
    local_motion found = {.transform = *start};
    ENDO_TRY(search_make(size, &s));
    if (pose_is_invertible(start)) search(&s, reference, current, mask, start, &found);
    search_free(&s);
    *out = found;
    return ENDO_OK;
}
