/* What the CPU back end makes of a field of view, for other back ends to take along: padded masks and the
 * gains of the flow pyramid, laid out as native/cpu/cpu.h says. */
#ifndef ENDO_CPU_SHARED_H
#define ENDO_CPU_SHARED_H

#include "../rules/flow.h"
#include "../kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpu_field {
    void *store; /* owns the rest */
    const uint8_t *field, *field_quads, *paint_quads;
    const uint8_t *level_field[ENDO_FLOW_MAX_LEVELS];
    const int16_t *gain[ENDO_FLOW_MAX_LEVELS];
} cpu_field;

ENDO_NODISCARD endo_status cpu_field_create(const endo_store_setup *setup, cpu_field *out);
void cpu_field_destroy(cpu_field *field);

#ifdef __cplusplus
}
#endif
#endif
