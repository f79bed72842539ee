/* The verdict on what a run made: can it be used, why not, and what to do next. */
#ifndef ENDO_MOSAIC_VERDICT_H
#define ENDO_MOSAIC_VERDICT_H

#include "session.h"

/* Judges the records and the end of a run. warned: number of warnings of earlier stages. */
void verdict_of(const endo_mosaic *mosaic, int warned, endo_mosaic_verdict *out);

#endif
