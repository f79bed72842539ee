/* The stages of the mosaic, each timed alone on a sequence that lies in a frame store. */
#ifndef ENDO_BENCH_MOSAIC_STAGES_H
#define ENDO_BENCH_MOSAIC_STAGES_H

#include "sequence.h"

#include "backend/objects.h"

#define MOSAIC_SIDE_LANDMARKS 8 /* 64 landmarks */

typedef struct mosaic_rig {
    const sequence *source;
    endo_context *context;
    endo_frames *frames;
    endo_canvas *canvas;
    endo_pairs_options params;
    size_t n_pairs, n_marks; /* frame i to frame i - 1; landmarks a pair */
    endo_pair *pairs;
    endo_flow_result *flow;
    double *marks; /* x, y interleaved */
    endo_search_request *requests;
    endo_search_result *found;
    endo_pair_result *results;
    int32_t *slots;
    double *quality;
    endo_transform *transforms, *poses; /* current -> reference; frame -> canvas */
} mosaic_rig;

typedef struct mosaic_stage {
    const char *name;
    int per_frame;                        /* its unit of work is a frame, else a pair */
    endo_status (*prepare)(mosaic_rig *r); /* untimed, before each repeat; may be NULL */
    endo_status (*run)(mosaic_rig *r);
} mosaic_stage;

/* In the order in which a frame goes through them; the last one is all of them. */
#define MOSAIC_STAGES 11
extern const mosaic_stage mosaic_stages[MOSAIC_STAGES];

/* Leaves the frames in the store and every stage's input made. Destroy in any case. */
endo_status mosaic_rig_create(mosaic_rig *r, const sequence *source, int threads);
void mosaic_rig_destroy(mosaic_rig *r);

#endif
