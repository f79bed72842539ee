/* The quality of pairs ([S] section 3.3.1) and their agreement, in pieces between which a caller can cancel. */
#include "overlap.h"

#include "base/transform.h"
#include "overlap_homography.h"
#include "backend/pieces.h"

#include <string.h>

/* A batch kernel that writes n results of a known size one after another, and the same measure under homographies. */
typedef struct measure {
    endo_status (*run)(endo_frames *frames, const endo_mapped_pair *requests, size_t n, void *results);
    endo_status (*run_homography)(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms, size_t n,
                            void *results);
    size_t size; /* bytes of a result */
} measure;

static const endo_nothing nothing = 0;

static endo_status run_quality(endo_frames *frames, const endo_mapped_pair *requests, size_t n, void *results) {
    return frames->context->kernels->batches->quality(frames->store, requests, n, &nothing, results);
}

static endo_status run_agreement(endo_frames *frames, const endo_mapped_pair *requests, size_t n, void *results) {
    return frames->context->kernels->batches->agreement(frames->store, requests, n, &nothing, results);
}

static endo_status run_homography_quality(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms,
                                          size_t n, void *results) {
    return endo_overlap_homography_quality(frames, pairs, transforms, n, results);
}

static endo_status run_homography_agreement(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms,
                                      size_t n, void *results) {
    return endo_overlap_homography_agreement(frames, pairs, transforms, n, results);
}

static void map_pairs(const endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms, size_t n,
                      endo_mapped_pair *requests) {
    /* Nothing overlaps under a map without an inverse: a map far outside the frame gives the same result. */
    const endo_fixed_affine nowhere = {{0, 0, -((int64_t)1 << 40), 0, 0, -((int64_t)1 << 40)}};
    for (size_t i = 0; i < n; i++) {
        requests[i].pair = pairs[i];
        endo_transform affine = transforms[i];
        int is_affine = affine.kind != ENDO_TRANSFORM_HOMOGRAPHY || endo_overlap_affine(frames, &transforms[i], &affine);
        if (!is_affine || !endo_transform_map_back(&affine, &requests[i].map)) requests[i].map = nowhere;
    }
}

/* Measures the pairs whose homography no affine map comes near enough to. */
static endo_status measure_homography(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms, size_t n,
                                const measure *what, uint8_t *results) {
    endo_status status = ENDO_OK;
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        endo_transform affine;
        if (transforms[i].kind != ENDO_TRANSFORM_HOMOGRAPHY || endo_overlap_affine(frames, &transforms[i], &affine)) continue;
        status = what->run_homography(frames, &pairs[i], &transforms[i], 1, results + i * what->size);
    }
    return status;
}

/* Results are untouched unless all pieces succeed. */
static endo_status measure_pairs(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms, size_t n,
                                 const measure *what, void *results) {
    size_t piece = endo_pairs_a_piece(frames, n);
    endo_mapped_pair *requests = endo_alloc(n, sizeof *requests);
    uint8_t *made = endo_alloc(n, what->size);
    endo_status status = ENDO_OK;
    if (requests && made)
        map_pairs(frames, pairs, transforms, n, requests);
    else
        status = endo_fail(ENDO_ERR_MEMORY, "no memory to compare %zu pairs", n);
    for (size_t at = 0; at < n && status == ENDO_OK; at += piece) {
        size_t count = n - at < piece ? n - at : piece;
        status = endo_context_go_on(frames->context);
        if (status == ENDO_OK) status = what->run(frames, requests + at, count, made + at * what->size);
    }
    if (status == ENDO_OK) status = measure_homography(frames, pairs, transforms, n, what, made);
    if (status == ENDO_OK) memcpy(results, made, n * what->size);
    endo_free(requests);
    endo_free(made);
    return status;
}

endo_status endo_overlap_quality(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms, size_t n,
                                 double *quality) {
    static const measure what = {run_quality, run_homography_quality, sizeof *quality};
    return measure_pairs(frames, pairs, transforms, n, &what, quality);
}

endo_status endo_overlap_agreement(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms,
                                   size_t n, endo_agreement *agreement) {
    static const measure what = {run_agreement, run_homography_agreement, sizeof *agreement};
    return measure_pairs(frames, pairs, transforms, n, &what, agreement);
}
