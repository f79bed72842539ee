/* A synthetic sequence: the scope's path through a scene, drawn frame by frame. Arguments are checked by api/. */
#ifndef ENDO_SYSTEMS_DEMO_H
#define ENDO_SYSTEMS_DEMO_H

#include "include/endorama.h"

endo_status endo_demo_build(const endo_demo_options *options, int threads, endo_demo **out);
void endo_demo_free(endo_demo *demo);

const endo_demo_options *endo_demo_options_of(const endo_demo *demo);

endo_status endo_demo_draw(const endo_demo *demo, int index, uint32_t *pixels);

/* Frame `index` -> frame 0. */
endo_transform endo_demo_pose(const endo_demo *demo, int index);

/* The scene without the scope's light: width*height pixels around its coordinates of frame 0, whose pixel (0, 0) is at
 * (left, top); 0 where there is no scene. */
void endo_demo_see(const endo_demo *demo, int left, int top, int width, int height, uint32_t *pixels);

void endo_demo_mask(const endo_demo *demo, uint8_t *mask);

#endif
