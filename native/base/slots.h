/* Which slots of a frame store have what can be derived from a frame: the book that every back end keeps of it. */
#ifndef ENDO_BASE_SLOTS_H
#define ENDO_BASE_SLOTS_H

#include "include/endorama.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds are numbers from 0. */
#define ENDO_SLOTS_KINDS 8

typedef struct endo_slots {
    uint8_t *has;     /* of a slot: bit `kind` */
    int32_t *claimed; /* by the last endo_slots_claim; room for every slot */
} endo_slots;

ENDO_NODISCARD endo_status endo_slots_create(endo_slots *s, int capacity);
void endo_slots_destroy(endo_slots *s);

/* A new frame is put there: what was derived from the old one is stale, all of it. */
void endo_slots_forget(endo_slots *s, int slot);

/* Whether a slot has it: 0 or 1. */
int endo_slots_has(const endo_slots *s, int kind, int slot);

/* Lists in `claimed` the slots that the requests name and that lack this kind, each once; from now on they have it.
 * requests: n structs of `size` bytes, each of which begins with the numbers of two slots, as an endo_pair does.
 * Returns how many there are. Allocates nothing. */
size_t endo_slots_claim(endo_slots *s, int kind, const void *requests, size_t n, size_t size);

/* It comes with the frame: from now on the slot has it. */
void endo_slots_add(endo_slots *s, int kind, int slot);

/* It is to be made anew. */
void endo_slots_drop(endo_slots *s, int kind, int slot);

/* It could not be made: the first n of `claimed` lack it again. */
void endo_slots_give_up(endo_slots *s, int kind, size_t n);

#ifdef __cplusplus
}
#endif
#endif
