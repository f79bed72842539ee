/* One place for what is derived from frames (derived.h). */
#include "derived.h"

static const cpu_derivation *const kinds[CPU_DERIVED] = {
    [CPU_GREY] = &cpu_grey,
    [CPU_ENHANCED] = &cpu_enhanced,
    [CPU_PYRAMID] = &cpu_pyramid,
    [CPU_ROUGH_PYRAMID] = &cpu_rough_pyramid,
    [CPU_BRIGHTNESS] = &cpu_brightness,
    [CPU_FOURIER] = &cpu_fourier,
    [CPU_SMOOTHED] = &cpu_smoothed,
    [CPU_BLOCKS] = &cpu_blocks,
    [CPU_BITMAPS] = &cpu_local_bitmaps,
    [CPU_SMALL_BITMAPS] = &cpu_small_bitmaps,
};

static int applies(const cpu_store *s, cpu_derived kind) { return !kinds[kind]->applies || kinds[kind]->applies(s); }

void cpu_derived_take(cpu_store *s) {
    for (int kind = 0; kind < CPU_DERIVED; kind++)
        if (kinds[kind]->take && applies(s, (cpu_derived)kind)) kinds[kind]->take(s);
}

endo_status cpu_derive(cpu_store *s, cpu_derived kind, const void *requests, size_t n, size_t size) {
    const cpu_derivation *d = kinds[kind];
    endo_status status = d->from == CPU_DERIVED ? ENDO_OK : cpu_derive(s, d->from, requests, n, size);
    size_t count = status == ENDO_OK && applies(s, kind) ? endo_slots_claim(&s->slots, kind, requests, n, size) : 0;
    if (count == 0) return status;
    status = d->build(s, s->slots.claimed, count);
    if (status != ENDO_OK) endo_slots_give_up(&s->slots, kind, count);
    return status;
}
