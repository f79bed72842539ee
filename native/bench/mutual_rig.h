/* Volumes for the benches of mutual information, of [B]'s size: a head in two modalities, the second one turned and
 * shifted. */
#ifndef ENDO_BENCH_MUTUAL_RIG_H
#define ENDO_BENCH_MUTUAL_RIG_H

#include "bench.h"

#define MUTUAL_WIDTH 256
#define MUTUAL_HEIGHT 256
#define MUTUAL_DEPTH 60
#define MUTUAL_VOXELS (MUTUAL_WIDTH * MUTUAL_HEIGHT * MUTUAL_DEPTH)
#define MUTUAL_BINS 6
#define MUTUAL_MOST_ERROR 0.1 /* voxels, mean over the head */

typedef struct mutual_rig {
    bench *b;
    endo_volume fixed, moving;
    uint8_t *pixels[2];
    double truth[16], near[16]; /* the motion; a little off, as a search sees it */
    int all;                    /* threads */
} mutual_rig;

extern const int mutual_bins[MUTUAL_BINS];

/* 0: no memory. */
int mutual_rig_make(mutual_rig *r, bench *b);
void mutual_rig_free(mutual_rig *r);

#endif
