/* What is believed of a pair by its evidence, at each of the bounds. */
#include "../systems/pair_judge.h"

#include "check.h"

/* Sure of all. */
static endo_evidence sure(void) {
    endo_evidence e = {.chance = 5.1, .still = 2.1, .coefficient = 0.9, .at_rest = 0, .common = 100, .coarse_common = 90};
    e.coarse_chance = 3.6, e.coarse_coefficient = 0.9;
    return e;
}

static void test_bounds(void) {
    endo_evidence e = sure();
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_SURE);
    e.chance = 4.9;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
    e.chance = 4.1;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
    e.chance = 3.9;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_NONE);
    e.chance = NAN;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_NONE);
    e = sure(), e.coarse_chance = 3.4;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
    e = sure(), e.still = 1.9;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
    e = sure(), e.coarse_coefficient = 0.74 * e.coefficient;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
    e.coarse_coefficient = 0.76 * e.coefficient;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_SURE);
}

/* Where nothing moves: of what both have in common enough must be left in the further level, but in one picture. */
static void test_at_rest(void) {
    endo_evidence e = sure();
    e.still = NAN, e.coarse_common = 36;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_SURE);
    e.coarse_common = 34;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
    e.coefficient = e.coarse_coefficient = 1;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_SURE);
    e.coefficient = 1 - 1e-8;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
    e.coefficient = 1 - 1e-10;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_SURE);
}

static void test_noisy(void) { CHECK(endo_is_noisy(0.79) && !endo_is_noisy(0.81)); }

/* 0.35 px, and relief up to as much again. */
static void test_sure_deviation(void) {
    CHECK_NEAR(endo_sure_deviation(0), 0.35, 1e-12);
    CHECK_NEAR(endo_sure_deviation(0.04), sqrt(0.35 * 0.35 + 0.04), 1e-12);
    CHECK_NEAR(endo_sure_deviation(100), sqrt(2) * 0.35, 1e-12);
}

int main(void) {
    test_bounds();
    test_noisy();
    test_sure_deviation();
    test_at_rest();
    return check_summary("test_pair_judge");
}
