/* Pairs registered from flow to quality. */
#include "endo_check.h"

int check_register(check_rig *rig, char *text, size_t size) {
    static const endo_pair pairs[] = {{0, 1}, {1, 0}};
    endo_pairs_options p = endo_pairs_options_default();
    endo_pair_result a[2], b[2];
    p.landmarks = 5;
    p.template_side = rig->c->width < 100 ? 9 : 0;
    CHECK_BOTH(endo_pairs_register(rig->reference, pairs, 2, &p, a), endo_pairs_register(rig->tested, pairs, 2, &p, b), a, b,
         sizeof a, "registration");
    return 0;
}
