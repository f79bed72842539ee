/* Derived data of a frame store: every back end keeps here which slots have which kind. */
#ifndef ENDO_BASE_SLOTS_H
#define ENDO_BASE_SLOTS_H

#include "include/endorama.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct endo_slots {
    uint16_t *has;    /* for each slot: bit `kind`, 0..15, is 1 if the slot has that kind */
    int32_t *claimed; /* slots listed by the last endo_slots_claim; large enough for every slot */
} endo_slots;

ENDO_NODISCARD endo_status endo_slots_create(endo_slots *s, int capacity);
void endo_slots_destroy(endo_slots *s);

/* Removes all kinds from a slot, into which a new frame is put. */
void endo_slots_forget(endo_slots *s, int slot);

/* Whether a slot has a kind: 0 or 1. */
int endo_slots_has(const endo_slots *s, int kind, int slot);

/* Lists in `claimed` the slots that the requests name and that lack a kind, each once, and marks them as having it.
 * requests: n structs of `size` bytes, each of which begins with the numbers of two slots, as an endo_pair does.
 * Returns how many there are. Allocates nothing. */
size_t endo_slots_claim(endo_slots *s, int kind, const void *requests, size_t n, size_t size);

/* Marks a slot as having a kind that came with its frame. */
void endo_slots_add(endo_slots *s, int kind, int slot);

/* Removes a kind from a slot: it is derived again when it is next claimed. */
void endo_slots_drop(endo_slots *s, int kind, int slot);

/* Removes a kind from the first n slots of `claimed`, after it could not be derived. */
void endo_slots_give_up(endo_slots *s, int kind, size_t n);

#ifdef __cplusplus
}
#endif
#endif
