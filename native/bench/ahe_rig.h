/* Who takes part in the benches of adaptive equalization, and one measurement: every contender on one image, in
 * turn, after their pixels were seen to agree. */
#ifndef ENDO_BENCH_AHE_RIG_H
#define ENDO_BENCH_AHE_RIG_H

#include "bench.h"
#include "timing.h"

#include "backend/objects.h"

#ifdef __cplusplus
extern "C" {
#endif

#define AHE_CONTENDERS 8

/* The paper's windows and sizes: images of that many megapixels, cut from the middle of a larger one. */
#define AHE_WINDOWS 5
#define AHE_SIZES 5
extern const int ahe_windows[AHE_WINDOWS];
extern const int ahe_megapixels[AHE_SIZES];
#define AHE_SIDE 4000 /* of the largest image */

typedef struct ahe_image {
    const char *name;
    const void *pixels;
    endo_pixel type;
    int width, height;
    ptrdiff_t stride;
} ahe_image;

typedef struct ahe_contender {
    const char *name;
    int threads;
    endo_context *context; /* NULL: Algorithm 2 */
    int most_megapixels;   /* larger images are left out; 0: none */
    int active;            /* takes part in this measurement */
    double megapixels;     /* of one repeat */
    timing time;
} ahe_contender;

typedef struct ahe_rig {
    ahe_contender contenders[AHE_CONTENDERS];
    int n;
    void *out[2]; /* AHE_SIDE^2 pixels of 4 bytes */
    uint8_t *grey, *noise;
    uint16_t *deep;
    uint32_t *rgb; /* the tissue: AHE_SIDE^2 each */
} ahe_rig;

/* The images; contenders are added after. */
int ahe_rig_create(ahe_rig *r);
void ahe_rig_destroy(ahe_rig *r);

/* A back end, by context options; one that this machine or build lacks is left out with a line. 0: failed. */
int ahe_rig_add(ahe_rig *r, const char *name, const endo_kernels *kernels, const endo_context_options *options,
                int most_megapixels);
void ahe_rig_add_algorithm2(ahe_rig *r, int threads);

/* The middle of an image, as square as it gets. */
ahe_image ahe_cut(const void *pixels, endo_pixel type, const char *name, int megapixels);

/* 0 (with endo_last_error) if something failed or two contenders differ; without Algorithm 2 in the measurement
 * a part of the image is held against the definition. budget: seconds for all repeats. */
int ahe_measure(ahe_rig *r, const ahe_image *image, const endo_ahe_options *params, double budget, int least_repeats);

/* Milliseconds a megapixel; 0 if the contender took no part. */
double ahe_ms_a_megapixel(const ahe_contender *c, double quantile);

#ifdef __cplusplus
}
#endif
#endif
