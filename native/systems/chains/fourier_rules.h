/* From pairs that were registered by their spectra to the place of each frame. A frame that cannot be registered stays out of
 * the chain: the next one is compared with the last that could be. The first frame with content begins it; where nothing can be
 * registered with that one, but two frames after it with each other, the chain begins there. */
#ifndef ENDO_CHAINS_FOURIER_RULES_H
#define ENDO_CHAINS_FOURIER_RULES_H

#include "chain_rows.h"

chain_rows fourier_chain_of(int fixed, int frames);

#endif
