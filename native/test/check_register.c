/* Pairs registered from flow to quality. */
#include "endo_check.h"

/* Landmarks of two pairs. */
typedef struct placed {
    endo_landmark marks[2 * 25];
    int32_t counts[2];
} placed;

int check_register(check_rig *rig, char *text, size_t size) {
    static const endo_pair pairs[] = {{0, 1}, {1, 0}};
    endo_pairs_options p = endo_pairs_options_default();
    endo_pair_result a[2], b[2];
    placed marks_a, marks_b;
    p.landmarks = 5;
    p.template_side = rig->c->width < 100 ? 9 : 0;
    CHECK_BOTH(endo_pairs_register(rig->reference, pairs, 2, &p, a), endo_pairs_register(rig->tested, pairs, 2, &p, b), a, b,
         sizeof a, "registration");
    /* What most of the time goes into: one of both classes, in turn. */
    p.method = ENDO_METHOD_BEST;
    p.transform = rig->c->number % 2 ? ENDO_TRANSFORM_HOMOGRAPHY : ENDO_TRANSFORM_AUTO;
    CHECK_BOTH(endo_pairs_register(rig->reference, pairs, 2, &p, a), endo_pairs_register(rig->tested, pairs, 2, &p, b), a, b,
         sizeof a, "registration by the best method");
    p.method = ENDO_METHOD_PAPER;
    p.transform = ENDO_TRANSFORM_AFFINE;
    CHECK_BOTH(endo_pairs_register_landmarks(rig->reference, pairs, 2, &p, a, marks_a.marks, marks_a.counts),
               endo_pairs_register_landmarks(rig->tested, pairs, 2, &p, b, marks_b.marks, marks_b.counts), &marks_a,
               &marks_b, sizeof marks_a, "landmarks");
    return 0;
}
