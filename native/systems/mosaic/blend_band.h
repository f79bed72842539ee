/* A band of rows of a panorama that is blended in the back end's memory. Additional rows above and below, on which the band
 * depends, give it the bytes that it would have in a blend of the whole panorama. */
#ifndef ENDO_MOSAIC_BLEND_BAND_H
#define ENDO_MOSAIC_BLEND_BAND_H

#include "canvas_setup.h"
#include "canvases.h"

typedef struct blend_band blend_band;

/* The input of a blend beside the frames. */
typedef struct blend_scene {
    const canvas_setup *setup;
    const light_of_scope *light; /* NULL: uncorrected */
    const frame_weights *weights;
    const endo_mosaic_frame *frames; /* their hidden cells; NULL: nothing is hidden */
} blend_scene;

/* Creates an empty band. all: frames of the panorama, of which those that do not reach the band are left out; used: what the
 * panorama takes of the plane; top: the band's first row in `used`, a multiple of 4; bottom: exclusive. */
endo_status blend_band_create(const blend_scene *scene, const placed_frames *all, mosaic_rect used, int top, int bottom,
                              blend_band **out);
void blend_band_destroy(blend_band **band);

/* Share of both passes that is done, 0..1. */
double blend_band_share(const blend_band *band);

/* blend_band_next: how many frames come next in this pass; blend_band_passed: n of them were added, or are unreadable. */
int blend_band_next(const blend_band *band, int most, const placed_frame **items);
void blend_band_passed(blend_band *band, int n);

endo_status blend_band_add(blend_band *band, endo_frames *frames, const placed_frame *items, int n);

int blend_band_is_second(const blend_band *band); /* the second pass has begun */
endo_status blend_band_next_pass(blend_band *band);

/* Copies the band's rows into the panorama. *has_room = 0: it failed because the panorama's file or memory is full. */
endo_status blend_band_read(blend_band *band, panorama_store *to, int *has_room);

#endif
