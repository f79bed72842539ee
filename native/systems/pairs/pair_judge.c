#include "pair_judge.h"

#include "patch_grid.h"

#include "base/math/median.h"

#include <math.h>

/* Patches along the longer side; FEW_ACROSS of them first, which decide the clear pairs. */
#define ACROSS 14
#define FEW_ACROSS 7
/* Factor by which a clear pair exceeds what is required. */
#define CLEARLY 1.5
/* A patch that moves by less, px, cannot tell motion from none. */
#define STIRS 1.5
/* Fewest patches from which a mean is taken. */
#define LEAST 6
/* The coarse level's longer side, px, at least. */
#define LEAST_SIDE 64

/* Least significance over chance of a sure pair, of a doubtful one, and of a sure one in the coarse level. Of 1,000 pairs
 * without a common scene none was sure, and only 28 of 200 that had a pattern of the sensor in common came to 4.0
 * (endo_bench truth). */
#define SURE 5.0
#define DOUBT 4.0
#define SURE_COARSE 3.5
/* Where nothing moves, this share of the covariance of both frames must remain in the coarse level: of grain and fibres of
 * the sensor a fifth does, of scenes 0.8 and more. */
#define GRAIN 0.35
/* Coefficient from which on two frames are one picture, noise included. */
#define ONE_PICTURE (1 - 1e-9)
/* Least significance over no motion of a sure pair. */
#define SURE_MOVED 2.0
/* Significance over no motion from which on nothing that stands still explains a map; below it the median difference from
 * chance must reach MIDDLE. The rim of a dark surround that noise hides stands still in fewer than half of the patches, and
 * turned about its middle it may be better than no motion by 3.6; in the pairs seen the median was then 0.51 at most, and
 * mostly far less. At 0.54 most pairs of a noisy retina at rest are lost. */
#define SURELY_MOVED 6.0
#define MIDDLE 0.35
/* Where highlights leave the coarse level without patches, a map is sure from this mean coefficient and this significance over
 * chance on, if nothing that stands still explains it. Not where the coarse level has patches, and they do not agree: two motions
 * may be mixed; nor of one of two motions, which few patches show. */
#define PLAIN 0.4
#define SURELY_PLAIN 7.5
/* Share of the mean coefficient that must remain where pixels are averaged. */
#define REMAINS 0.75

/* The scene's share of the gradients below which a pair is noisy. */
#define NOISY 0.8

int endo_is_noisy(double share) { return share < NOISY; }

/* A pair that is known no better than this, px, is not sure. */
#define SURE_DEVIATION 0.35

double endo_sure_deviation(double relief) {
    double least = SURE_DEVIATION * SURE_DEVIATION;
    return sqrt(least + (relief < least ? relief : least));
}

/* Whether single pixels alone show a map of which the coarse level says nothing. */
static int is_plain(const endo_evidence *e) {
    return !e->is_part && e->coarse_chance != e->coarse_chance && e->coefficient >= PLAIN && e->chance >= SURELY_PLAIN &&
           e->still >= SURELY_MOVED;
}

endo_belief endo_evidence_belief(const endo_evidence *e) {
    int is_in_coarse = e->coarse_chance >= SURE_COARSE || is_plain(e);
    if (!(e->chance >= DOUBT)) return ENDO_BELIEF_NONE;
    if (!(e->chance >= SURE && is_in_coarse) || e->still < SURE_MOVED) return ENDO_BELIEF_DOUBT;
    if (e->still != e->still && e->coefficient < ONE_PICTURE && !(e->coarse_common >= GRAIN * e->common))
        return ENDO_BELIEF_DOUBT;
    if (!(e->still >= SURELY_MOVED || e->coarse_middle >= MIDDLE)) return ENDO_BELIEF_DOUBT;
    return e->coarse_coefficient >= REMAINS * e->coefficient ? ENDO_BELIEF_SURE : ENDO_BELIEF_DOUBT;
}

/* Whether a pair is sure by so much that more patches would not change it. */
static int is_clear(const endo_evidence *e) {
    int is_still = e->stirring == 0 && e->coarse_common >= CLEARLY * GRAIN * e->common;
    if (endo_evidence_belief(e) != ENDO_BELIEF_SURE) return 0;
    return e->chance >= CLEARLY * SURE && e->coarse_chance >= CLEARLY * SURE_COARSE &&
           (is_still || e->still >= CLEARLY * SURE_MOVED) &&
           e->coarse_coefficient >= (1 + REMAINS) / 2 * e->coefficient;
}

