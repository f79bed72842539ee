/* The measure of quality, under maps near the identity and wild ones. */
#include "endo_check.h"

#define N_MAPS 8

int check_quality(check_rig *rig, char *text, size_t size) {
    endo_pair pairs[N_MAPS];
    endo_transform maps[N_MAPS] = {endo_transform_identity()};
    double a[N_MAPS], b[N_MAPS];
    for (int i = 0; i < N_MAPS; i++) {
        pairs[i] = (endo_pair){i & 1, i % 3 == 0};
        if (i) maps[i] = check_random_map(rig);
        if (i >= 4) check_distortion(rig, &maps[i]);
    }
    CHECK_BOTH(endo_quality_measure(rig->reference, pairs, maps, N_MAPS, a),
               endo_quality_measure(rig->tested, pairs, maps, N_MAPS, b), a, b, sizeof a, "quality");
    return 0;
}
