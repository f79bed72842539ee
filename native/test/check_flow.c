/* Optical flow. */
#include "endo_check.h"

#include <string.h>

/* Back ends may share a pair among processors where there are few. */
#define MANY 200

static int check_number(check_rig *rig, const endo_pair pairs[3], const endo_flow_result expected[3], int n, char *text,
                        size_t size) {
    endo_pair asked[MANY];
    endo_flow_result found[MANY];
    memset(found, 0xa5, sizeof found);
    for (int i = 0; i < n; i++) asked[i] = pairs[i % 3];
    int failed = endo_flow_estimate(rig->tested, asked, (size_t)n, ENDO_TRANSFORM_AFFINE, found) != ENDO_OK;
    for (int i = 0; i < n; i++) failed |= memcmp(&found[i], &expected[i % 3], sizeof *found) != 0;
    if (failed) snprintf(text, size, "flow of %d pairs", n);
    return failed;
}

static endo_status flow_of(endo_frames *frames, const endo_pair *pairs, size_t n, const endo_flow_setup *setup,
                           endo_flow_result *out) {
    return frames->context->kernels->batches->flow(frames->store, pairs, n, setup, out);
}

int check_flow(check_rig *rig, char *text, size_t size) {
    static const endo_pair pairs[] = {{0, 1}, {1, 0}, {0, 0}};
    endo_flow_result a[3], b[3];
    CHECK_BOTH(endo_flow_estimate(rig->reference, pairs, 3, ENDO_TRANSFORM_AFFINE, a),
               endo_flow_estimate(rig->tested, pairs, 3, ENDO_TRANSFORM_AFFINE, b), a, b, sizeof a, "affine flow");
    if (check_number(rig, pairs, a, 1, text, size) || check_number(rig, pairs, a, MANY, text, size)) return 1;
    CHECK_BOTH(endo_flow_estimate(rig->reference, pairs, 3, ENDO_TRANSFORM_TRANSLATION, a),
               endo_flow_estimate(rig->tested, pairs, 3, ENDO_TRANSFORM_TRANSLATION, b), a, b, sizeof a,
               "translation flow");
    const endo_flow_setup rough = {ENDO_TRANSFORM_AFFINE, 1};
    CHECK_BOTH(flow_of(rig->reference, pairs, 3, &rough, a), flow_of(rig->tested, pairs, 3, &rough, b), a, b, sizeof a,
               "rough flow");
    return 0;
}