/* The requests of a patch: under the map, beside it, and under no motion. */
enum { HERE, BESIDE, STILL, QUESTIONS };

typedef struct mean {
    double n, sum, squares;
} mean;

static void add(mean *m, double v) {
    if (v != v) return;
    m->n++;
    m->sum += v;
    m->squares += v * v;
}

/* The mean over its standard deviation. A deviation of 0.01 is added, so that equal differences are not taken for certain. */
static double significance(const mean *m) {
    if (m->n < LEAST) return NAN;
    double variance = (m->squares - m->sum * m->sum / m->n) / (m->n - 1) + 1e-4;
    return m->sum / sqrt(variance * m->n);
}

static void ask(const endo_patch_grid *g, const endo_pair *pair, const endo_transform *map, const endo_layer_mask *mask,
                endo_patch_request *requests) {
    static const int none[2] = {0, 0};
    endo_patch_grid_ask_map(g, pair, map, requests);
    endo_patch_grid_ask_map(g, pair, map, requests + g->n);
    endo_patch_grid_ask(g, pair, endo_transform_still.matrix, none, requests + 2 * g->n);
    for (size_t i = 0; i < g->n; i++) { /* left, right, up and down in turn, never the same in a row or column */
        size_t way = i * 2654435761u >> 13 & 3;
        requests[g->n + i].at[way >> 1] += (way & 1 ? 1 : -1) * g->side / 2 * 65536;
    }
    for (int k = 0; k < QUESTIONS && mask; k++) endo_patch_grid_hide(g, mask, requests + k * g->n);
}

static void weigh(const endo_patch_grid *g, const endo_transform *map, const endo_patch_sums *sums, endo_evidence *e) {
    mean here = {0, 0, 0}, beside = here, still = here, at_rest = here, common = here;
    double differences[ACROSS * ACROSS], workspace[ACROSS * ACROSS];
    size_t known = 0;
    e->stirring = 0;
    for (size_t i = 0; i < g->n; i++) {
        double x, y, u, v, c[QUESTIONS];
        for (int k = 0; k < QUESTIONS; k++) c[k] = endo_patch_coefficient(&sums[k * g->n + i], g->side);
        endo_patch_grid_position(g, i, &x, &y);
        if (!endo_transform_point(map, x, y, &u, &v)) u = v = NAN;
        add(&here, c[HERE]);
        add(&common, endo_patch_common(&sums[i], g->side));
        add(&beside, c[HERE] - c[BESIDE]);
        differences[known] = c[HERE] - c[BESIDE];
        known += differences[known] == differences[known];
        if (!(hypot(u - x, v - y) > STIRS)) continue;
        e->stirring++;
        add(&still, c[HERE] - c[STILL]);
        add(&at_rest, c[STILL]);
    }
    e->coefficient = here.sum / here.n;
    e->common = common.sum / common.n;
    e->chance = significance(&beside);
    e->middle = known ? endo_median(differences, workspace, known) : NAN;
    e->still = significance(&still);
    e->at_rest = at_rest.n >= LEAST && at_rest.sum > 0 ? at_rest.sum / at_rest.n : 0;
}

/* Perspective and lens by the patches of level 0; other levels say nothing. */
static endo_distortion_result distortion_of(const endo_patch_grid *g, const endo_transform *map, const endo_patch_sums *sums) {
    endo_patch patches[ACROSS * ACROSS];
    double workspace[ENDO_DISTORTION_WORKSPACE(ACROSS * ACROSS)];
    size_t n = g->level == 0 ? endo_patch_grid_measure(g, sums, patches) : 0;
    return endo_pair_distortion(g, map, patches, n, workspace);
}

