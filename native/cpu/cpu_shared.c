/* A store without frames, made for its masks. */
#include "cpu_shared.h"

#include "cpu.h"

endo_status cpu_field_create(const endo_store_setup *setup, cpu_field *out) {
    static cpu_backend backend = {NULL, 1};
    backend.variant = cpu_variant_choose(ENDO_CPU_C);
    endo_store_setup one = *setup;
    one.options.capacity = 1;
    endo_status status = cpu_frames.create((void *)&backend, &one, &out->store);
    if (status != ENDO_OK) return status;
    const cpu_store *s = out->store;
    out->field = s->field;
    out->field_quads = s->field_quads;
    out->paint_quads = s->paint_quads;
    for (int l = 0; l < s->n_levels; l++) {
        out->level_field[l] = s->levels[l].field;
        out->gain[l] = s->levels[l].gain;
    }
    return ENDO_OK;
}

void cpu_field_destroy(cpu_field *field) { cpu_frames.destroy(field->store); }
