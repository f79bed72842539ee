/* Layers (pair_layers.h), in the level in which the judgement averages single pixels out. Patches that lie clearly elsewhere
 * than the map takes them are searched for by all shifts around no motion; where most of them agree on one
 * shift, a similarity is fitted to them, and each patch goes to the motion that leaves less of it unexplained. */
#include "pair_layers.h"

#include "base/transform.h"
#include "map_agreement.h"
#include "pair_refine.h"
#include "smooth_motion.h"

#include "base/math/median.h"

#include <math.h>
#include <string.h>

#define ACROSS ENDO_LAYER_ACROSS
#define MOST (ACROSS * ACROSS)
/* A patch lies elsewhere beyond so many deviations, squared, and px of the level. */
#define ELSEWHERE 25.0
#define ELSEWHERE_PIXELS 0.15
/* Patches that a motion has at least, and their share of those with texture. */
#define LEAST 6
#define LEAST_SHARE 0.08
/* The shifts that are searched, px of the level either way; patches that are asked, one in so many of them at first; the shifts
 * that are looked at closely; and from which coefficient a patch agrees. */
#define REACH 12
#define MOST_ASKED 36
#define ASKED_EVERY 2
#define BEST_SHIFTS 4
#define AGREES 0.5
/* Of the patches that are asked, so many must agree on a shift. */
#define MOST_AGREE 0.4
/* Rounds of the second motion, the first ones as a shift alone. */
#define ROUNDS 6
#define SHIFT_ROUNDS 3
/* What a motion leaves unexplained of a patch must be so many times as much as what the other one leaves. */
#define CLEARLY 1.5
/* From this coefficient on a motion explains a patch at all. */
#define EXPLAINS 0.4
/* Standard deviation, px of the level, of where the content of a patch lies that vouches for a motion. */
#define SURE 0.2
/* The longer side of the level, px, at least. */
#define LEAST_SIDE 100
/* Pairs whose patches are in memory at a time: some 60 kB each. */
#define AT_ONCE 128
/* Patches that tell a motion that changes smoothly over the frame, at least; and it explains this share of what the first
 * motion does. */
#define LEAST_SMOOTH 20
#define MOST_SMOOTH 0.7
/* Two motions that lie no further apart than this, px, after they were refined are one that bends: perspective, a lens. */
#define TOGETHER 2
/* Two motions that lie no further apart than this, px of the level, are one. */
#define APART 0.25

/* ---------------------------------------------------------------- observations */

/* What the patches of one pair say under a map. */
typedef struct observation {
    endo_patch patches[MOST];
    int is_known[MOST];        /* `patches` says where the content lies */
    double coefficient[MOST];  /* NaN: no texture */
} observation;

static endo_status ask(endo_frames *frames, const endo_patch_grid *g, const endo_patch_request *requests, size_t n,
                       endo_patch_sums *sums) {
    endo_patches_setup setup = {g->side};
    return n ? frames->context->kernels->batches->patches(frames->store, requests, n, &setup, sums) : ENDO_OK;
}

/* Of the sums of a pair's patches. */
static void take_sums(const endo_patch_grid *g, const endo_patch_sums *sums, observation *o) {
    double scale = (double)(1 << g->level);
    double precision = 1 / (scale * scale);
    for (size_t i = 0; i < g->n; i++) {
        endo_patch *p = &o->patches[i];
        o->coefficient[i] = endo_patch_coefficient(&sums[i], g->side);
        o->is_known[i] = endo_patch_measure(&sums[i], g->side, p);
        p->dx *= scale;
        p->dy *= scale;
        p->xx *= precision;
        p->xy *= precision;
        p->yy *= precision;
    }
}

static endo_status observe(endo_frames *frames, const endo_patch_grid *g, const endo_pair *pair, const endo_transform *map,
                           observation *o) {
    endo_patch_request requests[MOST];
    endo_patch_sums sums[MOST];
    endo_patch_grid_ask_map(g, pair, map, requests);
    ENDO_TRY(ask(frames, g, requests, g->n, sums));
    take_sums(g, sums, o);
    return ENDO_OK;
}

