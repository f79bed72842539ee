/* Frames at their poses, as an argument of a call. */
#ifndef ENDO_TEST_POSED_H
#define ENDO_TEST_POSED_H

#include "include/endorama/frames.h"

/* The address of an endo_posed_frames, valid to the end of the block; the fields after the first two as
 * .n = 2, .origin_x = 5. Those that are not named are 0 or NULL. */
#define POSED(slot_list, transform_list, ...) \
    (&(endo_posed_frames){.slots = slot_list, .transforms = transform_list, __VA_ARGS__})

#endif
