/* Failures of work that several threads share: messages are local to a thread, so they are kept and recorded again. */
#ifndef ENDO_BASE_OUTCOME_H
#define ENDO_BASE_OUTCOME_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct endo_outcome {
    endo_status status;
    char message[256];
} endo_outcome;

/* Keeps a status and its message; called by the thread that worked. */
void endo_outcome_keep(endo_outcome *outcome, endo_status status);

/* Returns the first failure of n outcomes, with its message, or ENDO_OK; called by the thread that waits for the others. */
endo_status endo_outcome_first(const endo_outcome *outcomes, int n);

#ifdef __cplusplus
}
#endif

#endif
