/* Selection of held-out pairs, and the comparison of two solutions by them (held_out.h). */
#include "held_out.h"

#include <math.h>

#include "base/memory.h"
#include "numbers.h"

/* Distances between the frames of a pair, in frames, and most pairs of each distance. */
static const int distances[] = {2, 4, 8, 16};
#define MOST 12
/* Least share of the field of view that both frames of a pair show. */
#define LEAST_OVERLAP 0.4
/* Fewest pairs that decide anything. */
#define LEAST 8
/* Least share of the pairs that lie nearer to the homographies' solution than to the affine one. */
#define NEARER 0.75
/* Largest ratio of the median distance from the homographies' solution to that from the affine one. */
#define CLEARLY 0.8
/* Least share of homographies among the sure edges. */
#define HOMOGRAPHIES 0.75
/* Median contradiction of edges, px, that is ignored: a chain without loops has none beyond it. */
#define NO_TENSION 0.01

/* ----------------------------------------------------------------------- chosen */

static int is_known(const mosaic_edges *known, int reference, int current) {
    for (int i = 0; i < known->n; i++)
        if (known->items[i].reference == reference && known->items[i].current == current) return 1;
    return 0;
}

static endo_transform step_between(const mosaic_poses *poses, int reference, int current) {
    return pose_between(poses_pose(poses, reference), poses_pose(poses, current));
}

static int is_useful(const mosaic_poses *poses, const key_frames *keys, int a, int b) {
    return poses_component(poses, a) > 0 && poses_component(poses, a) == poses_component(poses, b) &&
           key_frames_overlap(keys, poses_pose(poses, a), poses_pose(poses, b)) >= LEAST_OVERLAP;
}

endo_status held_out_choose(int frames, const mosaic_poses *poses, const mosaic_edges *known, const key_frames *keys,
                            mosaic_edges *out) {
    edges_clear(out);
    for (size_t d = 0; d < sizeof distances / sizeof *distances; d++) {
        int starts = frames - distances[d];
        int n = starts < MOST ? starts : MOST;
        for (int i = 0; i < n; i++) {
            int a = (int)((int64_t)starts * i / n);
            int b = a + distances[d];
            if (!is_useful(poses, keys, a, b) || is_known(known, a, b)) continue;
            const endo_mosaic_edge pair = {.transform = step_between(poses, a, b), .reference = a, .current = b};
            ENDO_TRY(edges_add(out, &pair));
        }
    }
    return ENDO_OK;
}

/* ------------------------------------------------------------------------ votes */

/* near, far: arrays for the distance of each pair from the homographies' solution and from the affine one, px. */
static int favour(const mosaic_edges *pairs, const mosaic_poses *tilted, const mosaic_poses *straight, mosaic_size size,
                  double *near, double *far) {
    size_t n = 0;
    int nearer = 0;
    for (int i = 0; i < pairs->n; i++) {
        const endo_mosaic_edge *pair = &pairs->items[i];
        int component = poses_component(tilted, pair->reference);
        if (!pose_is_homography(&pair->transform) || component <= 0 || component != poses_component(tilted, pair->current))
            continue;
        endo_transform by_tilted = step_between(tilted, pair->reference, pair->current);
        endo_transform by_straight = step_between(straight, pair->reference, pair->current);
        near[n] = frame_distance(size, &pair->transform, &by_tilted);
        far[n] = frame_distance(size, &pair->transform, &by_straight);
        nearer += near[n] < far[n];
        n++;
    }
    if (n < LEAST || !(nearer >= NEARER * (double)n)) return 0;
    return number_at_rank(near, n, n / 2) <= CLEARLY * number_at_rank(far, n, n / 2);
}

endo_status held_out_favour(const mosaic_edges *pairs, const mosaic_poses *tilted, const mosaic_poses *straight,
                            mosaic_size size, int *favours) {
    double *near = endo_alloc(2 * (size_t)pairs->n, sizeof *near);
    if (!near) return endo_fail(ENDO_ERR_MEMORY, "no memory for the distances of %d pairs", pairs->n);
    *favours = favour(pairs, tilted, straight, size, near, near + pairs->n);
    endo_free(near);
    return ENDO_OK;
}

int tilted_loses_nothing(const mosaic_poses *straight, const mosaic_poses *tilted) {
    return poses_frames(tilted, 0) <= poses_frames(straight, 0) && poses_doubtful(tilted) <= poses_doubtful(straight);
}

/* Median distance of edges from what the poses say, px; NaN without edges. */
static endo_status tension(const mosaic_edges *edges, const mosaic_poses *poses, mosaic_size size, double *out) {
    double *off = endo_alloc((size_t)edges->n, sizeof *off);
    size_t n = 0;
    if (!off) return endo_fail(ENDO_ERR_MEMORY, "no memory for the distances of %d edges", edges->n);
    for (int i = 0; i < edges->n; i++) {
        const endo_mosaic_edge *edge = &edges->items[i];
        int component = poses_component(poses, edge->reference);
        if (edge->doubtful || component <= 0 || component != poses_component(poses, edge->current)) continue;
        endo_transform step = step_between(poses, edge->reference, edge->current);
        off[n++] = frame_corner_distance(size, &step, &edge->transform);
    }
    *out = n == 0 ? NAN : number_at_rank(off, n, n / 2);
    endo_free(off);
    return ENDO_OK;
}

endo_status tilted_is_better(const mosaic_poses *straight, const mosaic_edges *before, const mosaic_poses *tilted,
                             const mosaic_edges *after, mosaic_size size, int *better) {
    int sure = 0;
    int homographies = 0;
    double was;
    double is;
    for (int i = 0; i < after->n; i++) {
        if (after->items[i].doubtful) continue;
        sure++;
        homographies += pose_is_homography(&after->items[i].transform);
    }
    ENDO_TRY(tension(before, straight, size, &was));
    ENDO_TRY(tension(after, tilted, size, &is));
    double least = greater_of(NO_TENSION, was);
    *better = homographies >= HOMOGRAPHIES * sure && poses_frames(tilted, 0) <= poses_frames(straight, 0) && !(is > least);
    return ENDO_OK;
}
