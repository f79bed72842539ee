#include "pair_homography.h"

#include "distortion_fit.h"
#include "map_agreement.h"

#include <math.h>

/* Memory of a level's rounds. */
typedef struct homography_workspace {
    size_t *which; /* refinements that are not done */
    endo_patch_request *requests;
    endo_patch_sums *sums;
    endo_patch *patches;
    double *numbers;
} homography_workspace;

static void workspace_free(homography_workspace *workspace) {
    endo_free(workspace->which);
    endo_free(workspace->requests);
    endo_free(workspace->sums);
    endo_free(workspace->patches);
    endo_free(workspace->numbers);
}

/* Memory for n pairs. To be freed in any case. */
static endo_status workspace_create(homography_workspace *workspace, size_t n, size_t patches) {
    homography_workspace made = {
        .which = endo_alloc(n, sizeof *made.which),
        .requests = endo_alloc(n * patches + 1, sizeof *made.requests),
        .sums = endo_alloc(n * patches + 1, sizeof *made.sums),
        .patches = endo_alloc(n * patches + 1, sizeof *made.patches),
        .numbers = endo_alloc(n * ENDO_DISTORTION_WORKSPACE(patches), sizeof *made.numbers),
    };
    *workspace = made;
    if (made.which && made.requests && made.sums && made.patches && made.numbers) return ENDO_OK;
    return endo_fail(ENDO_ERR_MEMORY, "no memory to refine %zu pairs", n);
}

/* ------------------------------------------------------------------- steps */

/* Length of a step: about the most that it moves along the edges of the frame, px. */
static double length_of(const endo_distortion *b) {
    double sum = 0;
    for (int i = 0; i < b->n; i++) sum += b->parameters[i] * b->parameters[i];
    return sqrt(sum);
}

/* Appends the step, which moves c + q of the current frame to c + (q + shift + linear q) / (1 - g q), to the map. 0: the
 * result does not show the frame. */
static int move(const endo_patch_grid *g, const endo_distortion *b, endo_transform *map) {
    endo_frame_size size = {g->width, g->height};
    const double *v = b->parameters, s = 1 / g->half, *c = g->middle;
    endo_transform to_middle = {ENDO_TRANSFORM_TRANSLATION, {1, 0, -c[0], 0, 1, -c[1], 0, 0, 1}}, moved;
    endo_transform from_middle = {ENDO_TRANSFORM_TRANSLATION, {1, 0, c[0], 0, 1, c[1], 0, 0, 1}};
    endo_transform step = {ENDO_TRANSFORM_HOMOGRAPHY, {1 + s * v[1], s * v[2], v[0], s * v[4], 1 + s * v[5], v[3],
                                                       -s * s * v[6], -s * s * v[7], 1}};
    if (!endo_transform_product(map, &to_middle, &moved) || !endo_transform_product(&moved, &step, &moved) ||
        !endo_transform_product(&moved, &from_middle, &moved) || !endo_map_shows_frame(size, &moved))
        return 0;
    *map = moved;
    return 1;
}

/* The part of a deviation, px, that is due to perspective. */
static double perspective_part(const endo_patch_grid *g, const endo_distortion *b, double deviation) {
    double known = endo_level_deviation(g->level, endo_distortion_affine_variance(b, g->width, g->height, g->half));
    return deviation > known ? sqrt(deviation * deviation - known * known) : 0;
}

static void take_step(const endo_patch_grid *g, const endo_distortion *b, int is_last, endo_refinement *r) {
    endo_transform moved = r->map;
    double length = b ? length_of(b) : 0;
    int is_good = b && !endo_step_is_wild(g->level, length) && move(g, b, &moved);
    r->round++;
    r->is_done = is_last && !is_good;
    if (!is_good) return;
    r->map = moved;
    r->last = endo_level_deviation(g->level, endo_distortion_variance(b, g->width, g->height, g->half));
    if (!is_last || (!endo_step_is_settled(endo_step_rest(length, b->share)) && r->round < ENDO_MOST_ROUNDS)) return;
    r->deviation = r->last;
    r->perspective = perspective_part(g, b, r->deviation);
    r->share = b->share;
    r->relief = b->relief;
    r->is_done = 1;
}

/* ------------------------------------------------------------------ rounds */

static void step_pair(const endo_patch_grid *g, homography_workspace *workspace, size_t i, int is_last, endo_refinement *r) {
    endo_distortion b;
    endo_patch *patches = workspace->patches + i * g->n;
    size_t n = endo_patch_grid_measure(g, workspace->sums + i * g->n, patches);
    int is_fitted = endo_distortion_fit(g->cpu, patches, n, &r->map, g->middle, g->half, ENDO_DISTORTION_PERSPECTIVE,
                                  workspace->numbers + i * ENDO_DISTORTION_WORKSPACE(g->n), &b);
    take_step(g, is_fitted ? &b : NULL, is_last, r);
}

/* One round. *count: how many refinements were not done before it. */
static endo_status run_round(endo_frames *frames, const endo_pair *pairs, const endo_patch_grid *g, int is_last,
                             homography_workspace *workspace, endo_refinement *all, size_t n, size_t *count) {
    endo_patches_setup setup = {g->side};
    endo_status status = endo_context_go_on(frames->context);
    *count = 0;
    for (size_t i = 0; i < n; i++)
        if (!all[i].is_done) workspace->which[(*count)++] = i;
    if (status != ENDO_OK || *count == 0 || g->n == 0) return status;
#pragma omp parallel for num_threads(frames->context->threads) schedule(dynamic) if (*count > 8)
    for (long i = 0; i < (long)*count; i++) {
        const endo_refinement *r = &all[workspace->which[i]];
        endo_patch_grid_ask_map(g, &pairs[r->pair], &r->map, workspace->requests + i * g->n);
    }
    status = frames->context->kernels->batches->patches(frames->store, workspace->requests, *count * g->n, &setup,
                                                        workspace->sums);
    if (status != ENDO_OK) return status;
#pragma omp parallel for num_threads(frames->context->threads) schedule(dynamic) if (*count > 8)
    for (long i = 0; i < (long)*count; i++) step_pair(g, workspace, i, is_last, &all[workspace->which[i]]);
    return ENDO_OK;
}

endo_status endo_homography_level_run(endo_frames *frames, const endo_pair *pairs, int level, int across, int every,
                                      int is_last, endo_refinement *all, size_t n) {
    endo_patch_grid g;
    homography_workspace workspace = {0};
    endo_status status = endo_patch_grid_make(frames, level, across, every, &g);
    if (status == ENDO_OK) status = workspace_create(&workspace, n, g.n);
    int rounds = is_last ? ENDO_MOST_ROUNDS : 1;
    size_t count = n;
    for (size_t i = 0; i < n; i++) all[i].map.kind = ENDO_TRANSFORM_HOMOGRAPHY;
    for (int round = 0; round < rounds && count && status == ENDO_OK; round++)
        status = run_round(frames, pairs, &g, is_last, &workspace, all, n, &count);
    workspace_free(&workspace);
    endo_patch_grid_free(&g);
    return status;
}
