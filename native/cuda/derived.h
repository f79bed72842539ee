/* Data derived from a frame: made when first needed, and kept until another frame is put into its slot.
 *
 * A new kind is a value here, a line in derived.cu, and a file that ends with its table. */
#ifndef ENDO_CUDA_DERIVED_H
#define ENDO_CUDA_DERIVED_H

#include "cuda.h"

typedef enum cuda_derived {
    CUDA_ARRIVED,  /* nothing of its own: calls wait here for frames that were put (store.cu) */
    CUDA_ENHANCED, /* the grey image for matching, equalized (enhance.cu) */
    CUDA_PYRAMID,  /* what optical flow compares (pyramid.cu) */
    CUDA_FOURIER,  /* levels for Fourier registration (fourier_frames.cu) */
    CUDA_SMOOTHED, /* what patches are compared in (patches.cu) */
    CUDA_BITMAPS,  /* local bitmaps (bitmaps.cu) */
    CUDA_SMALL_BITMAPS, /* of the shrunken frame */
    CUDA_DERIVED   /* none */
} cuda_derived;

typedef struct cuda_derivation {
    cuda_derived from; /* the kind that it is made of in turn */
    /* 0: frames of this store have none, and are used as they are. NULL: all have it. */
    int (*applies)(const cuda_store *s);
    /* Memory for every slot, from the store's arena, with the store; called again once it is there (arena.h).
     * NULL: the first build sees to it. */
    void (*take)(cuda_store *s);
    /* Slots that lack it, each once; in the context's stream, whose memory for arguments and scratch it may use. */
    endo_status (*build)(cuda_store *s, const int32_t *slots, size_t n);
} cuda_derivation;

extern const cuda_derivation cuda_arrived, cuda_enhanced, cuda_pyramid, cuda_fourier_levels, cuda_smoothed,
    cuda_local_bitmaps, cuda_small_bitmaps;

/* Takes the memory that is taken with the store. */
void cuda_derived_take(cuda_store *s);

/* Makes it for those slots of the requests that lack it; a failure leaves them without. requests: as
 * endo_slots_claim() says. */
endo_status cuda_derive(cuda_store *s, cuda_derived kind, const void *requests, size_t n, size_t size);

#endif
