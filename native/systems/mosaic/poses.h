/* Where the frames lie: the connected components that edges tie together, and in each the poses of its frames against its
 * first one. Components are numbered by their size, from 1. */
#ifndef ENDO_MOSAIC_POSES_H
#define ENDO_MOSAIC_POSES_H

#include "edges.h"
#include "geometry.h"

typedef struct mosaic_poses mosaic_poses;

/* As the chains say it, and the edges that tie them. frames (n of them) are borrowed and read by later calls, too; edges are
 * copied. A frame's `chain` and `pose` (along its chain) are what is read. MEMORY alone. */
endo_status poses_create(endo_mosaic_frame *frames, int n, const mosaic_edges *edges, mosaic_size size, mosaic_poses **out);

/* As they were solved for before: `component`, `pose`, `chained`, `deviation` and `doubtful` of the frames. */
endo_status poses_of_solved(endo_mosaic_frame *frames, int n, mosaic_size size, mosaic_poses **out);
void poses_destroy(mosaic_poses **poses);

/* Solves for the poses of every component in turn, by endo_graph_solve. */
endo_status poses_solve(mosaic_poses *poses, endo_context *context);

int poses_components(const mosaic_poses *p);
int poses_canvas(const mosaic_poses *p, int component); /* of the first chain in it; of solved ones the component's number */
int poses_component(const mosaic_poses *p, int frame);  /* 0: none */
const endo_transform *poses_pose(const mosaic_poses *p, int frame);
double poses_deviation(const mosaic_poses *p, int frame);
double poses_scale(const mosaic_poses *p, int frame); /* px of the first frame that a frame's pixel is wide */
int poses_is_doubtful(const mosaic_poses *p, int frame);
int poses_doubtful(const mosaic_poses *p);      /* how many */
int poses_frames(const mosaic_poses *p, int component); /* how many are in it; of 0: in none */
int poses_next(const mosaic_poses *p, int component, int from); /* the next frame of it, at `from` or after; -1: none */
int poses_has_doubts(const mosaic_poses *p, int component);
void poses_keep_chained(mosaic_poses *p, int component); /* poses along the chains in place of those that were solved for */
void poses_put(mosaic_poses *p);                          /* writes them into the frames */

/* Deviations grow by what a lens does to poses (lens_drift.h). spread: of the field, px. */
endo_status poses_widen(mosaic_poses *p, double lambda, double spread);

/* The edges agree that a tilted plane is seen, and the transforms leave that out; in words of at most `size` bytes. */
int poses_sees_tilt(const mosaic_poses *p);
void poses_tilt(const mosaic_poses *p, char *out, size_t size);

/* What is wrong with all of them together, for people; "" if nothing is. remedy: what takes perspective in. */
void poses_warning(const mosaic_poses *p, const char *remedy, char *out, size_t size);

#endif
