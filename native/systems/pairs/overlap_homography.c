#include "overlap_homography.h"

#include "rules/agreement.h"
#include "rules/coefficient.h"
#include "map_agreement.h"
#include "patch_grid.h"

#include <math.h>
#include <string.h>

/* Largest distance, px, between a homography and an affine map that is used in its stead. */
#define AFFINE_WITHIN 0.5
/* Points along each side of the frame, corners among them, at which that distance is checked. */
#define POINTS 9
/* Templates along each side of the overlap. */
#define TEMPLATES 5
/* Distance, px, of the points from which the box of the overlap is found. */
#define BOX_STEP 4

/* ------------------------------------------------------------------ affine */

int endo_overlap_affine(const endo_frames *frames, const endo_transform *transform, endo_transform *affine) {
    endo_frame_size size = {frames->options.width, frames->options.height};
    endo_transform forward, near;
    if (!endo_transform_inverse(transform, &forward) || !endo_map_shows_frame(size, &forward) ||
        !endo_map_nearest_over_frame(size, &forward, ENDO_TRANSFORM_AFFINE, &near))
        return 0;
    for (int i = 0; i < POINTS * POINTS; i++) {
        double x = (size.width - 1) * (i % POINTS / (POINTS - 1.0)), y = (size.height - 1) * (i / POINTS / (POINTS - 1.0));
        double u, v, p, q;
        endo_affine_apply(near.matrix, x, y, &u, &v);
        if (!endo_transform_point(&forward, x, y, &p, &q) || !(hypot(u - p, v - q) <= AFFINE_WITHIN)) return 0;
    }
    return endo_transform_inverse(&near, affine);
}

/* ----------------------------------------------------------------- patches */

/* Square patches, all of one side, that fill templates or tiles. */
typedef struct squares {
    int side, n;
    int32_t *positions; /* first pixels, x and y interleaved */
    int32_t *owner;  /* number of the template or tile that each belongs to */
} squares;

static void free_squares(squares *s) {
    endo_free(s->positions);
    endo_free(s->owner);
}

static endo_status take_squares(squares *s, size_t most) {
    s->n = 0;
    s->positions = endo_alloc(2 * most + 1, sizeof *s->positions);
    s->owner = endo_alloc(most + 1, sizeof *s->owner);
    return s->positions && s->owner ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for %zu patches", most);
}

static void add_square(squares *s, int x, int y, int owner) {
    s->positions[2 * s->n] = x;
    s->positions[2 * s->n + 1] = y;
    s->owner[s->n++] = owner;
}

/* The sums of the squares of a pair; forward: reference -> current. sums: s->n of them. */
static endo_status sum_squares(endo_frames *frames, const endo_pair *pair, const endo_transform *forward, const squares *s,
                               endo_patch_sums *sums) {
    const endo_patches_setup setup = {s->side};
    endo_patch_grid g = {.side = s->side, .n = (size_t)s->n, .positions = s->positions, .width = frames->options.width,
                         .height = frames->options.height};
    endo_patch_request *requests = endo_alloc(g.n + 1, sizeof *requests);
    if (!requests) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu patches", g.n);
    endo_patch_grid_ask_map(&g, pair, forward, requests);
    endo_status status = ENDO_OK;
    if (g.n) status = frames->context->kernels->batches->patches(frames->store, requests, g.n, &setup, sums);
    endo_free(requests);
    return status;
}

/* Adds the sums of the smoothed reference (x) and current frame (y). */
static void add_sums(const endo_patch_sums *p, endo_sums *s) {
    enum { R = ENDO_STEP_REFERENCE, C = ENDO_STEP_CURRENT, RR = 11, RC = 12, CC = 15 };
    s->n += p->n;
    s->x += p->sum[R];
    s->y += p->sum[C];
    s->xx += p->product[RR];
    s->yy += p->product[CC];
    s->xy += p->product[RC];
}

/* ----------------------------------------------------------------- quality */

/* A box of the reference, px; right and bottom are exclusive. */
typedef struct overlap_box {
    int left, top, right, bottom;
} overlap_box;

