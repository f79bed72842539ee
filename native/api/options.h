/* Options of a program that was compiled with an older or newer header. */
#ifndef ENDO_API_OPTIONS_H
#define ENDO_API_OPTIONS_H

#include "base/status.h"

#include <string.h>

/* Writes no more than the caller has room for, and zeros what only the caller knows. */
static inline void endo_options_copy(void *options, size_t size, const void *defaults, size_t known) {
    if (!options) return;
    memset(options, 0, size);
    memcpy(options, defaults, size < known ? size : known);
}

/* A yes or no. */
static inline endo_status endo_check_flag(const char *name, int value) {
    if (value == 0 || value == 1) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "%s %d: must be 0 or 1", name, value);
}

#endif
