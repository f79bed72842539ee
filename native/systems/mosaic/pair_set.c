/* A hash table with open addressing, at most half full (pair_set.h). */
#include "pair_set.h"

#include "base/memory.h"

/* Key of an empty slot; frames are 0 or more. */
#define EMPTY UINT64_MAX
#define FIRST 64

static uint64_t key_of(int a, int b) {
    return (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
}

/* Slot of a pair, or the free slot for it. */
static size_t slot_of(const pair_set *set, uint64_t key) {
    size_t mask = (size_t)set->capacity - 1;
    size_t slot = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & mask;
    while (set->slots[slot] != EMPTY && set->slots[slot] != key) slot = (slot + 1) & mask;
    return slot;
}

endo_status pair_set_reserve(pair_set *set, int more) {
    int64_t wanted = set->capacity > 0 ? set->capacity : FIRST;
    while (wanted < 2 * ((int64_t)set->n + more)) wanted *= 2;
    if (wanted == set->capacity) return ENDO_OK;
    pair_set larger = {
        .slots = wanted <= 1 << 30 ? endo_alloc((size_t)wanted, sizeof *larger.slots) : NULL,
        .n = set->n,
        .capacity = (int)wanted,
    };
    if (!larger.slots) return endo_fail(ENDO_ERR_MEMORY, "no memory for a set of %d pairs of frames", set->n + more);
    for (int i = 0; i < larger.capacity; i++) larger.slots[i] = EMPTY;
    for (int i = 0; i < set->capacity; i++)
        if (set->slots[i] != EMPTY) larger.slots[slot_of(&larger, set->slots[i])] = set->slots[i];
    endo_free(set->slots);
    *set = larger;
    return ENDO_OK;
}

int pair_set_add(pair_set *set, int a, int b) {
    uint64_t key = key_of(a, b);
    size_t slot = slot_of(set, key);
    if (set->slots[slot] == key) return 0;
    set->slots[slot] = key;
    set->n++;
    return 1;
}

int pair_set_has(const pair_set *set, int a, int b) {
    uint64_t key = key_of(a, b);
    return set->n > 0 && set->slots[slot_of(set, key)] == key;
}

void pair_set_free(pair_set *set) {
    endo_free(set->slots);
    *set = (pair_set){.slots = NULL};
}
