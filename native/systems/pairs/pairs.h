/* Registration of frame pairs by logarithmic search, [S] section 2.5. */
#ifndef ENDO_MOSAIC_H
#define ENDO_MOSAIC_H

#include "backend/objects.h"

/* The default template side, px, at a frame width. */
int endo_mosaic_template_side(int width);

/* Outputs of pairs; landmarks and counts may be NULL. */
typedef struct endo_pairs_out {
    endo_pair_result *results;
    endo_landmark *landmarks; /* `capacity` of them a pair, zeroed */
    int32_t *counts;
    size_t capacity;
} endo_pairs_out;

/* Steps 1 to 8 for n >= 1 pairs; starts: NULL, or instead of step 1. Arguments are checked by the caller. */
endo_status endo_pairs_run(endo_frames *frames, const endo_pair *pairs, const endo_transform *starts, size_t n,
                           const endo_pairs_options *options, const endo_pairs_out *out);

/* Steps 3 to 8 of one pair: its transform from the searches of its landmarks.
 * from: the landmarks, x and y interleaved; found: their n searches; size: the frame's, px. Fills every field of out
 * but quality and flow_pixels. landmarks: NULL, or an array of n, of which *count are filled. */
endo_status endo_mosaic_fit(const double *from, const endo_search_result *found, size_t n,
                            const endo_pairs_options *options, const int size[2], endo_pair_result *out,
                            endo_landmark *landmarks, int32_t *count);

#endif
