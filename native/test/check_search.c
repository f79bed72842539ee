/* The logarithmic search. */
#include "endo_check.h"

#include <string.h>

#define N_SEARCHES 24
/* So many times as many: back ends may search for few landmarks in another way. */
#define TIMES 24

static int check_many(check_rig *rig, const endo_search_request *q, const endo_search_result *expected,
                      const endo_search_options *options, char *text, size_t size) {
    endo_search_request many[TIMES * N_SEARCHES];
    endo_search_result found[TIMES * N_SEARCHES];
    memset(found, 0xa5, sizeof found);
    for (int i = 0; i < TIMES; i++) memcpy(many + i * N_SEARCHES, q, N_SEARCHES * sizeof *q);
    int failed = endo_search_run(rig->tested, many, TIMES * N_SEARCHES, options, found) != ENDO_OK;
    for (int i = 0; i < TIMES; i++) failed |= memcmp(found + i * N_SEARCHES, expected, N_SEARCHES * sizeof *expected) != 0;
    if (failed) snprintf(text, size, "search of many");
    return failed;
}

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
        if (check_many(rig, q, a, &options[k], text, size)) return 1;
    }
    return 0;
}
