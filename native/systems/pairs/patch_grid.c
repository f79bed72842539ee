#include "patch_grid.h"

/* The farthest that a request says, px of a level. */
#define FAR_AWAY 16000.0

/* Side of the patches of a level, px: larger where there are pixels enough. */
static int side_for(int width, int level) {
    if (level > 0) return 12;
    return width <= 400 ? 16 : 24;
}

static int least(int a, int b) { return a < b ? a : b; }

/* Patches across a long frame, if they fit. */
#define LEAST_ACROSS 3

/* How many patches along a side. Above level 0 they overlap by a third. */
static int count_along(int length, int longer, const endo_patch_grid *g, int across) {
    int fit = g->level == 0 ? length / g->side : 3 * length / (2 * g->side);
    int even = across * length / longer;
    int n = least(fit, even < LEAST_ACROSS ? LEAST_ACROSS : even);
    return n < 1 ? 1 : n;
}

endo_status endo_patch_grid_make(const endo_frames *frames, int level, int across, int every, endo_patch_grid *g) {
    int width = frames->options.width, height = frames->options.height, w = width >> level, h = height >> level;
    int longer = w > h ? w : h;
    endo_patch_grid made = {
        .level = level,
        .side = least(side_for(width, level), least(w, h)),
        .cpu = frames->context->cpu,
        .width = width,
        .height = height,
        .middle = {(width - 1) / 2.0, (height - 1) / 2.0},
        .half = (width > height ? width : height) / 2.0,
    };
    int columns = count_along(w, longer, &made, across), rows = count_along(h, longer, &made, across);
    made.positions = endo_alloc((size_t)2 * (size_t)(columns * rows), sizeof *made.positions);
    *g = made;
    if (!made.positions) return endo_fail(ENDO_ERR_MEMORY, "no memory for patches");
    for (int i = 0; i < columns * rows; i++) {
        int x = endo_patch_spread(i % columns, columns, w - made.side), y = endo_patch_spread(i / columns, rows, h - made.side);
        size_t u = (size_t)(x + made.side / 2) << level, v = (size_t)(y + made.side / 2) << level;
        if ((i % columns + i / columns) % every != 0 || !frames->field[v * (size_t)width + u]) continue;
        g->positions[2 * g->n] = x;
        g->positions[2 * g->n + 1] = y;
        g->n++;
    }
    return ENDO_OK;
}

void endo_patch_grid_free(endo_patch_grid *g) { endo_free(g->positions); }

void endo_patch_grid_position(const endo_patch_grid *g, size_t i, double *x, double *y) {
    *x = endo_level_up(g->level, g->positions[2 * i] + (g->side - 1) / 2.0);
    *y = endo_level_up(g->level, g->positions[2 * i + 1] + (g->side - 1) / 2.0);
}

static endo_patch_request begin_request(const endo_patch_grid *g, const endo_pair *pair, const double map[6]) {
    return (endo_patch_request){
        .reference = pair->reference,
        .current = pair->current,
        .level = g->level,
        .step = {endo_fixed16(map[0], 8), endo_fixed16(map[3], 8), endo_fixed16(map[1], 8), endo_fixed16(map[4], 8)},
    };
}

/* Sets where a patch is and goes: exact in its middle, so that the rounding of the steps has no bias. */
static void position_request(const endo_patch_grid *g, size_t i, const double map[6], const int shift[2],
                          endo_patch_request *r) {
    double to[2], middle = (g->side - 1) / 2.0;
    endo_patch_grid_position(g, i, &to[0], &to[1]);
    endo_affine_apply(map, to[0], to[1], &to[0], &to[1]);
    r->x = g->positions[2 * i];
    r->y = g->positions[2 * i + 1];
    for (int k = 0; k < 2; k++)
        r->at[k] = endo_fixed16(endo_level_down(g->level, to[k]) + shift[k] -
                                    middle * (r->step[k] + r->step[2 + k]) / 65536, 16000);
}

void endo_patch_grid_ask(const endo_patch_grid *g, const endo_pair *pair, const double map[6], const int shift[2],
                         endo_patch_request *requests) {
    endo_patch_request r = begin_request(g, pair, map);
    for (size_t i = 0; i < g->n; i++) {
        position_request(g, i, map, shift, &r);
        requests[i] = r;
    }
}

