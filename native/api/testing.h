/* What tests need and no user does; not part of the public headers. */
#ifndef ENDO_API_TESTING_H
#define ENDO_API_TESTING_H

#include "backend/kernels.h"
#include "include/endorama/chain.h"
#include "include/endorama/mosaic.h"

/* A context on any table: how tests and benches reach ref, or cap the instruction set. */
endo_status endo_context_create_with(const endo_kernels *kernels, const endo_context_options *options,
                                     endo_context **out);

/* After this many calls that put, register or paint, every further one fails as a broken device would; 0: never. */
void endo_context_fail_after(endo_context *context, int calls);

/* The same of the first context of a mosaic's run, which the CPU then goes on for where AUTO was asked for. */
void endo_mosaic_fail_after(endo_mosaic *mosaic, int calls);

/* The same of a chain. */
void endo_chain_fail_after(endo_chain *chain, int calls);

#endif
