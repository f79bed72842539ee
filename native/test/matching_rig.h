/* The library's calls that compare frames, for tests of what is asked of them and of what is made of their answers: they are
 * remembered, and answer what a test wants, or as they do. Linked with --wrap. */
#ifndef ENDO_TEST_MATCHING_RIG_H
#define ENDO_TEST_MATCHING_RIG_H

#include "include/endorama/fourier.h"
#include "systems/mosaic/pair_match.h"
#include "base/status.h"
#include "check.h"
#include "demo_rig.h"

#include <string.h>

enum { RIG_PAIRS = 64 };

/* The pairs that were asked for last, and how often any were. */
typedef struct rig_calls {
    int calls;
    int n;                           /* pairs of the last call */
    endo_pair pairs[RIG_PAIRS];      /* of it */
    endo_transform transforms[RIG_PAIRS]; /* starts, or what was measured */
    endo_pairs_options options;
    int from; /* searches started from transforms */
    endo_status fails; /* what it answers in place of anything; ENDO_OK: nothing */
} rig_calls;

static rig_calls rig_registered, rig_agreed;
static const endo_pair_result *rig_results;  /* of the next calls; NULL: the library's own */
static const endo_agreement *rig_agreements; /* the same */

static inline void rig_forget(void) {
    memset(&rig_registered, 0, sizeof rig_registered);
    memset(&rig_agreed, 0, sizeof rig_agreed);
    rig_results = NULL;
    rig_agreements = NULL;
}

static inline void rig_remember(rig_calls *c, const endo_pair *pairs, const endo_transform *transforms, size_t n) {
    c->calls++;
    c->n = (int)n;
    memcpy(c->pairs, pairs, n * sizeof *pairs);
    if (transforms) memcpy(c->transforms, transforms, n * sizeof *transforms);
}

endo_status __real_endo_pairs_register(endo_frames *frames, const endo_pair *pairs, size_t n, const endo_pairs_options *options,
                                       endo_pair_result *results);
endo_status __real_endo_pairs_register_from(endo_frames *frames, const endo_pair *pairs, const endo_transform *starts, size_t n,
                                            const endo_pairs_options *options, endo_pair_result *results);
endo_status __real_endo_agreement_measure(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms,
                                          size_t n, endo_agreement *agreement);
endo_status __real_endo_pairs_separate(endo_frames *frames, const endo_pair *pairs, size_t n, const endo_pairs_options *options,
                                       endo_pair_result *results, endo_pair_layers *layers);
endo_status __wrap_endo_pairs_separate(endo_frames *frames, const endo_pair *pairs, size_t n, const endo_pairs_options *options,
                                       endo_pair_result *results, endo_pair_layers *layers);
endo_status __wrap_endo_pairs_register(endo_frames *frames, const endo_pair *pairs, size_t n, const endo_pairs_options *options,
                                       endo_pair_result *results);
endo_status __wrap_endo_pairs_register_from(endo_frames *frames, const endo_pair *pairs, const endo_transform *starts, size_t n,
                                            const endo_pairs_options *options, endo_pair_result *results);
endo_status __wrap_endo_agreement_measure(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms,
                                          size_t n, endo_agreement *agreement);

endo_status __wrap_endo_pairs_register(endo_frames *frames, const endo_pair *pairs, size_t n, const endo_pairs_options *options,
                                       endo_pair_result *results) {
    rig_remember(&rig_registered, pairs, NULL, n);
    rig_registered.options = *options;
    rig_registered.from = 0;
    if (rig_registered.fails != ENDO_OK) return endo_fail(rig_registered.fails, "registration as asked for");
    if (!rig_results) return __real_endo_pairs_register(frames, pairs, n, options, results);
    memcpy(results, rig_results, n * sizeof *results);
    return ENDO_OK;
}

/* Pairs whose results are made up show one motion. */
endo_status __wrap_endo_pairs_separate(endo_frames *frames, const endo_pair *pairs, size_t n, const endo_pairs_options *options,
                                       endo_pair_result *results, endo_pair_layers *layers) {
    if (!rig_results) return __real_endo_pairs_separate(frames, pairs, n, options, results, layers);
    memset(layers, 0, n * sizeof *layers);
    return ENDO_OK;
}

endo_status __wrap_endo_pairs_register_from(endo_frames *frames, const endo_pair *pairs, const endo_transform *starts, size_t n,
                                            const endo_pairs_options *options, endo_pair_result *results) {
    rig_remember(&rig_registered, pairs, starts, n);
    rig_registered.options = *options;
    rig_registered.from = 1;
    if (rig_registered.fails != ENDO_OK) return endo_fail(rig_registered.fails, "registration as asked for");
    if (!rig_results) return __real_endo_pairs_register_from(frames, pairs, starts, n, options, results);
    memcpy(results, rig_results, n * sizeof *results);
    return ENDO_OK;
}

endo_status __wrap_endo_agreement_measure(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms,
                                          size_t n, endo_agreement *agreement) {
    rig_remember(&rig_agreed, pairs, transforms, n);
    if (rig_agreed.fails != ENDO_OK) return endo_fail(rig_agreed.fails, "agreement as asked for");
    if (!rig_agreements) return __real_endo_agreement_measure(frames, pairs, transforms, n, agreement);
    memcpy(agreement, rig_agreements, n * sizeof *agreement);
    return ENDO_OK;
}

/* --------------------------------------------------------------------- results */

/* A pair of this status, landmarks found, quality and deviation, that was not moved; of the rest nothing is known. */
static inline endo_pair_result rig_result(int status, int found, double quality, double deviation) {
    return (endo_pair_result){
        .transform = pose_identity,
        .mean_coefficient = NAN,
        .quality = quality,
        .deviation = deviation,
        .perspective = {NAN, NAN},
        .perspective_deviation = NAN,
        .lens = NAN,
        .lens_deviation = NAN,
        .status = status,
        .found = found,
    };
}

/* Bytes alike, but for those that are none of its numbers. */
static inline int rig_same_transform(const endo_transform *a, const endo_transform *b) {
    return a->kind == b->kind && !memcmp(a->matrix, b->matrix, sizeof a->matrix);
}

/* ------------------------------------------------------------------------ demos */

static inline endo_demo_options rig_demo_options(int width, int height, int frames, uint64_t seed) {
    endo_demo_options options = endo_demo_options_default();
    options.width = width;
    options.height = height;
    options.frames = frames < 60 ? 60 : frames;
    options.step = 4;
    options.seed = seed;
    return options;
}

/* Where frame `current` lies in frame `reference`. */
static inline endo_transform rig_truth(const endo_demo_options *options, int reference, int current) {
    endo_context_options cpu = {.backend = ENDO_BACKEND_CPU, .threads = 1};
    endo_context *context = NULL;
    endo_demo *demo = NULL;
    endo_transform from, to;
    CHECK(endo_context_create(&cpu, &context) == ENDO_OK && endo_demo_create(context, options, &demo) == ENDO_OK);
    CHECK(endo_demo_truth(demo, reference, &from) == ENDO_OK && endo_demo_truth(demo, current, &to) == ENDO_OK);
    endo_demo_destroy(&demo);
    endo_context_destroy(&context);
    return pose_between(&from, &to);
}

#endif
