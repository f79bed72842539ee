/* Shares of tiles that differ: what is usual, and what is not (plausibility.h). A share alone accuses nobody: an instrument
 * that moves in differs, too. Of three frames one is the odd one out if the other two agree where both of them differ from it.
 *
 * Of 120 pairs of real clips, motion, smoke, highlights and an instrument gave shares up to 0.12, and a frame that is torn,
 * noise, black or green in its lower half 0.21 and more. Genuine frames that were suspicious differed from their neighbours at
 * most 1.2 times as much as those from each other, damaged ones at least 2.4 times. */
#include "plausibility.h"

#include <string.h>

#include "numbers.h"

/* So much may the shares of frames differ that are damaged in the same way. */
#define ALIKE 0.1

/* From this share on tiles see noise, however much: of frames that were registered with each other. */
#define NOISE 0.5

/* Shares from which a frame is suspicious, and from which it is not believed without a witness, */
#define SUSPICIOUS 0.1
#define WILD 0.3

/* and so many times what is usual. */
#define UNUSUAL 2

/* The odd one out differs so many times as much as the others from each other; */
#define ODD 1.75

/* shares below which nobody differs, unless one tile is more. */
#define NOTHING 0.01

void plausibility_add(plausibility *p, double differing) {
    p->recent[p->count % PLAUSIBILITY_MEMORY] = differing;
    p->count++;
}

/* If they are alike, or all of them see noise, of which homographies that are distorted show less, and nothing is known yet,
 * that is how the sequence is. */
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

/* The median of the latest; 0 where nothing is known. */
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

/* tile: in small frames one tile more or less differs by chance. */
int is_odd_one_out(double from_one, double from_other, double others, double tile) {
    double nothing = greater_of(NOTHING, tile);
    return lesser_of(from_one, from_other) + nothing > ODD * (others + nothing);
}

int is_leap(const endo_transform *step) {
    endo_transform near = pose_tangent(step, 0, 0);
    return near.matrix[0] + near.matrix[4] < 0 || pose_determinant(&near) < 0;
}
