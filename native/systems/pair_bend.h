/* What the pixels of a pair say beyond its transform: perspective and a lens (endo_pair_result). */
#ifndef ENDO_SYSTEMS_PAIR_BEND_H
#define ENDO_SYSTEMS_PAIR_BEND_H

#include "../objects.h"

/* Nothing is known. */
void endo_pair_not_bent(endo_pair_result *out);

#endif
