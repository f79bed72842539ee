/* Checks that several areas share. */
#ifndef ENDO_API_CHECKS_H
#define ENDO_API_CHECKS_H

#include "backend/objects.h"

/* Compares the ENDO_ABI of the headers that the calling program was compiled with: structs of others may differ in size. */
static inline endo_status endo_check_abi(int abi) {
    if (abi == ENDO_ABI) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "ABI %d: this library (%s) has %d; compile the program with its headers", abi,
                     ENDO_VERSION, ENDO_ABI);
}

/* Checks an option that is 0 or 1. */
static inline endo_status endo_check_flag(const char *name, int value) {
    if (value == 0 || value == 1) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "%s %d: must be 0 or 1", name, value);
}

/* Checks a stride, px; name: how the message calls it. */
static inline endo_status endo_check_stride(const char *name, ptrdiff_t stride, int width) {
    if (stride >= width) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "%s %td: must be at least the width, %d", name, stride, width);
}

/* Check that the options of a registration are in their ranges, whatever the frames are. */
endo_status endo_check_pairs_options(const endo_pairs_options *options);

endo_status endo_ahe_check(const endo_ahe_options *params);
endo_status endo_exposure_check(const endo_exposure_options *options);
endo_status endo_check_period(int period); /* exposures in a bracket */
endo_status endo_fourier_check(const endo_fourier_options *options);

/* Checks a slot, and that its frame was put for one of the uses; 0: the slot may be empty. */
endo_status endo_check_slot(const endo_frames *frames, int slot, int uses);

#endif
