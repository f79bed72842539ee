#include "pair_bend.h"

#include <math.h>

void endo_pair_not_bent(endo_pair_result *out) {
    out->perspective[0] = out->perspective[1] = out->perspective_deviation = NAN;
    out->lens = out->lens_deviation = NAN;
}
