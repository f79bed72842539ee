/* Every public function that allocates, with what it works on. */
#ifndef ENDO_TEST_MEMORY_CALLS_H
#define ENDO_TEST_MEMORY_CALLS_H

#include "memory_world.h"

typedef struct memory_call {
    const char *name;
    void (*build)(world *w); /* NULL: from nothing */
    endo_status (*call)(world *w);
    int least; /* allocations that there must be: else the sweep finds nothing */
} memory_call;

extern const memory_call memory_calls[];
extern const int memory_call_count;

#endif
