/* Whether two small grey images show the same where parts of it have moved against each other, so that no one transform explains
 * the pair. Patches are looked for a few pixels around where a transform puts them. Each of an unrelated image has its best place
 * anywhere; of one that shows the same, neighbours have moved alike. */
#ifndef ENDO_MOSAIC_LOCAL_MOTION_H
#define ENDO_MOSAIC_LOCAL_MOTION_H

#include "base/status.h"
#include "geometry.h"

typedef struct local_motion {
    int patches;              /* patches with texture that both images show */
    int alike;                /* of these, patches that are found and have moved as their neighbours have */
    int is_same;              /* enough of them are, so that both images show the same */
    endo_transform transform; /* current -> reference: the similarity that explains `alike` best */
    double deviation;         /* px that they lie from it, root mean square */
} local_motion;

/* Images and mask (0: outside the field; NULL: all inside): rows without gaps. start: current -> reference, approximate. Fails with
 * MEMORY alone. */
endo_status local_motion_find(const uint8_t *reference, const uint8_t *current, const uint8_t *mask, mosaic_size size,
                              const endo_transform *start, local_motion *out);

#endif
