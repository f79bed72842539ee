/* Where templates may be centred: the field of view eroded, made once for a side. */
#ifndef ENDO_SYSTEMS_CENTRES_H
#define ENDO_SYSTEMS_CENTRES_H

#include "backend/objects.h"

/* The centres at which a template of this side lies in the field; valid until asked with another side. box (may be NULL):
 * the bounds of these centres, left > right if there are none. */
endo_status endo_centres_of(endo_frames *frames, int side, endo_centres *out, endo_box *box);

#endif
