/* The light of a sequence: vignetting and gains. It sees every frame when that is read, and is solved for when the poses are
 * known. It works on the CPU, whatever else computes, and so survives the failure of a device. */
#ifndef ENDO_MOSAIC_LIGHT_OF_SCOPE_H
#define ENDO_MOSAIC_LIGHT_OF_SCOPE_H

#include "events.h"
#include "field_of_view.h"
#include "frame_store.h"
#include "stage.h"

typedef struct light_of_scope light_of_scope;

/* threads: as in endo_context_options. */
endo_status light_of_scope_create(const field_of_view *field, endo_pixel type, int frames, int threads, light_of_scope **out);
void light_of_scope_destroy(light_of_scope **light);

mosaic_observer light_of_scope_observer(light_of_scope *light);

/* Hears where a pair of frames shows the same patches, n of them (endo_light_put_places). */
endo_status light_of_scope_see_walls(light_of_scope *light, const endo_patch_place *places, int n);

/* Solves for the light of frames in their poses, and reports the result. */
endo_status light_of_scope_solve(light_of_scope *light, const placed_frames *items, mosaic_events *events);

int light_of_scope_is_solved(const light_of_scope *light);
const uint16_t *light_of_scope_correction(const light_of_scope *light);
const int32_t *light_of_scope_gains(const light_of_scope *light, int frame); /* red, green, blue */

/* A description of the light for people: "falls off to 58 % at the rim, sure to 3 %, taken out; brightness of frames varies by
 * 8.0 %, their colour by 0.3 %, taken out"; "" before it is solved. */
const char *light_of_scope_description(const light_of_scope *light);
const endo_light_report *light_of_scope_report(const light_of_scope *light); /* NULL before it is solved */

#endif
