/* The checks of grey conversion, coefficients, search, flow, quality and pair registration. */
#include "endo_check.h"

#include <stdio.h>
#include <string.h>

/* Runs one call on both stores and compares what came back. Outputs are poisoned first. */
#define BOTH(call_reference, call_tested, a, b, bytes, what)                                              \
    do {                                                                                                  \
        memset(a, 0x5a, bytes);                                                                           \
        memset(b, 0xa5, bytes);                                                                           \
        if ((call_reference) != ENDO_OK || (call_tested) != ENDO_OK) {                                    \
            snprintf(text, size, "%s: %s", what, endo_last_error());                                      \
            return 1;                                                                                     \
        }                                                                                                 \
        long at = check_difference(a, b, bytes);                                                          \
        if (at >= 0) {                                                                                    \
            snprintf(text, size, "%s: byte %ld of %ld differs", what, at, (long)(bytes));                 \
            return 1;                                                                                     \
        }                                                                                                 \
    } while (0)

int check_store(check_rig *rig, char *text, size_t size) {
    size_t area = (size_t)rig->c->width * rig->c->height;
    uint8_t *a = endo_alloc(area, 1), *b = endo_alloc(area, 1);
    for (int slot = 0; slot < 2; slot++)
        BOTH(endo_frames_get_grey(rig->reference, slot, a), endo_frames_get_grey(rig->tested, slot, b), a, b, area,
             "grey");
    endo_free(a);
    endo_free(b);
    return 0;
}

#define N_REQUESTS 60

int check_ncc(check_rig *rig, char *text, size_t size) {
    static const int sides[] = {3, 5, 15, 17, 31, 33, 45, 63, 65, 95, 127, 129, 255};
    endo_ncc_request q[N_REQUESTS];
    double a[N_REQUESTS], b[N_REQUESTS];
    for (size_t k = 0; k < sizeof sides / sizeof sides[0]; k++) {
        int w = rig->c->width, h = rig->c->height;
        for (int i = 0; i < N_REQUESTS; i++) {
            q[i] = (endo_ncc_request){test_between(&rig->random, 0, 1), test_between(&rig->random, 0, 1),
                                      test_between(&rig->random, -2, w + 1), test_between(&rig->random, -2, h + 1),
                                      test_between(&rig->random, -2, w + 1), test_between(&rig->random, -2, h + 1)};
            if (i % 3) q[i].x = w / 2, q[i].y = h / 2; /* where even large templates fit; runs of one template */
            if (i % 3 == 2) q[i].cx = w / 2 + i % 5, q[i].cy = h / 2 - i % 4;
        }
        char what[32];
        snprintf(what, sizeof what, "coefficients of side %d", sides[k]);
        BOTH(endo_ncc(rig->reference, q, N_REQUESTS, sides[k], a), endo_ncc(rig->tested, q, N_REQUESTS, sides[k], b), a,
             b, sizeof a, what);
    }
    return 0;
}

#define N_SEARCHES 24

int check_search(check_rig *rig, char *text, size_t size) {
    static const endo_search_params params[] = {{15, 4, 1}, {31, 8, 0}, {7, 1, 1}, {45, 128, 1}};
    endo_search_request q[N_SEARCHES];
    endo_search_result a[N_SEARCHES], b[N_SEARCHES];
    for (size_t k = 0; k < sizeof params / sizeof params[0]; k++) {
        for (int i = 0; i < N_SEARCHES; i++) {
            int x = test_between(&rig->random, -1, rig->c->width), y = test_between(&rig->random, -1, rig->c->height);
            q[i] = (endo_search_request){i & 1, !(i & 1), x, y, x + test_between(&rig->random, -9, 9),
                                         y + test_between(&rig->random, -9, 9)};
        }
        BOTH(endo_search(rig->reference, q, N_SEARCHES, &params[k], a),
             endo_search(rig->tested, q, N_SEARCHES, &params[k], b), a, b, sizeof a, "search");
    }
    return 0;
}

int check_flow(check_rig *rig, char *text, size_t size) {
    static const endo_pair pairs[] = {{0, 1}, {1, 0}, {0, 0}};
    endo_flow_result a[3], b[3];
    BOTH(endo_flow(rig->reference, pairs, 3, ENDO_WARP_AFFINE, a), endo_flow(rig->tested, pairs, 3, ENDO_WARP_AFFINE, b),
         a, b, sizeof a, "affine flow");
    BOTH(endo_flow(rig->reference, pairs, 3, ENDO_WARP_TRANSLATION, a),
         endo_flow(rig->tested, pairs, 3, ENDO_WARP_TRANSLATION, b), a, b, sizeof a, "translation flow");
    return 0;
}

#define N_MAPS 6

int check_quality(check_rig *rig, char *text, size_t size) {
    endo_pair pairs[N_MAPS];
    double matrices[6 * N_MAPS] = {1, 0, 0, 0, 1, 0}, a[N_MAPS], b[N_MAPS];
    for (int i = 0; i < N_MAPS; i++) {
        pairs[i] = (endo_pair){i & 1, i % 3 == 0};
        if (i) check_random_map(rig, matrices + 6 * i);
    }
    BOTH(endo_quality(rig->reference, pairs, matrices, N_MAPS, a), endo_quality(rig->tested, pairs, matrices, N_MAPS, b),
         a, b, sizeof a, "quality");
    return 0;
}

int check_register(check_rig *rig, char *text, size_t size) {
    static const endo_pair pairs[] = {{0, 1}, {1, 0}};
    endo_register_params p = endo_register_params_default();
    endo_pair_result a[2], b[2];
    p.landmarks = 5;
    p.side = rig->c->width < 100 ? 9 : 0;
    BOTH(endo_register_pairs(rig->reference, pairs, 2, &p, a), endo_register_pairs(rig->tested, pairs, 2, &p, b), a, b,
         sizeof a, "registration");
    return 0;
}
