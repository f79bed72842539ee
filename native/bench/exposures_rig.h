/* Exposures to align, with the shifts they were made with, and who aligns them. */
#ifndef ENDO_BENCH_EXPOSURES_RIG_H
#define ENDO_BENCH_EXPOSURES_RIG_H

#include "timing.h"

#include "backend/objects.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Frames of tissue, cut at changing places and exposed in turn normally, longer and shorter. */
typedef struct exposures_set {
    int width, height, n;
    uint8_t **frames; /* dense grey images */
    int (*places)[2]; /* of frame i in the scene: x, y */
} exposures_set;

/* 0 if memory is out. */
int exposures_set_create(exposures_set *s, int width, int height, int n);
void exposures_set_destroy(exposures_set *s);

/* A back end with a store of `capacity` frames; slot i holds frame i % n. */
typedef struct exposures_rig {
    const exposures_set *set;
    endo_context *context;
    endo_frames *frames;
    int capacity;
    size_t n_pairs;
    endo_pair *pairs; /* in single calls disjoint, in a batch neighbours */
    endo_exposure_result *results;
} exposures_rig;

/* As [G]: medians, 64 bins. */
endo_exposure_options exposures_paper_params(void);

/* UNSUPPORTED: this machine or build lacks it. Destroy in any case. */
endo_status exposures_rig_create(exposures_rig *r, const exposures_set *set, const endo_kernels *kernels,
                                 const endo_context_options *options, int capacity);
void exposures_rig_destroy(exposures_rig *r);

/* All frames into the store again: what a back end keeps of a frame is made anew. */
endo_status exposures_rig_refill(exposures_rig *r);

/* Pairs (0, 1), (2, 3), ... or (0, 1), (1, 2), ... */
void exposures_rig_disjoint(exposures_rig *r);
void exposures_rig_neighbours(exposures_rig *r);

/* n pairs from the first-th on in one call. */
endo_status exposures_rig_align(exposures_rig *r, const endo_exposure_options *p, size_t first, size_t n);

/* INTERNAL if a shift among the results is not the one that the pair was made with. */
endo_status exposures_rig_check(const exposures_rig *r);

/* Seconds a pair, by calls of per_call pairs, on frames put anew each round; the shifts are checked first. */
endo_status exposures_rig_time(exposures_rig *r, const endo_exposure_options *p, size_t per_call, int rounds,
                               timing *out);

/* The true shift of a pair of a set, px: where pixel (0, 0) of frame `current` lies in frame `reference`. */
void exposures_truth(const exposures_set *s, int reference, int current, int *dx, int *dy);

#ifdef __cplusplus
}
#endif
#endif