static int has_texture(const observation *o, size_t i) { return o->coefficient[i] == o->coefficient[i]; }

/* Squared distance from where the map takes a patch, by its precision. */
static double distance_of(const endo_patch *p) {
    return p->dx * p->dx * p->xx + 2 * p->dx * p->dy * p->xy + p->dy * p->dy * p->yy;
}

static int is_far(const endo_patch_grid *g, const endo_patch *p) {
    return distance_of(p) > ELSEWHERE && hypot(p->dx, p->dy) > ELSEWHERE_PIXELS * (1 << g->level);
}

static int lies_elsewhere(const endo_patch_grid *g, const observation *o, size_t i) {
    const endo_patch *p = &o->patches[i];
    if (!has_texture(o, i)) return 0;
    return !o->is_known[i] || is_far(g, p);
}

/* It says for sure that it goes where the map takes it. */
static int vouches(const endo_patch_grid *g, const observation *o, size_t i) {
    const endo_patch *p = &o->patches[i];
    double half = (p->xx + p->yy) / 2;
    double least = half - sqrt((p->xx - p->yy) * (p->xx - p->yy) / 4 + p->xy * p->xy);
    double pixel = SURE * (1 << g->level);
    return o->coefficient[i] > EXPLAINS && o->is_known[i] && least * pixel * pixel >= 1 && !lies_elsewhere(g, o, i);
}

/* ------------------------------------------------------------------- the search */

typedef struct search {
    size_t which[MOST]; /* patches that lie elsewhere */
    size_t n;
    size_t asked[MOST_ASKED];
    size_t n_asked;
} search;

static void choose_asked(search *s) {
    s->n_asked = s->n < MOST_ASKED ? s->n : MOST_ASKED;
    for (size_t i = 0; i < s->n_asked; i++) s->asked[i] = s->which[i * s->n / s->n_asked];
}

/* How well the asked patches agree on a shift: the number that do, and the sum of what they explain. */
typedef struct vote {
    int x, y;
    size_t agree;
    double sum;
} vote;

/* Votes of every so-many-th asked patch for n shifts. */
static endo_status count_votes(endo_frames *frames, const endo_patch_grid *g, const endo_pair *pair, const search *s, size_t every,
                               vote *votes, size_t n) {
    size_t asked = (s->n_asked + every - 1) / every;
    endo_patch_request *requests = endo_alloc(n * asked, sizeof *requests);
    endo_patch_sums *sums = endo_alloc(n * asked, sizeof *sums);
    endo_status status = requests && sums ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for the motions of a pair");
    for (size_t k = 0; k < n && status == ENDO_OK; k++) {
        endo_patch_request all[MOST];
        const int moved[2] = {votes[k].x, votes[k].y};
        endo_patch_grid_ask(g, pair, endo_transform_still.matrix, moved, all);
        for (size_t i = 0; i < asked; i++) requests[k * asked + i] = all[s->asked[i * every]];
    }
    if (status == ENDO_OK) status = ask(frames, g, requests, n * asked, sums);
    for (size_t k = 0; k < n && status == ENDO_OK; k++) {
        votes[k].agree = 0;
        votes[k].sum = 0;
        for (size_t i = 0; i < asked; i++) {
            double c = endo_patch_coefficient(&sums[k * asked + i], g->side);
            if (!(c > AGREES)) continue;
            votes[k].agree++;
            votes[k].sum += -log(1.0001 - c * c);
        }
    }
    endo_free(requests);
    endo_free(sums);
    return status;
}

static size_t best_vote(const vote *votes, size_t n) {
    size_t best = 0;
    for (size_t k = 1; k < n; k++)
        if (votes[k].sum > votes[best].sum) best = k;
    return best;
}

/* The shift around no motion on which most patches agree, px of the level: some patches are asked about every other shift, and
 * all of them about those beside the best of these. *agree: how many. */
