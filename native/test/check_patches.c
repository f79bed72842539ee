/* Patches compared under maps near the identity, and wild ones that lead out of the frame. */
#include "endo_check.h"

#define N_PATCHES 24

static int32_t number(check_rig *rig, int32_t most) { return test_between(&rig->random, -most, most); }

static endo_patch_request make_request(check_rig *rig, int side) {
    int level = test_between(&rig->random, 0, endo_patch_levels(rig->c->width, rig->c->height) - 1);
    int width = rig->c->width >> level, height = rig->c->height >> level, wild = test_between(&rig->random, 0, 4) == 0;
    endo_patch_request q = {test_between(&rig->random, 0, 1), test_between(&rig->random, 0, 1), level,
                            test_between(&rig->random, 0, width - side), test_between(&rig->random, 0, height - side),
                            {0, 0}, {65536, 0, 0, 65536}};
    for (int k = 0; k < 2; k++) q.at[k] = ((k ? q.y : q.x) << 16) + number(rig, wild ? 1 << 24 : 1 << 19);
    for (int k = 0; k < 4; k++) q.step[k] += number(rig, wild ? (1 << 19) - 1 : 4000);
    return q;
}

int check_patches(check_rig *rig, char *text, size_t size) {
    endo_patch_request requests[N_PATCHES];
    endo_patch_sums a[N_PATCHES], b[N_PATCHES];
    int least = rig->c->width < rig->c->height ? rig->c->width : rig->c->height; /* and of a further level, 32 */
    if (least < ENDO_PATCH_LEAST_SIDE) return CHECK_NOT_FOR_CASE;
    for (int side = ENDO_PATCH_LEAST_SIDE; side <= ENDO_PATCH_MOST_SIDE && side <= least; side += 4) {
        endo_patches_setup setup = {side};
        for (int i = 0; i < N_PATCHES; i++) requests[i] = make_request(rig, side);
        CHECK_BOTH(rig->reference->context->kernels->batches->patches(rig->reference->store, requests, N_PATCHES, &setup, a),
                   rig->tested->context->kernels->batches->patches(rig->tested->store, requests, N_PATCHES, &setup, b), a, b,
                   sizeof a, "patches");
    }
    return 0;
}
