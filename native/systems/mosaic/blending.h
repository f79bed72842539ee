/* Panoramas whose frames are all known before they are painted: component after component, each in bands of rows from the top,
 * of which one at a time is in the back end's memory. */
#ifndef ENDO_MOSAIC_BLENDING_H
#define ENDO_MOSAIC_BLENDING_H

#include "blend_band.h"

typedef struct blending blending;

/* items: component after component, in the order in which they find room. MEMORY alone. */
endo_status blending_create(const blend_scene *scene, const placed_frames *items, blending **out);
void blending_destroy(blending **blend);

/* Why not all frames are painted; NULL if they are. */
const char *blending_full(const blending *b);

int blending_is_done(const blending *b);
double blending_share(const blending *b); /* 0..1 */

/* The band that is being blended; NULL: one is to be begun. */
blend_band *blending_band(const blending *b);
endo_status blending_begin_band(blending *b); /* the next one, or again the one that was dropped */
void blending_drop_band(blending *b);

/* Ends a pass of the band; the second one by taking its rows over, and then there is none. */
endo_status blending_end_pass(blending *b);

/* For want of memory bands have half as many rows from here on: how many; 0: they cannot have fewer, or it is not they that
 * lack memory. */
int blending_halve(blending *b);

/* The panorama of a component, by the number of its canvas, which is the caller's then; NULL: nothing is painted. */
panorama_store *blending_take_panorama(blending *b, int canvas);

#endif