static endo_status find_shift(endo_frames *frames, const endo_patch_grid *g, const endo_pair *pair, const search *s,
                              int shift[2], size_t *agree) {
    vote coarse[(REACH + 1) * (REACH + 1)], fine[9 * BEST_SHIFTS];
    size_t n = 0;
    size_t n_fine = 0;
    for (int y = -REACH; y <= REACH; y += 2)
        for (int x = -REACH; x <= REACH; x += 2) coarse[n++] = (vote){.x = x, .y = y};
    ENDO_TRY(count_votes(frames, g, pair, s, ASKED_EVERY, coarse, n));
    for (int k = 0; k < BEST_SHIFTS; k++) {
        vote *best = &coarse[best_vote(coarse, n)];
        for (int i = 0; i < 9; i++) fine[n_fine++] = (vote){.x = best->x + i % 3 - 1, .y = best->y + i / 3 - 1};
        best->sum = -1;
    }
    ENDO_TRY(count_votes(frames, g, pair, s, 1, fine, n_fine));
    const vote *best = &fine[best_vote(fine, n_fine)];
    *agree = best->agree;
    shift[0] = best->x;
    shift[1] = best->y;
    return ENDO_OK;
}

/* ---------------------------------------------------------------------- a fit */

/* The map of a class that takes patches where their content lies; robust: Tukey's weights about the median. 0: there is none. */
static int fit(const endo_patch_grid *g, const observation *o, const size_t *which, size_t n, endo_transform_class kind,
               endo_transform *map) {
    double from[2 * MOST], to[2 * MOST], weights[MOST], rest[MOST], room[MOST];
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        const endo_patch *p = &o->patches[which[i]];
        double x, y;
        if (!o->is_known[which[i]]) continue;
        endo_patch_grid_position(g, which[i], &x, &y);
        from[2 * count] = x;
        from[2 * count + 1] = y;
        endo_affine_apply(map->matrix, x + p->dx, y + p->dy, &to[2 * count], &to[2 * count + 1]);
        weights[count++] = 1;
    }
    if (count < LEAST) return 0;
    for (int round = 0; round < 4; round++) {
        if (!endo_transform_solve(from, to, weights, count, kind, map)) return 0;
        for (size_t i = 0; i < count; i++) {
            double u, v;
            endo_affine_apply(map->matrix, from[2 * i], from[2 * i + 1], &u, &v);
            rest[i] = hypot(u - to[2 * i], v - to[2 * i + 1]);
        }
        double reach = 3 * endo_median(rest, room, count) + 0.05 * (1 << g->level);
        for (size_t i = 0; i < count; i++) {
            double r = rest[i] / reach;
            weights[i] = r < 1 ? (1 - r * r) * (1 - r * r) : 0;
        }
    }
    return 1;
}

/* ---------------------------------------------------------------------- labels */

/* What a motion leaves unexplained of a patch. */
static double left_by(const observation *o, size_t i) {
    double c = o->coefficient[i];
    return c == c && c > 0 ? 1.0001 - c * c : 1.0001;
}

static void count_layers(const endo_patch_grid *g, const observation *one, const observation *two, int *first, int *second,
                         uint8_t *labels) {
    *first = *second = 0;
    for (size_t i = 0; i < g->n; i++) {
        double a = left_by(one, i);
        double b = left_by(two, i);
        labels[i] = 0;
        if (one->coefficient[i] > EXPLAINS && a * CLEARLY < b) labels[i] = 1;
        if (two->coefficient[i] > EXPLAINS && b * CLEARLY < a) labels[i] = 2;
        *first += labels[i] == 1;
        *second += labels[i] == 2;
    }
}

static size_t with_label(const uint8_t *labels, size_t n, int label, size_t *which) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (labels[i] == label) which[count++] = i;
    return count;
}

/* No patch lies in or beside a cell. */
#define NOWHERE MOST

/* The cells of frames of one size, the same for every pair. */
typedef struct cell_layout {
    int columns;
    int rows;
    size_t nearest[MOST]; /* the patch nearest to the middle of each cell, or NOWHERE */
} cell_layout;