/* The affine map nearest to a homography over a patch whose middle is (x, y): the derivative there, and the mean over the
 * patch. side: px of the whole frame. */
static int affine_at_patch(const endo_transform *map, double x, double y, double side, endo_transform *near) {
    const double *m = map->matrix;
    double w = m[6] * x + m[7] * y + m[8], part = side * side / (12 * w);
    if (!endo_transform_nearest(map, ENDO_TRANSFORM_AFFINE, x, y, near)) return 0;
    double *l = near->matrix; /* half of the sum of the second derivatives is -(l g) / w */
    l[2] -= part * (l[0] * m[6] + l[1] * m[7]);
    l[5] -= part * (l[3] * m[6] + l[4] * m[7]);
    return 1;
}

void endo_patch_grid_ask_moved(const endo_patch_grid *g, const endo_pair *pair, const endo_transform *map, const double *moved,
                               endo_patch_request *requests) {
    static const double nowhere[6] = {1, 0, -1e6, 0, 1, -1e6};
    static const int none[2] = {0, 0};
    for (size_t i = 0; i < g->n; i++) {
        double x, y;
        endo_transform near = *map;
        endo_patch_grid_position(g, i, &x, &y);
        int is_seen = map->kind != ENDO_TRANSFORM_HOMOGRAPHY ||
                      affine_at_patch(map, x, y, (double)(g->side << g->level), &near);
        double *m = near.matrix;
        for (int k = 0; moved && k < 2; k++) m[3 * k + 2] += m[3 * k] * moved[2 * i] + m[3 * k + 1] * moved[2 * i + 1];
        requests[i] = begin_request(g, pair, is_seen ? m : nowhere);
        position_request(g, i, is_seen ? m : nowhere, none, &requests[i]);
    }
}

void endo_patch_grid_ask_map(const endo_patch_grid *g, const endo_pair *pair, const endo_transform *map,
                             endo_patch_request *requests) {
    static const int none[2] = {0, 0};
    if (map->kind == ENDO_TRANSFORM_HOMOGRAPHY)
        endo_patch_grid_ask_moved(g, pair, map, NULL, requests);
    else
        endo_patch_grid_ask(g, pair, map->matrix, none, requests);
}

static int cell_at(double at, int length, int cells) {
    int i = (int)((at + 0.5) * cells / length);
    return i < 0 ? 0 : i < cells ? i : cells - 1;
}

void endo_patch_grid_hide(const endo_patch_grid *g, const endo_layer_mask *mask, endo_patch_request *requests) {
    for (size_t i = 0; i < g->n; i++) {
        double x, y;
        endo_patch_grid_position(g, i, &x, &y);
        int cell = cell_at(y, g->height, mask->rows) * mask->columns + cell_at(x, g->width, mask->columns);
        if (mask->cells[cell] == mask->layer) continue;
        requests[i].at[0] = endo_fixed16(-FAR_AWAY, FAR_AWAY);
        requests[i].at[1] = endo_fixed16(-FAR_AWAY, FAR_AWAY);
    }
}

size_t endo_patch_grid_measure(const endo_patch_grid *g, const endo_patch_sums *sums, endo_patch *patches) {
    double scale = (double)(1 << g->level), precision = 1 / (scale * scale);
    endo_patch measured[2];
    int known[2];
    size_t n = 0;
    for (size_t i = 0; i < g->n; i++) {
        if (i % 2 == 0) endo_patch_measure_two(&sums[i], &sums[i + 1 < g->n ? i + 1 : i], g->side, measured, known);
        if (!known[i % 2]) continue;
        endo_patch *p = &patches[n];
        *p = measured[i % 2];
        endo_patch_grid_position(g, i, &p->x, &p->y);
        p->x = (p->x - g->middle[0]) / g->half;
        p->y = (p->y - g->middle[1]) / g->half;
        p->dx *= scale;
        p->dy *= scale;
        p->xx *= precision;
        p->xy *= precision;
        p->yy *= precision;
        p->noise *= precision;
        n++;
    }
    return n;
}
