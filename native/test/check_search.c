/* The logarithmic search. */
#include "endo_check.h"

#define N_SEARCHES 24

int check_search(check_rig *rig, char *text, size_t size) {
    static const endo_search_options options[] = {{15, 4, 1}, {31, 8, 0}, {7, 1, 1}, {45, 128, 1}};
    endo_search_request q[N_SEARCHES];
    endo_search_result a[N_SEARCHES], b[N_SEARCHES];
    for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
        for (int i = 0; i < N_SEARCHES; i++) {
            int x = test_between(&rig->random, -1, rig->c->width), y = test_between(&rig->random, -1, rig->c->height);
            q[i] = (endo_search_request){i & 1, !(i & 1), x, y, x + test_between(&rig->random, -9, 9),
                                         y + test_between(&rig->random, -9, 9)};
        }
        CHECK_BOTH(endo_search_run(rig->reference, q, N_SEARCHES, &options[k], a),
             endo_search_run(rig->tested, q, N_SEARCHES, &options[k], b), a, b, sizeof a, "search");
    }
    return 0;
}
