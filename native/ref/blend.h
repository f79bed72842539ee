/* A blend of the reference: what blend.c and blend_finish.c share. */
#ifndef ENDO_REF_BLEND_H
#define ENDO_REF_BLEND_H

#include "ref.h"

typedef struct ref_blend {
    endo_blend_setup setup;
    endo_blend_correction factors;
    uint8_t *sums;      /* endo_blend_sum_size for each pixel */
    uint16_t *coverage;
    endo_blend_cell *cells;
    int columns, rows; /* of cells */
} ref_blend;

/* endo_blend_kernels.finish (blend_finish.c). */
endo_status ref_blend_finish(void *blend, const endo_blend_view *view);

#endif
