/* Checks that several areas share. */
#ifndef ENDO_API_CHECKS_H
#define ENDO_API_CHECKS_H

#include "backend/objects.h"

endo_status endo_ahe_check(const endo_ahe_options *params);

/* uses: its frame was put for one of them; 0: the slot may be empty. */
endo_status endo_check_slot(const endo_frames *frames, int slot, int uses);

#endif
