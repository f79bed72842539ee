/* From shifts between differently exposed frames to the place of each, and the rule for frames that cannot be aligned. Such a
 * frame keeps the place of the last aligned one, or gets the one that the motion predicts; the frame after it is compared with
 * the last aligned one too. If that fails, but it can be aligned with the frame before it, a new start is made there: frames
 * from there on are aligned with one another, at a place that is not measured.
 *
 * The first frame with content begins the path. Where frames came before it, it says what it is compared with the last of them,
 * until another frame is aligned with it: nothing has been measured so far. */
#ifndef ENDO_CHAINS_EXPOSURE_RULES_H
#define ENDO_CHAINS_EXPOSURE_RULES_H

#include "exposure_path.h"

typedef struct exposure_chain {
    chain_rows rows; /* first: the rules are handed this */
    exposure_path path;
    int is_unproven; /* the chain began after other frames, and nothing has been aligned with it */
    chain_pair self; /* how that beginning sees itself */
} exposure_chain;

/* fixed: of chain_rows. period, whole: of exposure_path. */
endo_status exposure_chain_begin(exposure_chain *c, int fixed, int frames, int period, int whole);

#endif
