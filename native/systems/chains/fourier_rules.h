/* Poses of frames from pairs registered by their spectra. A frame that cannot be registered stays out of the chain: the next
 * one is compared with the last that could be. The first frame with content begins the chain; where nothing can be registered
 * with it, but two frames after it with each other, the chain begins there. */
#ifndef ENDO_CHAINS_FOURIER_RULES_H
#define ENDO_CHAINS_FOURIER_RULES_H

#include "chain_rows.h"

chain_rows fourier_chain_of(int fixed, int frames);

#endif
