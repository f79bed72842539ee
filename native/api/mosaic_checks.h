/* Checks of what every run of a mosaic is given. */
#ifndef ENDO_API_MOSAIC_CHECKS_H
#define ENDO_API_MOSAIC_CHECKS_H

#include "base/status.h"
#include "include/endorama/mosaic.h"

#define MOSAIC_MOST_FRAMES 10000000
#define MOSAIC_LONGEST_SIDE 32767 /* of a frame, px */

/* least: how many frames it must have. */
endo_status mosaic_check_source(const endo_mosaic_source *source, int least);

/* n frames (1..) and the edges between them: poses that can be inverted, and numbers in their ranges. */
endo_status mosaic_check_records(const endo_mosaic_frame *frames, int n, const endo_mosaic_edge *edges, int n_edges);

/* As many records as the source has frames. */
endo_status mosaic_check_poses(const endo_mosaic_source *source, const endo_mosaic_frame *frames, int n);

/* Checks the source, too; from here on the mosaic has run. */
endo_status mosaic_begin(endo_mosaic *mosaic, const endo_mosaic_source *source, int least);

#endif
