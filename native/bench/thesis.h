/* The design of [S] chapters 5 and 6 as a named baseline: one launch for nine or twenty coefficients of one
 * template, sums back to the host, and again. */
#ifndef ENDO_BENCH_THESIS_H
#define ENDO_BENCH_THESIS_H

#include "backend/kernels.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thesis thesis;

/* Two grey images on the device, as float textures. NULL: no device or no memory. */
thesis *thesis_create(const uint8_t *reference, const uint8_t *current, int width, int height);
void thesis_destroy(thesis *t);

/* n (9 or 20) coefficients of one template: one launch, one copy back, the last sums by the host. requests
 * share a template. 0 on failure. */
int thesis_coefficients(thesis *t, const endo_ncc_request *requests, int n, int side, double *out);

#ifdef __cplusplus
}
#endif
#endif
