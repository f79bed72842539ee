/* From the caller's volumes to the levels that are counted. */
#ifndef ENDO_CPU_MUTUAL_VOLUMES_H
#define ENDO_CPU_MUTUAL_VOLUMES_H

#include "cpu.h"

/* A level with its memory. */
typedef struct cpu_mutual_volumes {
    cpu_mutual_level level;
    uint16_t *fixed;
    uint32_t *moving;
} cpu_mutual_volumes;

/* All levels of a setup; a failure leaves what was made to cpu_mutual_volumes_free. */
endo_status cpu_mutual_volumes_make(const cpu_backend *b, const endo_mutual_setup *setup, cpu_mutual_volumes *levels);
void cpu_mutual_volumes_free(cpu_mutual_volumes *levels, int n);

#endif
