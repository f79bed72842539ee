/* Steps (pair_steps.h): by a device in one call, else by one batch of patches and fits on the CPU. */
#include "pair_steps.h"

#include <math.h>
#include <string.h>

/* Fewest pairs for a device: fewer are done sooner on the CPU. */
#define LEAST_FOR_DEVICE 3

static endo_step_setup setup_of(const endo_patch_grid *g, int is_scored) {
    return (endo_step_setup){
        .level = g->level,
        .side = g->side,
        .n = (int32_t)g->n,
        .is_scored = is_scored,
        .positions = g->positions,
        .middle = {g->middle[0], g->middle[1]},
        .half = g->half,
    };
}

double endo_score_log(const endo_score *s) {
    return log(s->mantissa) + (double)(s->exponent * ENDO_SCORE_BITS) * 0.69314718055994531;
}

void endo_step_workspace_free(endo_step_workspace *workspace) {
    static const endo_step_workspace none = {0};
    endo_free(workspace->requests);
    endo_free(workspace->sums);
    endo_free(workspace->patches);
    endo_free(workspace->numbers);
    *workspace = none;
}

/* Makes the memory at least large enough for so many pairs and n patches of all of them; its contents are lost. */
static endo_status reserve(endo_step_workspace *workspace, size_t pairs, size_t n) {
    if (workspace->pairs >= pairs && workspace->patches_of_all >= n) return ENDO_OK;
    int is_host = workspace->is_host;
    const endo_layer_mask *const *masks = workspace->masks;
    if (pairs < workspace->pairs) pairs = workspace->pairs;
    if (n < workspace->patches_of_all) n = workspace->patches_of_all;
    endo_step_workspace_free(workspace);
    endo_step_workspace made = {
        .is_host = is_host,
        .masks = masks,
        .pairs = pairs,
        .patches_of_all = n,
        .requests = endo_alloc(n, sizeof *workspace->requests),
        .sums = endo_alloc(n, sizeof *workspace->sums),
        .patches = endo_alloc(n, sizeof *workspace->patches),
        .numbers = endo_alloc(pairs * ENDO_PATCH_FIT_WORKSPACE(0) + ENDO_PATCH_FIT_WORKSPACE(n), sizeof *workspace->numbers),
    };
    *workspace = made;
    if (made.requests && made.sums && made.patches && made.numbers) return ENDO_OK;
    endo_step_workspace_free(workspace);
    return endo_fail(ENDO_ERR_MEMORY, "no memory to refine %zu pairs", pairs);
}

static endo_score score_of(const endo_patch *patches, size_t n) {
    endo_score s = endo_score_begin();
    for (size_t i = 0; i < n; i++) endo_score_add(&s, patches[i].coefficient);
    return s;
}

/* The step of one pair from the sums of its patches. */
static endo_step_result fit(const endo_patch_grid *g, const endo_step_request *q, const endo_patch_sums *sums,
                            int is_scored, endo_patch *patches, double *numbers) {
    endo_step_result r;
    memset(&r, 0, sizeof r);
    size_t n = endo_patch_grid_measure(g, sums, patches);
    r.score = is_scored ? score_of(patches, n) : endo_score_begin();
    r.is_fitted = endo_patch_fit(g->cpu, patches, n, (endo_transform_class)q->kind, numbers, &r.motion);
    return r;
}

static endo_status step_here(endo_frames *frames, const endo_patch_grid *g, int is_scored, endo_step_workspace *workspace,
                             const endo_step_request *requests, size_t n, endo_step_result *results) {
    static const int none[2] = {0, 0};
    endo_patches_setup setup = {g->side};
    endo_status status = reserve(workspace, n, n * g->n);
    if (status != ENDO_OK) return status;
#pragma omp parallel for num_threads(frames->context->threads) schedule(dynamic) if (n > 8)
    for (long i = 0; i < (long)n; i++) {
        endo_pair pair = {requests[i].reference, requests[i].current};
        endo_patch_grid_ask(g, &pair, requests[i].map, none, workspace->requests + i * g->n);
        if (workspace->masks) endo_patch_grid_hide(g, workspace->masks[i], workspace->requests + i * g->n);
    }
    if (g->n)
        status = frames->context->kernels->batches->patches(frames->store, workspace->requests, n * g->n, &setup,
                                                            workspace->sums);
    if (status != ENDO_OK) return status;
#pragma omp parallel for num_threads(frames->context->threads) schedule(dynamic) if (n > 8)
    for (long i = 0; i < (long)n; i++)
        results[i] = fit(g, &requests[i], workspace->sums + i * g->n, is_scored, workspace->patches + i * g->n,
                         workspace->numbers + i * ENDO_PATCH_FIT_WORKSPACE(g->n));
    return ENDO_OK;
}

endo_status endo_pair_steps(endo_frames *frames, const endo_patch_grid *g, int is_scored, endo_step_workspace *workspace,
                            const endo_step_request *requests, size_t n, endo_step_result *results) {
    const endo_batch_kernels *batches = frames->context->kernels->batches;
    endo_step_setup setup = setup_of(g, is_scored);
    if (batches->steps && !workspace->is_host && !workspace->masks && n >= LEAST_FOR_DEVICE) {
        endo_status status = batches->steps(frames->store, requests, n, &setup, results);
        if (status != ENDO_ERR_UNSUPPORTED) return status;
        workspace->is_host = 1;
    }
    return step_here(frames, g, is_scored, workspace, requests, n, results);
}
