/* Whether the edges of a sequence say together that a tilted plane is seen, which the transforms leave out: each edge fits, all
 * of them err alike, and no loop shows it. Then a frame's pose deviates by as much as it moves where the way to it leads
 * through the homographies in place of the transforms. */
#ifndef ENDO_MOSAIC_PERSPECTIVE_CHECK_H
#define ENDO_MOSAIC_PERSPECTIVE_CHECK_H

#include "passed_plane.h"

typedef struct perspective_check perspective_check;

/* frames (one a frame of the sequence, n of them) and edges are borrowed. MEMORY alone. */
endo_status perspective_check_create(const endo_mosaic_frame *frames, int n, const mosaic_edges *edges, mosaic_size size,
                                     perspective_check **out);
void perspective_check_destroy(perspective_check **check);

/* Finds out how far frames are that can be reached from the first one of their component. MEMORY alone. */
endo_status perspective_check_follow(perspective_check *check, int first);

/* How many deviations the sequence is from showing no perspective. */
double perspective_check_evidence(const perspective_check *check);

/* By how much perspective moves a frame, px of the first frame of its component; 0 where the sequence says nothing of it. */
double perspective_check_distance(const perspective_check *check, int frame);

/* The homography of an edge that says so much of perspective. */
endo_transform perspective_homography(const endo_transform *step, const double g[2], mosaic_size size);

/* What is seen, and how surely, for people. */
void perspective_check_seen(const perspective_check *check, char *out, size_t size);

/* 1: frames are off by enough to tell people, and `out` says by how much; else "". */
int perspective_check_warning(const perspective_check *check, char *out, size_t size);

#endif
