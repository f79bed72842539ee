/* Connected components of the frames, and the pose of each frame relative to the first one of its component. Components are
 * numbered by size, from 1. */
#ifndef ENDO_MOSAIC_POSES_H
#define ENDO_MOSAIC_POSES_H

#include "edges.h"
#include "geometry.h"

typedef struct mosaic_poses mosaic_poses;

/* Creates poses from chains and the edges between them: `chain` and `pose` (along its chain) of each record are read. frames: n
 * records, borrowed and read by later calls, too; edges are copied. Fails with MEMORY alone. */
endo_status poses_create(endo_mosaic_frame *frames, int n, const mosaic_edges *edges, mosaic_size size, mosaic_poses **out);

/* Creates poses that were solved before, from `component`, `pose`, `chained`, `deviation` and `doubtful` of the records. */
endo_status poses_of_solved(endo_mosaic_frame *frames, int n, mosaic_size size, mosaic_poses **out);
void poses_destroy(mosaic_poses **poses);

/* Solves for the poses of every component in turn, by endo_graph_solve. */
endo_status poses_solve(mosaic_poses *poses, endo_context *context);

int poses_components(const mosaic_poses *p);
int poses_canvas(const mosaic_poses *p, int component); /* number of the first chain, or of the component */
int poses_component(const mosaic_poses *p, int frame);  /* 0: none */
const endo_transform *poses_pose(const mosaic_poses *p, int frame);
double poses_deviation(const mosaic_poses *p, int frame);
double poses_scale(const mosaic_poses *p, int frame); /* width of the frame's pixel, px of the first frame */
int poses_is_doubtful(const mosaic_poses *p, int frame);
int poses_doubtful(const mosaic_poses *p);      /* number of doubtful frames */
int poses_frames(const mosaic_poses *p, int component); /* frames of a component; of 0: frames in none */
int poses_next(const mosaic_poses *p, int component, int from); /* next frame of a component from `from` on; -1: none */
int poses_has_doubts(const mosaic_poses *p, int component);
void poses_keep_chained(mosaic_poses *p, int component); /* replaces solved poses by those of the chains */
void poses_put(mosaic_poses *p);                          /* writes them into the records */

/* Widens deviations by the effect of a lens on poses (lens_drift.h). spread: of the field, px. */
endo_status poses_widen(mosaic_poses *p, double lambda, double spread);

/* Returns whether the edges agree on a tilted plane that transforms leave out; poses_tilt describes it, in `size` bytes. */
int poses_sees_tilt(const mosaic_poses *p);
void poses_tilt(const mosaic_poses *p, char *out, size_t size);

/* Writes a warning about all poses together; "" if all is well. remedy: the option that includes perspective. */
void poses_warning(const mosaic_poses *p, const char *remedy, char *out, size_t size);

#endif
