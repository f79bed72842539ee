/* The last stage: frames are shown to what judges light and sharpness where nothing read them before; panoramas are painted
 * again, each frame in the pose that was solved for, or blended. */
#ifndef ENDO_MOSAIC_PAINT_STAGES_H
#define ENDO_MOSAIC_PAINT_STAGES_H

#include "poses.h"
#include "workspace.h"

/* Frames that cannot be read are taken out of the list. */
typedef struct look_stage look_stage;
endo_status look_stage_create(mosaic_workspace *workspace, const int *frames, int n, look_stage **out);
void look_stage_destroy(look_stage **stage);
mosaic_stage look_stage_calls(look_stage *stage);

/* Painted one over the other. frames: n records, whose poses are those along the chain. */
typedef struct paint_stage paint_stage;
endo_status paint_stage_create(mosaic_workspace *workspace, const endo_mosaic_frame *frames, int n, mosaic_poses *poses,
                               paint_stage **out);
/* The same where nothing is painted yet, by the order of the records. */
endo_status paint_stage_create_in_order(mosaic_workspace *workspace, const endo_mosaic_frame *frames, int n,
                                        const mosaic_poses *poses, paint_stage **out);
void paint_stage_destroy(paint_stage **stage);
mosaic_stage paint_stage_calls(paint_stage *stage);
/* Keeps what was painted if that is all (1), else what was there before. */
int paint_stage_finish(paint_stage *stage);

/* Writes into the records in which order they are painted: as along the chain, but in components that are painted again. */
endo_status paint_stage_put_order(endo_mosaic_frame *frames, int n, mosaic_poses *poses, const endo_mosaic_options *options,
                                  mosaic_size size);

typedef struct blend_stage blend_stage;
endo_status blend_stage_create(mosaic_workspace *workspace, const endo_mosaic_frame *frames, int n, const mosaic_poses *poses,
                               blend_stage **out);
void blend_stage_destroy(blend_stage **stage);
mosaic_stage blend_stage_calls(blend_stage *stage);
int blend_stage_finish(blend_stage *stage); /* the same */

#endif
