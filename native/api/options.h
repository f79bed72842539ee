/* Checks that have no place of their own. */
#ifndef ENDO_API_OPTIONS_H
#define ENDO_API_OPTIONS_H

#include "base/status.h"

/* What a program was compiled with: structs of other headers may have other sizes. */
static inline endo_status endo_check_abi(int abi) {
    if (abi == ENDO_ABI) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "ABI %d: this library (%s) has %d; compile the program with its headers", abi,
                     ENDO_VERSION, ENDO_ABI);
}

/* A yes or no. */
static inline endo_status endo_check_flag(const char *name, int value) {
    if (value == 0 || value == 1) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "%s %d: must be 0 or 1", name, value);
}

#endif
