/* Failures of work that several threads share: messages are a thread's own, so they are kept and said again. */
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

/* On the thread that worked. */
void endo_outcome_keep(endo_outcome *outcome, endo_status status);

/* On the one that called: the first failure of n, if there is one, is its failure. */
endo_status endo_outcome_first(const endo_outcome *outcomes, int n);

#ifdef __cplusplus
}
#endif

#endif
