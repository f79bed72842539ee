/* A band of rows of a panorama that is blended, in the back end's memory. It is blended with some rows more above and below, on
 * which its own depend, so that they have the bytes that they have where the panorama is one piece. */
#ifndef ENDO_MOSAIC_BLEND_BAND_H
#define ENDO_MOSAIC_BLEND_BAND_H

#include "canvas_setup.h"
#include "canvases.h"

typedef struct blend_band blend_band;

/* What a panorama is blended from. */
typedef struct blend_scene {
    const canvas_setup *setup;
    const light_of_scope *light; /* NULL: as it is */
    const frame_weights *weights;
} blend_scene;

/* Empty. all: frames of the panorama: those that do not reach the band are left out; used: what the panorama takes of the
 * plane; top: its first row in that, a multiple of 4; bottom: the last one and one more. */
endo_status blend_band_create(const blend_scene *scene, const placed_frames *all, mosaic_rect used, int top, int bottom,
                              blend_band **out);
void blend_band_destroy(blend_band **band);

/* How much of both passes is done, 0..1. */
double blend_band_share(const blend_band *band);

/* The frames of this pass that are to be added next, `most` at most: how many; and that so many of them were added, or cannot
 * be read. */
int blend_band_next(const blend_band *band, int most, const placed_frame **items);
void blend_band_passed(blend_band *band, int n);

endo_status blend_band_add(blend_band *band, const endo_frames *frames, const placed_frame *items, int n);

int blend_band_is_second(const blend_band *band); /* the second pass has begun */
endo_status blend_band_next_pass(blend_band *band);

/* Copies its rows to those of the panorama. *has_room: 0: that failed because these find no room there. */
endo_status blend_band_read(blend_band *band, panorama_store *to, int *has_room);

#endif
