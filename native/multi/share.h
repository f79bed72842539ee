/* Which of several devices works on which requests, and who has which frames at first. No device is called here. */
#ifndef ENDO_MULTI_SHARE_H
#define ENDO_MULTI_SHARE_H

#include "include/endorama.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Slots are dealt out in blocks of so many, in turns: while the frames of a block go up over one link, those of the
 * block before are still on theirs. */
#define ENDO_SHARE_BLOCK 4

/* The device that a slot's frame is put on: its home. The first block is one slot, so that two frames are on two. */
static inline int endo_share_home(int slot, int devices) {
    return (slot + ENDO_SHARE_BLOCK - 1) / ENDO_SHARE_BLOCK % devices;
}

/* Requests first .. first + n - 1 of a call. */
typedef struct endo_share_run {
    size_t first, n;
} endo_share_run;

/* Each device's share of a call, perhaps none. requests: n structs of `size` bytes, each of which begins with the
 * numbers of two slots. Requests with the same two that follow each other are a pair. The pairs are cut, as they come,
 * into runs of equal numbers, so that results need not be moved; the runs go to the devices in turns, beginning with
 * the one that leaves the most pairs where their second frames are at home. */
void endo_share_out(const void *requests, size_t n, size_t size, int devices, endo_share_run shares[ENDO_MAX_DEVICES]);

#ifdef __cplusplus
}
#endif

#endif