static size_t nearest_patch(const endo_patch_grid *g, const cell_layout *layout, int cell) {
    double x = (cell % layout->columns + 0.5) * g->width / layout->columns - 0.5;
    double y = (cell / layout->columns + 0.5) * g->height / layout->rows - 0.5;
    double least = INFINITY;
    size_t nearest = NOWHERE;
    for (size_t i = 0; i < g->n; i++) {
        double u, v;
        endo_patch_grid_position(g, i, &u, &v);
        double far = hypot(u - x, v - y);
        if (!(far < least)) continue;
        least = far;
        nearest = i;
    }
    return least > (double)g->width / layout->columns ? NOWHERE : nearest;
}

static void lay_cells(const endo_patch_grid *g, cell_layout *layout) {
    int wide = g->width >= g->height;
    int shorter = ACROSS * (wide ? g->height : g->width) / (wide ? g->width : g->height);
    if (shorter < 1) shorter = 1;
    layout->columns = wide ? ACROSS : shorter;
    layout->rows = wide ? shorter : ACROSS;
    for (int c = 0; c < layout->columns * layout->rows; c++) layout->nearest[c] = nearest_patch(g, layout, c);
}

static endo_layers one_motion(const cell_layout *layout) {
    return (endo_layers){
        .count = 1,
        .columns = layout->columns,
        .rows = layout->rows,
    };
}

/* Cells have what the patches nearest to their middles say. */
static void fill_cells(const cell_layout *layout, const uint8_t *labels, endo_layers *out) {
    for (int c = 0; c < layout->columns * layout->rows; c++)
        out->cells[c] = layout->nearest[c] == NOWHERE ? 0 : labels[layout->nearest[c]];
}

/* ------------------------------------------------------------------------ pairs */

typedef struct finder {
    observation first, second;
    search search;
    uint8_t labels[MOST];
} finder;

/* From a shift that most patches agree on to a second motion; *found: it is one, and labels say where. */
static endo_status follow(endo_frames *frames, const endo_patch_grid *g, const endo_pair *pair, const endo_transform *first,
                          const int shift[2], finder *f, endo_transform *second, int *found) {
    endo_frame_size size = {g->width, g->height};
    int textured = 0;
    int n_first = 0, n_second = 0;
    size_t which[MOST];
    size_t n = f->search.n;
    memcpy(which, f->search.which, n * sizeof *which);
    *found = 0;
    *second = endo_transform_still;
    second->matrix[2] = shift[0] * (double)(1 << g->level);
    second->matrix[5] = shift[1] * (double)(1 << g->level);
    for (int round = 0; round < ROUNDS; round++) {
        ENDO_TRY(observe(frames, g, pair, second, &f->second));
        if (round > 0) {
            count_layers(g, &f->first, &f->second, &n_first, &n_second, f->labels);
            n = with_label(f->labels, g->n, 2, which);
        }
        if (round + 1 == ROUNDS) break;
        if (!fit(g, &f->second, which, n, round < SHIFT_ROUNDS ? ENDO_TRANSFORM_TRANSLATION : ENDO_TRANSFORM_SIMILARITY, second))
            return ENDO_OK;
    }
    for (size_t i = 0; i < g->n; i++) textured += has_texture(&f->first, i);
    if (n_first < LEAST || n_second < LEAST || n_second < LEAST_SHARE * textured) return ENDO_OK;
    *found = endo_map_distance(size, first, second) > APART * (1 << g->level);
    return ENDO_OK;
}

/* The smooth motion of the patches that a first motion finds. */
typedef struct smooth_patches {
    endo_smooth_motion motion;
    uint8_t goes[MOST]; /* 1: the patch goes with it */
} smooth_patches;

static int is_found(const observation *o, size_t i) { return o->is_known[i] && o->coefficient[i] > EXPLAINS; }

