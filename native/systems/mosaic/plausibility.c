/* Shares of tiles that differ: what is usual, and what is not (plausibility.h). A share alone does not decide, for an
 * instrument that moves in differs, too: of three frames one is the outlier if the other two agree where both of them differ
 * from it.
 *
 * In 120 pairs of real clips motion, smoke, highlights and an instrument gave shares up to 0.12, and a frame that is torn,
 * noise, black or green in its lower half 0.21 and more. Good frames that were suspicious differed from their neighbours at
 * most 1.2 times as much as those from each other, damaged ones at least 2.4 times. */
#include "plausibility.h"

#include <string.h>

#include "numbers.h"

/* Largest difference between the shares of frames that are damaged in the same way. */
#define ALIKE 0.1

/* Share from which on tiles of registered frames see noise, however strong. */
#define NOISE 0.5

/* Least shares of a suspicious frame, and of one that is accepted only if other frames agree with it. */
#define SUSPICIOUS 0.1
#define WILD 0.3

/* Least ratio of such shares to the usual one. */
#define UNUSUAL 2

/* Least ratio of the outlier's share to that between the others. */
#define ODD 1.75

/* Share below which no frame differs, unless one tile is more. */
#define NOTHING 0.01

void plausibility_add(plausibility *p, double differing) {
    p->recent[p->count % PLAUSIBILITY_MEMORY] = differing;
    p->count++;
}

/* Three first frames define what is usual if their shares are alike, or if all of them see noise (a homography distorted by
 * noise shows less of it). */
void plausibility_add_first(plausibility *p, double one, double other, double third) {
    double least = lesser_of(one, lesser_of(other, third));
    double most = greater_of(one, greater_of(other, third));
    if (p->count > 0) return;
    if (most - least <= ALIKE || least > NOISE) {
        plausibility_add(p, one);
        plausibility_add(p, other);
        plausibility_add(p, third);
    }
}

/* The median of the latest shares; 0 where there are none. */
static double usual_share(const plausibility *p) {
    double sorted[PLAUSIBILITY_MEMORY];
    size_t n = (size_t)(p->count < PLAUSIBILITY_MEMORY ? p->count : PLAUSIBILITY_MEMORY);
    if (n == 0) return 0;
    memcpy(sorted, p->recent, sizeof sorted);
    return number_at_rank(sorted, n, n / 2);
}

int plausibility_is_suspicious(const plausibility *p, double differing) {
    return differing > greater_of(SUSPICIOUS, UNUSUAL * usual_share(p));
}

int plausibility_is_wild(const plausibility *p, double differing) {
    return differing > greater_of(WILD, UNUSUAL * usual_share(p));
}

/* tile: share of one tile; in small frames one tile more or less differs by chance. */
int is_odd_one_out(double from_one, double from_other, double others, double tile) {
    double nothing = greater_of(NOTHING, tile);
    return lesser_of(from_one, from_other) + nothing > ODD * (others + nothing);
}

int is_leap(const endo_transform *step) {
    endo_transform near = pose_tangent(step, 0, 0);
    return near.matrix[0] + near.matrix[4] < 0 || pose_determinant(&near) < 0;
}
