/* Data derived from a frame: made when first needed, and kept until another frame is put into its slot.
 *
 * A new kind is a value here, a line in derived.c, and a file that ends with its table. */
#ifndef ENDO_CPU_DERIVED_H
#define ENDO_CPU_DERIVED_H

#include "cpu.h"

typedef enum cpu_derived {
    CPU_GREY,       /* grey images and highlights (grey.c) */
    CPU_ENHANCED,   /* the grey image for matching, equalized (enhance.c) */
    CPU_PYRAMID,    /* what optical flow compares (pyramid.c) */
    CPU_ROUGH_PYRAMID, /* of it what a rough estimate needs */
    CPU_BRIGHTNESS, /* levels, for exposures (exposure_prepare.c) */
    CPU_FOURIER,    /* levels, and what Fourier registration makes of them (fourier_frames.c) */
    CPU_SMOOTHED,   /* what patches are compared in (patches.c) */
    CPU_BLOCKS,     /* sums of blocks, for blends (blocks.c) */
    CPU_BITMAPS,    /* local bitmaps (bitmaps.c) */
    CPU_SMALL_BITMAPS, /* of the shrunken frame */
    CPU_DERIVED     /* none */
} cpu_derived;

typedef struct cpu_derivation {
    cpu_derived from; /* the kind that it is made of in turn */
    /* 0: frames of this store have none, and are used as they are. NULL: all have it. */
    int (*applies)(const cpu_store *s);
    /* Memory for every slot, from the store's arena, with the store; called again once it is there (arena.h).
     * NULL: the first build sees to it. */
    void (*take)(cpu_store *s);
    /* Slots that lack it, each once. */
    endo_status (*build)(cpu_store *s, const int32_t *slots, size_t n);
} cpu_derivation;

extern const cpu_derivation cpu_grey, cpu_enhanced, cpu_pyramid, cpu_rough_pyramid, cpu_brightness, cpu_fourier,
    cpu_smoothed, cpu_blocks, cpu_local_bitmaps, cpu_small_bitmaps;

/* Takes the memory that is taken with the store. */
void cpu_derived_take(cpu_store *s);

/* Makes it for those slots of the requests that lack it; a failure leaves them without. requests: as
 * endo_slots_claim() says. */
ENDO_NODISCARD endo_status cpu_derive(cpu_store *s, cpu_derived kind, const void *requests, size_t n, size_t size);

#endif
