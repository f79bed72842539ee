/* How true the colours of panoramas are: frames that a lamp lights, rendered with truth, blended with their light taken out
 * (light=Even) and as they are (light=None). */
#ifndef ENDO_BENCH_LOOK_LIGHT_H
#define ENDO_BENCH_LOOK_LIGHT_H

#include "bench.h"

endo_status look_light(bench *b, endo_context *context);

#endif
