/* [P] Algorithm 3 as a named baseline: the paper's bi-directional GPU kernel, on this card. */
#ifndef ENDO_BENCH_AHE_PAPER_H
#define ENDO_BENCH_AHE_PAPER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ahe_paper ahe_paper;

/* The image with its mirrored borders on the device. NULL: no device or no memory. */
ahe_paper *ahe_paper_create(const uint8_t *grey, int width, int height, ptrdiff_t stride, int window);
void ahe_paper_destroy(ahe_paper *p);

/* One launch, blocks of region x region pixels; milliseconds between events around it. 0 on failure. */
int ahe_paper_run(ahe_paper *p, int region, float *milliseconds);

/* width * height pixels. 0 on failure. */
int ahe_paper_read(const ahe_paper *p, uint8_t *out);

#ifdef __cplusplus
}
#endif
#endif
