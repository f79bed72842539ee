/* Tests whether the edges of a sequence together show a tilted plane that the transforms leave out: each edge fits, all of them
 * err alike, and no loop shows it. Then a frame's pose deviates by the distance between two poses: along homographies, and
 * along transforms. */
#ifndef ENDO_MOSAIC_PERSPECTIVE_CHECK_H
#define ENDO_MOSAIC_PERSPECTIVE_CHECK_H

#include "passed_plane.h"

typedef struct perspective_check perspective_check;

/* frames (n records) and edges are borrowed. Fails with MEMORY alone. */
endo_status perspective_check_create(const endo_mosaic_frame *frames, int n, const mosaic_edges *edges, mosaic_size size,
                                     perspective_check **out);
void perspective_check_destroy(perspective_check **check);

/* Computes the displacements of a component's frames; first: its first frame. Fails with MEMORY alone. */
endo_status perspective_check_follow(perspective_check *check, int first);

/* Number of deviations between the sequence and one without perspective. */
double perspective_check_evidence(const perspective_check *check);

/* Displacement of a frame by perspective, px of the first frame of its component; 0 where the sequence shows none. */
double perspective_check_distance(const perspective_check *check, int frame);

/* The homography of a step with perspective g, 1/px. */
endo_transform perspective_homography(const endo_transform *step, const double g[2], mosaic_size size);

/* Describes for people what is seen, and how significantly. */
void perspective_check_seen(const perspective_check *check, char *out, size_t size);

/* Returns 1 if frames are displaced by enough for a warning, which is written to `out`; else `out` is "". */
int perspective_check_warning(const perspective_check *check, char *out, size_t size);

#endif
