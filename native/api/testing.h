/* What tests need and no user does; not part of the public headers. */
#ifndef ENDO_API_TESTING_H
#define ENDO_API_TESTING_H

#include "include/endorama/context.h"

/* After this many calls that put, register or paint, every further one fails as a broken device would; 0: never. */
void endo_context_fail_after(endo_context *context, int calls);

#endif
