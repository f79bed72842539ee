/* Coefficients of every size of template, at places of all kinds. */
#include "endo_check.h"

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
            if (i >= N_REQUESTS / 2) q[i].reference = 0, q[i].current = 1; /* many of one template */
            if (i % 3 == 2) q[i].cx = w / 2 + i % 5, q[i].cy = h / 2 - i % 4;
        }
        char what[32];
        snprintf(what, sizeof what, "coefficients of side %d", sides[k]);
        CHECK_BOTH(endo_ncc_compute(rig->reference, q, N_REQUESTS, sides[k], a), endo_ncc_compute(rig->tested, q, N_REQUESTS, sides[k], b), a,
             b, sizeof a, what);
    }
    return 0;
}
