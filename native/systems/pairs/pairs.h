/* Registration of frame pairs by logarithmic search, [S] section 2.5. */
#ifndef ENDO_MOSAIC_H
#define ENDO_MOSAIC_H

#include "backend/objects.h"

/* The template side that 0 stands for at a frame width. */
int endo_mosaic_template_side(int width);

/* Where the results of pairs go; landmarks and counts NULL: not asked for. */
typedef struct endo_pairs_out {
    endo_pair_result *results;
    endo_landmark *landmarks; /* `room` a pair, zeros */
    int32_t *counts;
    size_t room;
} endo_pairs_out;

/* Steps 1 to 8 for n >= 1 pairs; starts: NULL, or in place of step 1. Arguments were checked. */
endo_status endo_pairs_run(endo_frames *frames, const endo_pair *pairs, const endo_transform *starts, size_t n,
                           const endo_pairs_options *options, const endo_pairs_out *out);

/* Steps 3 to 8 of one pair: what the searches of its landmarks found becomes its transform.
 * from: the landmarks, x and y interleaved; found: their n searches; size: the frame's, px. Fills every field of out
 * but quality and flow_pixels. landmarks: NULL, or room for n; their *count is what was found. */
endo_status endo_mosaic_fit(const double *from, const endo_search_result *found, size_t n,
                            const endo_pairs_options *options, const int size[2], endo_pair_result *out,
                            endo_landmark *landmarks, int32_t *count);

#endif