static int both_show(const endo_frames *frames, const endo_transform *forward, int x, int y) {
    int width = frames->options.width, height = frames->options.height;
    double u, v;
    if (!frames->field[(size_t)y * width + x] || !endo_transform_point(forward, x, y, &u, &v)) return 0;
    if (!(u >= 0 && v >= 0 && u <= width - 1 && v <= height - 1)) return 0;
    return frames->field[(size_t)v * width + (size_t)u] != 0;
}

static overlap_box box_of(const endo_frames *frames, const endo_transform *forward) {
    int width = frames->options.width, height = frames->options.height;
    overlap_box b = {width, height, 0, 0};
    for (int y = 0; y < height; y += BOX_STEP)
        for (int x = 0; x < width; x += BOX_STEP) {
            if (!both_show(frames, forward, x, y)) continue;
            b.left = x < b.left ? x : b.left;
            b.right = x + BOX_STEP > b.right ? x + BOX_STEP : b.right;
            b.top = y < b.top ? y : b.top;
            b.bottom = y + BOX_STEP;
        }
    if (b.right > width) b.right = width;
    if (b.bottom > height) b.bottom = height;
    return b;
}

/* The largest side of patches that divide a length nearly evenly. */
static int side_for(int length) {
    int count = (length + ENDO_PATCH_MOST_SIDE - 1) / ENDO_PATCH_MOST_SIDE;
    return count ? length / count : 0;
}

static void fill_template(const overlap_box *t, int owner, squares *s) {
    int width = t->right - t->left, height = t->bottom - t->top, columns = width / s->side, rows = height / s->side;
    for (int i = 0; i < columns * rows; i++)
        add_square(s, t->left + endo_patch_spread(i % columns, columns, width - s->side),
                   t->top + endo_patch_spread(i / columns, rows, height - s->side), owner);
}

/* Fills the templates of an overlap; there are no squares where it is too small. */
static endo_status fill_templates(const overlap_box *b, squares *s) {
    int w = b->right - b->left, h = b->bottom - b->top;
    int across = w > 0 ? side_for(w / TEMPLATES) : 0, down = h > 0 ? side_for(h / TEMPLATES) : 0;
    s->side = across < down ? across : down;
    endo_status status = take_squares(s, s->side < ENDO_PATCH_LEAST_SIDE ? 0 : (size_t)(w / s->side) * (size_t)(h / s->side));
    for (int k = 0; k < TEMPLATES * TEMPLATES && status == ENDO_OK && s->side >= ENDO_PATCH_LEAST_SIDE; k++) {
        int i = k % TEMPLATES, j = k / TEMPLATES;
        overlap_box t = {b->left + w * i / TEMPLATES, b->top + h * j / TEMPLATES, b->left + w * (i + 1) / TEMPLATES,
                         b->top + h * (j + 1) / TEMPLATES};
        fill_template(&t, k, s);
    }
    return status;
}

/* Mean coefficient of the templates of which half of the pixels count. */
static double mean_of(const squares *s, const endo_patch_sums *sums) {
    endo_sums templates[TEMPLATES * TEMPLATES];
    int64_t pixels[TEMPLATES * TEMPLATES] = {0};
    double sum = 0;
    int count = 0;
    memset(templates, 0, sizeof templates);
    for (int i = 0; i < s->n; i++) {
        add_sums(&sums[i], &templates[s->owner[i]]);
        pixels[s->owner[i]] += s->side * s->side;
    }
    for (int k = 0; k < TEMPLATES * TEMPLATES; k++) {
        double c = templates[k].n && 2 * templates[k].n >= pixels[k] ? endo_coefficient(&templates[k]) : NAN;
        if (c != c) continue;
        sum += c;
        count++;
    }
    return count ? sum / count : NAN;
}

/* Fills the squares of a pair: those of templates or of tiles. */
typedef endo_status (*fill_squares)(const endo_frames *frames, const endo_transform *forward, squares *s);

static endo_status fill_quality(const endo_frames *frames, const endo_transform *forward, squares *s) {
    overlap_box b = box_of(frames, forward);
    return fill_templates(&b, s);
}

