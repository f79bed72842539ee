/* Checks of the arguments of every run of a mosaic. */
#ifndef ENDO_API_MOSAIC_CHECKS_H
#define ENDO_API_MOSAIC_CHECKS_H

#include "base/status.h"
#include "include/endorama/mosaic.h"

#define MOSAIC_MOST_FRAMES 10000000
#define MOSAIC_LONGEST_SIDE 32767 /* largest side of a frame, px */

/* Checks a source; least: smallest number of its frames. */
endo_status mosaic_check_source(const endo_mosaic_source *source, int least);

/* Checks n frames (1..) and the edges between them: poses that can be inverted, and numbers in their ranges. */
endo_status mosaic_check_records(const endo_mosaic_frame *frames, int n, const endo_mosaic_edge *edges, int n_edges);

/* Checks that there are as many records as the source has frames. */
endo_status mosaic_check_poses(const endo_mosaic_source *source, const endo_mosaic_frame *frames, int n);

/* Begins a run: checks the source, copies the mask, and marks the mosaic as having run. */
endo_status mosaic_begin(endo_mosaic *mosaic, const endo_mosaic_source *source, int least);

#endif
