/* The last stage: frames are shown to the observers of light and sharpness if nothing read them before; panoramas are painted
 * again, each frame in its solved pose, or blended. */
#ifndef ENDO_MOSAIC_PAINT_STAGES_H
#define ENDO_MOSAIC_PAINT_STAGES_H

#include "poses.h"
#include "workspace.h"

/* Frames that cannot be read are removed from the list. */
typedef struct observe_stage observe_stage;
endo_status observe_stage_create(mosaic_workspace *workspace, const int *frames, int n, observe_stage **out);
void observe_stage_destroy(observe_stage **stage);
mosaic_stage observe_stage_calls(observe_stage *stage);

/* Frames painted over one another. frames: n records with the poses along the chain. */
typedef struct paint_stage paint_stage;
endo_status paint_stage_create(mosaic_workspace *workspace, const endo_mosaic_frame *frames, int n, mosaic_poses *poses,
                               paint_stage **out);
/* Creates the stage where nothing is painted yet, in the order of the records. */
endo_status paint_stage_create_in_order(mosaic_workspace *workspace, const endo_mosaic_frame *frames, int n,
                                        const mosaic_poses *poses, paint_stage **out);
void paint_stage_destroy(paint_stage **stage);
mosaic_stage paint_stage_calls(paint_stage *stage);
/* Keeps the new panoramas if they are complete (returns 1), else the previous ones. */
int paint_stage_finish(paint_stage *stage);

/* Records the order of painting: that along the chain, except in components that are painted again. */
endo_status paint_stage_put_order(endo_mosaic_frame *frames, int n, mosaic_poses *poses, const endo_mosaic_options *options,
                                  mosaic_size size);

typedef struct blend_stage blend_stage;
endo_status blend_stage_create(mosaic_workspace *workspace, const endo_mosaic_frame *frames, int n, const mosaic_poses *poses,
                               blend_stage **out);
void blend_stage_destroy(blend_stage **stage);
mosaic_stage blend_stage_calls(blend_stage *stage);
int blend_stage_finish(blend_stage *stage); /* 1: complete, 0: the previous ones are kept */

#endif
