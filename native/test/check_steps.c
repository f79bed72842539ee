/* Steps of the refinement under maps near the identity, and wild ones: a device in one go against patches of the
 * reference, measured and fitted on the host. */
#include "endo_check.h"

#include "systems/pairs/pair_steps.h"

#define N_STEPS 6
#define MOST_PATCHES 200

/* Patches all over a level, in rows; those of few have nothing to fit. */
static void make_grid(check_rig *rig, int level, int side, int32_t *places, endo_patch_grid *g) {
    int width = rig->c->width >> level, height = rig->c->height >> level;
    endo_patch_grid made = {.level = level, .side = side, .positions = places, .width = rig->c->width, .height = rig->c->height,
                            .middle = {(rig->c->width - 1) / 2.0, (rig->c->height - 1) / 2.0},
                            .half = (rig->c->width > rig->c->height ? rig->c->width : rig->c->height) / 2.0};
    size_t most = (size_t)test_between(&rig->random, 1, MOST_PATCHES);
    for (; made.n < most; made.n++) {
        places[2 * made.n] = test_between(&rig->random, 0, width - side);
        places[2 * made.n + 1] = test_between(&rig->random, 0, height - side);
    }
    *g = made;
}

static void make_requests(check_rig *rig, endo_step_request *requests) {
    memset(requests, 0, N_STEPS * sizeof *requests);
    for (int i = 0; i < N_STEPS; i++) {
        endo_step_request *q = &requests[i];
        endo_transform map = check_random_map(rig);
        q->reference = test_between(&rig->random, 0, 1), q->current = test_between(&rig->random, 0, 1);
        q->kind = test_between(&rig->random, ENDO_TRANSFORM_TRANSLATION, ENDO_TRANSFORM_AFFINE);
        memcpy(q->map, map.matrix, sizeof q->map);
        if (i % 2) q->map[0] = q->map[4] = 1, q->map[1] = q->map[3] = 0, q->map[2] /= 16, q->map[5] /= 16;
    }
}

int check_steps(check_rig *rig, char *text, size_t size) {
    endo_step_request requests[N_STEPS];
    endo_step_result a[N_STEPS], b[N_STEPS];
    int32_t places[2 * MOST_PATCHES];
    int least = rig->c->width < rig->c->height ? rig->c->width : rig->c->height;
    if (least < ENDO_PATCH_MOST_SIDE) return CHECK_NOT_FOR_CASE;
    for (int level = 0; level < endo_patch_levels(rig->c->width, rig->c->height); level++) {
        endo_step_workspace host = {.is_host = 1}, room = {0};
        endo_patch_grid g;
        make_grid(rig, level, level ? 12 : 24, places, &g);
        make_requests(rig, requests);
        CHECK_BOTH(endo_pair_steps(rig->reference, &g, level % 2, &host, requests, N_STEPS, a),
                   endo_pair_steps(rig->tested, &g, level % 2, &room, requests, N_STEPS, b), a, b, sizeof a, "steps");
        endo_step_workspace_free(&host);
        endo_step_workspace_free(&room);
    }
    return 0;
}
