/* Reporting of failures. */
#ifndef ENDO_BASE_STATUS_H
#define ENDO_BASE_STATUS_H

#include "include/endorama.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Records the calling thread's message (printf style) and returns status, so that a failure is one
 * line: return endo_fail(ENDO_ERR_ARGUMENT, "template %d: must be odd, 3..255", side); */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
endo_status endo_fail(endo_status status, const char *format, ...);

/* Returns from the calling function if a call fails. */
#define ENDO_TRY(call)                          \
    do {                                        \
        endo_status status_ = (call);           \
        if (status_ != ENDO_OK) return status_; \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