/* 0: no smooth motion explains what the first one does, and more. */
static int find_smooth(const endo_patch_grid *g, const observation *o, smooth_patches *s) {
    double points[2 * MOST], displacements[2 * MOST], weights[MOST], workspace[3 * MOST];
    size_t which[MOST];
    size_t n = 0;
    int near = 0, near_and_smooth = 0;
    memset(s->goes, 0, sizeof s->goes);
    for (size_t i = 0; i < g->n; i++) {
        if (!is_found(o, i)) continue;
        endo_patch_grid_position(g, i, &points[2 * n], &points[2 * n + 1]);
        displacements[2 * n] = o->patches[i].dx;
        displacements[2 * n + 1] = o->patches[i].dy;
        which[n++] = i;
    }
    if (n < LEAST_SMOOTH) return 0;
    s->motion = endo_smooth_motion_fit_robustly(points, displacements, weights, n, workspace);
    for (size_t k = 0; k < n; k++) {
        endo_patch rest = o->patches[which[k]];
        double left[2];
        endo_smooth_motion_rest(&s->motion, points + 2 * k, displacements + 2 * k, left);
        rest.dx = left[0];
        rest.dy = left[1];
        int is_near = !lies_elsewhere(g, o, which[k]);
        s->goes[which[k]] = !is_far(g, &rest);
        near += is_near;
        near_and_smooth += is_near && s->goes[which[k]];
    }
    return near_and_smooth >= MOST_SMOOTH * near;
}

/* Patches with texture that a motion does not take where they lie. */
static void find_elsewhere(const endo_patch_grid *g, const observation *o, search *s) {
    s->n = 0;
    for (size_t i = 0; i < g->n; i++)
        if (lies_elsewhere(g, o, i)) s->which[s->n++] = i;
}

/* Without the patches that go with a motion which changes smoothly over the frame. */
static void leave_out_smooth(const endo_patch_grid *g, const observation *o, search *s) {
    smooth_patches smooth;
    size_t n = 0;
    if (!find_smooth(g, o, &smooth)) return;
    for (size_t i = 0; i < s->n; i++)
        if (!smooth.goes[s->which[i]]) s->which[n++] = s->which[i];
    s->n = n;
}

static int is_enough(const search *s, size_t textured) {
    return s->n >= LEAST && (double)s->n >= LEAST_SHARE * (double)textured;
}

/* What the first motion alone says of a pair; 1: enough patches lie elsewhere for a second one. */
static int look(const endo_patch_grid *g, const cell_layout *layout, const endo_patch_sums *sums, finder *f, endo_layers *out) {
    size_t textured = 0;
    take_sums(g, sums, &f->first);
    for (size_t i = 0; i < g->n; i++) {
        textured += (size_t)has_texture(&f->first, i);
        f->labels[i] = (uint8_t)vouches(g, &f->first, i);
    }
    fill_cells(layout, f->labels, out);
    find_elsewhere(g, &f->first, &f->search);
    if (!is_enough(&f->search, textured)) return 0;
    leave_out_smooth(g, &f->first, &f->search);
    return is_enough(&f->search, textured);
}

/* Where `look` said that there may be a second motion. */
static endo_status find_second(endo_frames *frames, const endo_patch_grid *g, const cell_layout *layout, const endo_pair *pair,
                               const endo_transform *map, finder *f, endo_layers *out) {
    int shift[2] = {0, 0};
    int found = 0;
    size_t agree = 0;
    choose_asked(&f->search);
    ENDO_TRY(find_shift(frames, g, pair, &f->search, shift, &agree));
    if ((double)agree < MOST_AGREE * (double)f->search.n_asked) return ENDO_OK;
    ENDO_TRY(follow(frames, g, pair, map, shift, f, &out->second, &found));
    if (!found) return ENDO_OK;
    out->count = 2;
    fill_cells(layout, f->labels, out);
    return ENDO_OK;
}

/* In a smaller one there would be too few patches to say anything. */
static int level_for(const endo_frames *frames) {
    int width = frames->options.width;
    int height = frames->options.height;
    int longer = width > height ? width : height;
    int level = endo_patch_levels(width, height) - 1;
    while (level > 0 && longer >> level < LEAST_SIDE) level--;
    return level;
}