static endo_status weigh_level(endo_frames *frames, const endo_pair *pairs, const endo_transform *maps,
                               const endo_layer_mask *masks, size_t n, int level, int across, endo_evidence *evidence) {
    endo_patch_grid g;
    endo_status status = endo_patch_grid_make(frames, level, across, 1, &g);
    endo_patch_request *requests = endo_alloc(n * QUESTIONS * g.n + 1, sizeof *requests);
    endo_patch_sums *sums = endo_alloc(n * QUESTIONS * g.n + 1, sizeof *sums);
    endo_patches_setup setup = {g.side};
    if (status == ENDO_OK && (!requests || !sums)) status = endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    size_t known = status == ENDO_OK ? n : 0;
#pragma omp parallel for num_threads(frames->context->threads) schedule(dynamic) if (n > 8)
    for (long i = 0; i < (long)known; i++) ask(&g, &pairs[i], &maps[i], masks ? &masks[i] : NULL, requests + i * QUESTIONS * g.n);
    if (status == ENDO_OK && g.n)
        status = frames->context->kernels->batches->patches(frames->store, requests, n * QUESTIONS * g.n, &setup, sums);
    known = status == ENDO_OK ? n : 0;
#pragma omp parallel for num_threads(frames->context->threads) schedule(dynamic) if (n > 8)
    for (long i = 0; i < (long)known; i++) {
        weigh(&g, &maps[i], sums + i * QUESTIONS * g.n, &evidence[i]);
        evidence[i].distortion = distortion_of(&g, &maps[i], sums + i * QUESTIONS * g.n);
    }
    endo_free(requests);
    endo_free(sums);
    endo_patch_grid_free(&g);
    return status;
}

/* ENDO_JUDGE_LEVEL, or a larger level where that would have too few patches. */
static int coarse_level(const endo_frames *frames) {
    int width = frames->options.width, height = frames->options.height, longer = width > height ? width : height;
    int level = endo_patch_levels(width, height) - 1;
    if (level > ENDO_JUDGE_LEVEL) level = ENDO_JUDGE_LEVEL;
    while (level > 1 && longer >> level < LEAST_SIDE) level--;
    return level;
}

/* Weighs in level 0 and in the coarse level, with `across` patches along the longer side of both. */
static endo_status weigh_both(endo_frames *frames, const endo_pair *pairs, const endo_transform *maps,
                              const endo_layer_mask *masks, size_t n, int across, endo_evidence *evidence) {
    int level = coarse_level(frames);
    endo_evidence *coarse = endo_alloc(n, sizeof *coarse);
    endo_status status = coarse ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    if (status == ENDO_OK) status = weigh_level(frames, pairs, maps, masks, n, 0, across, evidence);
    if (status == ENDO_OK) status = weigh_level(frames, pairs, maps, masks, n, level, across, coarse);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        evidence[i].coarse_chance = coarse[i].chance;
        evidence[i].coarse_common = coarse[i].common;
        evidence[i].coarse_coefficient = coarse[i].coefficient;
        evidence[i].coarse_middle = coarse[i].middle;
        evidence[i].is_part = masks != NULL;
    }
    endo_free(coarse);
    return status;
}

/* Weighs the pairs that few patches left unclear once more, by all patches. */
static endo_status weigh_unclear(endo_frames *frames, const endo_pair *pairs, const endo_transform *maps, size_t n,
                                 endo_evidence *evidence) {
    endo_pair *left = endo_alloc(n, sizeof *left);
    endo_transform *left_maps = endo_alloc(n, sizeof *left_maps);
    endo_evidence *found = endo_alloc(n, sizeof *found);
    size_t count = 0, at = 0;
    endo_status status = ENDO_OK;
    if (!left || !left_maps || !found) status = endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    for (size_t i = 0; i < n && status == ENDO_OK; i++)
        if (!is_clear(&evidence[i])) {
            left[count] = pairs[i];
            left_maps[count] = maps[i];
            count++;
        }
    if (status == ENDO_OK && count) status = weigh_both(frames, left, left_maps, NULL, count, ACROSS, found);
    for (size_t i = 0; i < n && status == ENDO_OK; i++)
        if (!is_clear(&evidence[i])) evidence[i] = found[at++];
    endo_free(left);
    endo_free(left_maps);
    endo_free(found);
    return status;
}

endo_status endo_pairs_weigh(endo_frames *frames, const endo_pair *pairs, const endo_transform *maps,
                             const endo_layer_mask *masks, size_t n, endo_evidence *evidence) {
    if (masks) return weigh_both(frames, pairs, maps, masks, n, ACROSS, evidence); /* some of the patches are few */
    endo_status status = weigh_both(frames, pairs, maps, NULL, n, FEW_ACROSS, evidence);
    return status == ENDO_OK ? weigh_unclear(frames, pairs, maps, n, evidence) : status;
}