/* The squares of a pair and their sums. Both are to be freed in any case. */
static endo_status observe_pair(endo_frames *frames, const endo_pair *pair, const endo_transform *transform,
                                fill_squares fill, squares *s, endo_patch_sums **sums) {
    endo_transform forward;
    squares none = {0};
    *s = none;
    *sums = NULL;
    if (!endo_transform_inverse(transform, &forward)) return ENDO_OK;
    endo_status status = endo_context_go_on(frames->context);
    if (status == ENDO_OK) status = fill(frames, &forward, s);
    if (status != ENDO_OK) return status;
    *sums = endo_alloc((size_t)s->n + 1, sizeof **sums);
    return *sums ? sum_squares(frames, pair, &forward, s, *sums) : endo_fail(ENDO_ERR_MEMORY, "no memory for %d patches", s->n);
}

endo_status endo_overlap_homography_quality(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms,
                                      size_t n, double *quality) {
    endo_status status = ENDO_OK;
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        squares s;
        endo_patch_sums *sums;
        status = observe_pair(frames, &pairs[i], &transforms[i], fill_quality, &s, &sums);
        if (status == ENDO_OK) quality[i] = mean_of(&s, sums);
        free_squares(&s);
        endo_free(sums);
    }
    return status;
}

/* --------------------------------------------------------------- agreement */

/* Tiles of the frame: those of the last column and row end at its edge and reach into those before them. */
static endo_status fill_tiles(const endo_frames *frames, const endo_transform *forward, squares *s) {
    int width = frames->options.width, height = frames->options.height, least = width < height ? width : height;
    int columns = (width + ENDO_AGREEMENT_TILE - 1) / ENDO_AGREEMENT_TILE;
    int rows = (height + ENDO_AGREEMENT_TILE - 1) / ENDO_AGREEMENT_TILE;
    (void)forward;
    s->side = least < ENDO_AGREEMENT_TILE ? least : ENDO_AGREEMENT_TILE;
    endo_status status = take_squares(s, s->side < ENDO_PATCH_LEAST_SIDE ? 0 : (size_t)columns * (size_t)rows);
    for (int i = 0; i < columns * rows && status == ENDO_OK && s->side >= ENDO_PATCH_LEAST_SIDE; i++) {
        int x = i % columns * ENDO_AGREEMENT_TILE, y = i / columns * ENDO_AGREEMENT_TILE;
        add_square(s, x + s->side > width ? width - s->side : x, y + s->side > height ? height - s->side : y, i);
    }
    return status;
}

/* endo_tile_differs in floating point: with so many pixels the products need more than 64 bits. */
static int differs(const endo_sums *s) {
    double n = (double)s->n, least = ENDO_AGREEMENT_CONTRAST * ENDO_PATCH_ONE * ENDO_PATCH_ONE * n * n;
    double dx = n * (double)s->xx - (double)s->x * (double)s->x, dy = n * (double)s->yy - (double)s->y * (double)s->y;
    double both = n * (double)s->xy - (double)s->x * (double)s->y;
    if (dx < least && dy < least) return 0;
    return both <= 0 || both * both < dx * dy / 4;
}

static endo_agreement agreement_of(const squares *s, const endo_patch_sums *sums) {
    endo_agreement found = {0, 0};
    for (int i = 0; i < s->n; i++) {
        endo_sums tile = {0, 0, 0, 0, 0, 0};
        add_sums(&sums[i], &tile);
        if (2 * tile.n < s->side * s->side) continue;
        found.tiles++;
        found.differing += differs(&tile);
    }
    return found;
}

endo_status endo_overlap_homography_agreement(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms,
                                        size_t n, endo_agreement *agreement) {
    endo_status status = ENDO_OK;
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        squares s;
        endo_patch_sums *sums;
        status = observe_pair(frames, &pairs[i], &transforms[i], fill_tiles, &s, &sums);
        if (status == ENDO_OK) agreement[i] = agreement_of(&s, sums);
        free_squares(&s);
        endo_free(sums);
    }
    return status;
}
