/* Positions of differently exposed frames from the shifts between them, and the rule for frames that cannot be aligned. Such a
 * frame keeps the position of the last aligned one, or gets the one that the motion predicts; the frame after it is compared
 * with the last aligned one, too. If that fails, but it can be aligned with the frame before it, a new start is made there:
 * frames from there on are aligned with one another, at a position that is not measured.
 *
 * The first frame with content begins the path. If frames came before it, its row has the comparison with the last of them
 * until another frame is aligned with it: nothing has been measured so far. */
#ifndef ENDO_CHAINS_EXPOSURE_RULES_H
#define ENDO_CHAINS_EXPOSURE_RULES_H

#include "exposure_path.h"

typedef struct exposure_chain {
    chain_rows rows; /* must be the first field: rules get a pointer to it */
    exposure_path path;
    int is_unproven; /* the chain began after other frames, and nothing has been aligned with it */
    chain_pair self; /* the first frame's comparison with itself */
} exposure_chain;

/* fixed: see chain_rows. period, whole: see exposure_path. */
endo_status exposure_chain_begin(exposure_chain *c, int fixed, int frames, int period, int whole);

#endif
