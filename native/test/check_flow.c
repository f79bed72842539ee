/* Optical flow. */
#include "endo_check.h"

int check_flow(check_rig *rig, char *text, size_t size) {
    static const endo_pair pairs[] = {{0, 1}, {1, 0}, {0, 0}};
    endo_flow_result a[3], b[3];
    CHECK_BOTH(endo_flow_estimate(rig->reference, pairs, 3, ENDO_TRANSFORM_AFFINE, a),
               endo_flow_estimate(rig->tested, pairs, 3, ENDO_TRANSFORM_AFFINE, b), a, b, sizeof a, "affine flow");
    CHECK_BOTH(endo_flow_estimate(rig->reference, pairs, 3, ENDO_TRANSFORM_TRANSLATION, a),
               endo_flow_estimate(rig->tested, pairs, 3, ENDO_TRANSFORM_TRANSLATION, b), a, b, sizeof a,
               "translation flow");
    return 0;
}