/* All first motions with one call. */
static endo_status find_some(endo_frames *frames, const endo_patch_grid *g, const cell_layout *layout, const endo_pair *pairs,
                             const endo_transform *maps, size_t n, finder *finders, endo_layers *layers) {
    endo_patch_request *requests = endo_alloc(n * g->n + 1, sizeof *requests);
    endo_patch_sums *sums = endo_alloc(n * g->n + 1, sizeof *sums);
    uint8_t *has_more = endo_alloc_zeroed(n + 1, 1);
    endo_status status = requests && sums && has_more ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for the motions of %zu pairs", n);
    size_t known = status == ENDO_OK ? n : 0;
#pragma omp parallel for num_threads(frames->context->threads) schedule(dynamic) if (n > 8)
    for (long i = 0; i < (long)known; i++) endo_patch_grid_ask_map(g, &pairs[i], &maps[i], requests + i * g->n);
    if (status == ENDO_OK) status = ask(frames, g, requests, n * g->n, sums);
    known = status == ENDO_OK ? n : 0;
#pragma omp parallel for num_threads(frames->context->threads) schedule(dynamic) if (n > 8)
    for (long i = 0; i < (long)known; i++)
        has_more[i] = maps[i].kind != ENDO_TRANSFORM_HOMOGRAPHY && look(g, layout, sums + i * g->n, &finders[i], &layers[i]);
    for (size_t i = 0; i < known && status == ENDO_OK; i++)
        if (has_more[i]) status = find_second(frames, g, layout, &pairs[i], &maps[i], &finders[i], &layers[i]);
    endo_free(requests);
    endo_free(sums);
    endo_free(has_more);
    return status;
}

endo_status endo_layers_find(endo_frames *frames, const endo_pair *pairs, const endo_transform *maps, size_t n,
                             endo_layers *layers) {
    endo_patch_grid g;
    cell_layout layout;
    finder *finders = endo_alloc(n < AT_ONCE ? n : AT_ONCE, sizeof *finders);
    endo_status status = endo_patch_grid_make(frames, level_for(frames), ACROSS, 1, &g);
    if (status == ENDO_OK && !finders) status = endo_fail(ENDO_ERR_MEMORY, "no memory for the motions of %zu pairs", n);
    if (status == ENDO_OK) lay_cells(&g, &layout);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) layers[i] = one_motion(&layout);
    for (size_t at = 0; at < n && g.n && status == ENDO_OK; at += AT_ONCE) {
        size_t count = n - at < AT_ONCE ? n - at : AT_ONCE;
        status = endo_context_go_on(frames->context);
        if (status == ENDO_OK) status = find_some(frames, &g, &layout, pairs + at, maps + at, count, finders, layers + at);
    }
    endo_patch_grid_free(&g);
    endo_free(finders);
    return status;
}

/* ------------------------------------------------------------------- separation */

/* The pairs that have two layers, and what is refined of them: of pair k of these, 2 k the first and 2 k + 1 the second. */
typedef struct separation {
    size_t n;
    size_t *which;
    endo_pair *pairs;
    endo_transform *maps;
    endo_layer_mask *masks;
    endo_pair_result *results;
} separation;

static void separation_free(separation *s) {
    endo_free(s->which);
    endo_free(s->pairs);
    endo_free(s->maps);
    endo_free(s->masks);
    endo_free(s->results);
}

static endo_status separation_create(size_t n, separation *s) {
    *s = (separation){
        .which = endo_alloc(n, sizeof *s->which),
        .pairs = endo_alloc(2 * n, sizeof *s->pairs),
        .maps = endo_alloc(2 * n, sizeof *s->maps),
        .masks = endo_alloc(2 * n, sizeof *s->masks),
        .results = endo_alloc(2 * n, sizeof *s->results),
    };
    if (s->which && s->pairs && s->maps && s->masks && s->results) return ENDO_OK;
    return endo_fail(ENDO_ERR_MEMORY, "no memory for the motions of %zu pairs", n);
}

static void add_layer(separation *s, const endo_pair *pair, const endo_transform *map, const endo_pair_layers *layers, int layer,
                      const endo_pair_result *result) {
    size_t at = 2 * s->n + (size_t)layer - 1;
    s->pairs[at] = *pair;
    s->maps[at] = *map;
    s->masks[at] = (endo_layer_mask){
        .columns = layers->columns,
        .rows = layers->rows,
        .layer = layer,
        .cells = layers->cells,
    };
    s->results[at] = *result;
}

