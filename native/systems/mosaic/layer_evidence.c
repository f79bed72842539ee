/* The rules that tell the scene's layer from its evidence (layer_evidence.h). */
#include "layer_evidence.h"

#include <math.h>

/* A layer is in front by so many cells of borders, and so many times as many as the other one has. */
#define FRONT_CELLS 12
#define FRONT_RATIO 2.0
/* A layer that is seen on so many times as many cells is the scene, whatever borders say. */
#define FAR_LARGER 5.0
/* Layers that hardly move against each other are near and far parts of a scene: earlier views tell it, so many of them at
 * least, unless the others are more than this share. */
#define LONG 4
#define SOMETIMES 0.5
/* Layers that always move alike, the one by a multiple of the other, are near and far parts of a scene in depth: correlation of
 * their displacements, at least; the ratio of their lengths, at most; and pairs that tell it. */
#define ALIKE 0.75
#define ALIKE_FEW 0.6 /* more, over the number of pairs */
#define MOST_RATIO 2.5
#define DEPTH_PAIRS 3

/* One layer is seen on so many times as many cells as the other. */
int layer_evidence_is_larger(const layer_evidence *e, double times) {
    return e->seen[LAYER_ONE] > times * e->seen[LAYER_OTHER] || e->seen[LAYER_OTHER] > times * e->seen[LAYER_ONE];
}

/* The layer that carries its border along, clearly; LAYER_NONE: borders do not tell. */
static int front_of(const layer_evidence *e) {
    const double *front = e->in_front;
    if (front[LAYER_ONE] >= FRONT_CELLS && front[LAYER_ONE] > FRONT_RATIO * front[LAYER_OTHER]) return LAYER_ONE;
    if (front[LAYER_OTHER] >= FRONT_CELLS && front[LAYER_OTHER] > FRONT_RATIO * front[LAYER_ONE]) return LAYER_OTHER;
    return LAYER_NONE;
}

int layer_evidence_is_depth(const layer_evidence *e) {
    double one = e->squares[LAYER_ONE];
    double other = e->squares[LAYER_OTHER];
    double most = MOST_RATIO * MOST_RATIO;
    double alike = ALIKE + ALIKE_FEW / (e->pairs + 1);
    if (front_of(e) != LAYER_NONE || e->pairs < DEPTH_PAIRS) return 0;
    return e->product > alike * sqrt(one * other) && one < most * other && other < most * one;
}

int layer_evidence_scene(const layer_evidence *e) {
    const double *seen = e->seen;
    if (layer_evidence_is_depth(e)) return seen[LAYER_OTHER] > seen[LAYER_ONE] ? LAYER_OTHER : LAYER_ONE;
    if (seen[LAYER_ONE] > FAR_LARGER * seen[LAYER_OTHER]) return LAYER_ONE;
    if (seen[LAYER_OTHER] > FAR_LARGER * seen[LAYER_ONE]) return LAYER_OTHER;
    if (front_of(e) != LAYER_NONE) return LAYERS - front_of(e);
    int is_chance = e->pairs < LAYERS_ESTABLISHED;
    if (e->told != LAYER_NONE) return e->told;
    if (!is_chance && (e->together < LONG || e->apart > SOMETIMES * e->together)) return LAYER_NONE;
    if (seen[LAYER_ONE] > LAYER_LARGER * seen[LAYER_OTHER]) return LAYER_ONE;
    if (seen[LAYER_OTHER] > LAYER_LARGER * seen[LAYER_ONE]) return LAYER_OTHER;
    return LAYER_NONE;
}

layer_evidence layer_evidence_sum(const layer_evidence *a, const layer_evidence *b) {
    layer_evidence sum = *a;
    sum.pairs += b->pairs;
    sum.together += b->together;
    sum.apart += b->apart;
    sum.product += b->product;
    for (int layer = 0; layer < LAYERS; layer++) {
        sum.squares[layer] += b->squares[layer];
        sum.in_front[layer] += b->in_front[layer];
        sum.seen[layer] += b->seen[layer];
    }
    return sum;
}
