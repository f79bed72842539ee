/* Functions for tests alone; not part of the public headers. */
#ifndef ENDO_API_TESTING_H
#define ENDO_API_TESTING_H

#include "backend/kernels.h"
#include "include/endorama/chain.h"
#include "include/endorama/live.h"
#include "include/endorama/mosaic.h"

/* Creates a context on any table of kernels: tests and benches use it to reach ref, or to cap the instruction set. */
endo_status endo_context_create_with(const endo_kernels *kernels, const endo_context_options *options,
                                     endo_context **out);

/* Makes every call that puts, registers or paints fail as on a broken device, after this many calls; 0: never. */
void endo_context_fail_after(endo_context *context, int calls);

/* Makes the first context of a mosaic's run fail after this many calls; the CPU goes on for it where AUTO was asked for. */
void endo_mosaic_fail_after(endo_mosaic *mosaic, int calls);

/* Makes the first context of a chain's run fail after this many calls. */
void endo_chain_fail_after(endo_chain *chain, int calls);

/* Makes the first context of a live panorama's preview fail after this many calls; set before the first frame. */
void endo_live_fail_after(endo_live *live, int calls);

#endif