/* Where both are registered, and still are two. */
static void take_layers(endo_frame_size size, const separation *s, size_t k, endo_pair_result *result, endo_pair_layers *layers) {
    const endo_pair_result *first = &s->results[2 * k];
    const endo_pair_result *second = &s->results[2 * k + 1];
    int is_lost = first->status == ENDO_PAIR_JUMP || second->status == ENDO_PAIR_JUMP;
    if (is_lost || !(endo_map_distance(size, &first->transform, &second->transform) > TOGETHER)) {
        layers->count = 1;
        for (int i = 0; i < ENDO_LAYER_CELLS; i++) layers->cells[i] = layers->cells[i] == 1;
        return;
    }
    *result = *first;
    layers->second = *second;
}

endo_status endo_layers_separate(endo_frames *frames, const endo_pair *pairs, size_t n, endo_transform_class kind,
                                 endo_pair_result *results, endo_pair_layers *layers) {
    endo_frame_size size = {frames->options.width, frames->options.height};
    separation s;
    endo_transform *maps = endo_alloc(n, sizeof *maps);
    endo_layers *found = endo_alloc(n, sizeof *found);
    endo_status status = separation_create(n, &s);
    if (status == ENDO_OK && (!maps || !found)) status = endo_fail(ENDO_ERR_MEMORY, "no memory for the motions of %zu pairs", n);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        memset(&layers[i], 0, sizeof layers[i]);
        if (!endo_transform_inverse(&results[i].transform, &maps[i])) maps[i] = endo_transform_still;
    }
    if (status == ENDO_OK) status = endo_layers_find(frames, pairs, maps, n, found);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        int is_lost = results[i].status == ENDO_PAIR_JUMP || results[i].status == ENDO_PAIR_NO_TEXTURE;
        layers[i].count = 1;
        memcpy(layers[i].cells, found[i].cells, sizeof layers[i].cells);
        layers[i].columns = found[i].columns;
        layers[i].rows = found[i].rows;
        if (is_lost || found[i].count < 2) continue;
        layers[i].count = 2;
        endo_transform first;
        if (!endo_map_nearest_over_frame(size, &maps[i], ENDO_TRANSFORM_SIMILARITY, &first)) first = maps[i];
        add_layer(&s, &pairs[i], &first, &layers[i], 1, &results[i]);
        add_layer(&s, &pairs[i], &found[i].second, &layers[i], 2, &results[i]);
        s.which[s.n++] = i;
    }
    if (status == ENDO_OK && s.n) status = endo_pairs_refine_layers(frames, s.pairs, s.maps, s.masks, 2 * s.n, kind, s.results);
    for (size_t k = 0; k < s.n && status == ENDO_OK; k++) take_layers(size, &s, k, &results[s.which[k]], &layers[s.which[k]]);
    separation_free(&s);
    endo_free(maps);
    endo_free(found);
    return status;
}

endo_status endo_layers_register(endo_frames *frames, const endo_pair *pairs, const endo_transform *starts,
                                 const endo_pair_layers *layers, size_t n, endo_transform_class kind,
                                 endo_pair_result *results) {
    endo_frame_size size = {frames->options.width, frames->options.height};
    endo_transform *maps = endo_alloc(n, sizeof *maps);
    endo_layer_mask *masks = endo_alloc(n, sizeof *masks);
    endo_status status = maps && masks ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for the motions of %zu pairs", n);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        endo_transform map;
        if (!endo_transform_inverse(&starts[i], &map)) map = endo_transform_still;
        if (!endo_map_nearest_over_frame(size, &map, ENDO_TRANSFORM_SIMILARITY, &maps[i])) maps[i] = endo_transform_still;
        masks[i] = (endo_layer_mask){
            .columns = layers[i].columns,
            .rows = layers[i].rows,
            .layer = 2,
            .cells = layers[i].cells,
        };
    }
    if (status == ENDO_OK) status = endo_pairs_refine_layers(frames, pairs, maps, masks, n, kind, results);
    endo_free(maps);
    endo_free(masks);
    return status;
}
