/* Panoramas whose frames are all known before they are painted. They are blended component after component, in bands of rows
 * from the top; one band at a time is in the back end's memory. */
#ifndef ENDO_MOSAIC_BLENDING_H
#define ENDO_MOSAIC_BLENDING_H

#include "blend_band.h"

typedef struct blending blending;

/* items: component after component, in the order in which they are fitted in. Fails with MEMORY alone. */
endo_status blending_create(const blend_scene *scene, const placed_frames *items, blending **out);
void blending_destroy(blending **blend);

/* Why some frames are not painted; NULL if all are. */
const char *blending_full(const blending *b);

int blending_is_done(const blending *b);
double blending_share(const blending *b); /* 0..1 */

/* The band that is being blended; NULL: blending_begin_band comes next. */
blend_band *blending_band(const blending *b);
endo_status blending_begin_band(blending *b); /* the next band, or again the one that was dropped */
void blending_drop_band(blending *b);

/* Ends a pass of the band. The second pass also copies the rows into the panorama and drops the band. */
endo_status blending_end_pass(blending *b);

/* Halves the rows of a band, for want of memory, and returns their number; 0: nothing would be gained. */
int blending_halve(blending *b);

/* Hands the panorama of a component, by the number of its canvas, over to the caller; NULL: nothing is painted. */
panorama_store *blending_take_panorama(blending *b, int canvas);

#endif
