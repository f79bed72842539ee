/* Statuses with their messages (outcome.h). */
#include "outcome.h"

#include <stdio.h>

void endo_outcome_keep(endo_outcome *outcome, endo_status status) {
    outcome->status = status;
    if (status != ENDO_OK) snprintf(outcome->message, sizeof outcome->message, "%s", endo_last_error());
}

endo_status endo_outcome_first(const endo_outcome *outcomes, int n) {
    for (int i = 0; i < n; i++)
        if (outcomes[i].status != ENDO_OK) return endo_fail(outcomes[i].status, "%s", outcomes[i].message);
    return ENDO_OK;
}
