/* Two bytes a slot (slots.h). */
#include "slots.h"

#include "memory.h"
#include "status.h"

endo_status endo_slots_create(endo_slots *s, int capacity) {
    s->has = endo_alloc_zeroed((size_t)capacity, sizeof *s->has);
    s->claimed = endo_alloc((size_t)capacity, sizeof *s->claimed);
    if (s->has && s->claimed) return ENDO_OK;
    endo_slots_destroy(s);
    return endo_fail(ENDO_ERR_MEMORY, "no memory for %d slots", capacity);
}

void endo_slots_destroy(endo_slots *s) {
    endo_free(s->has);
    endo_free(s->claimed);
    s->has = NULL;
    s->claimed = NULL;
}

void endo_slots_forget(endo_slots *s, int slot) { s->has[slot] = 0; }

int endo_slots_has(const endo_slots *s, int kind, int slot) { return s->has[slot] >> kind & 1; }

size_t endo_slots_claim(endo_slots *s, int kind, const void *requests, size_t n, size_t size) {
    size_t count = 0;
    const int32_t *before = NULL;
    for (size_t i = 0; i < n; i++) {
        const int32_t *pair = (const int32_t *)((const uint8_t *)requests + i * size);
        if (before && pair[0] == before[0] && pair[1] == before[1]) continue; /* many requests in a row name one pair */
        before = pair;
        for (int k = 0; k < 2; k++) {
            if (s->has[pair[k]] >> kind & 1) continue;
            s->has[pair[k]] |= (uint16_t)(1 << kind);
            s->claimed[count++] = pair[k];
        }
    }
    return count;
}

void endo_slots_give_up(endo_slots *s, int kind, size_t n) {
    for (size_t i = 0; i < n; i++) s->has[s->claimed[i]] &= (uint16_t)~(1 << kind);
}

void endo_slots_drop(endo_slots *s, int kind, int slot) { s->has[slot] &= (uint16_t)~(1 << kind); }

void endo_slots_add(endo_slots *s, int kind, int slot) { s->has[slot] |= (uint16_t)(1 << kind); }
