/* The evidence by which one of two layers is the scene's, counted over a stretch of pairs with two motions. */
#ifndef ENDO_MOSAIC_LAYER_EVIDENCE_H
#define ENDO_MOSAIC_LAYER_EVIDENCE_H

/* Two layers: the first motion of the first pair, and the other. */
enum { LAYER_NONE, LAYER_ONE, LAYER_OTHER, LAYERS };

/* Counts of cells, earlier views and displacements over a stretch of pairs. */
typedef struct layer_evidence {
    double in_front[LAYERS]; /* cells at borders that went with the layer */
    double seen[LAYERS];     /* cells that show it */
    int pairs;               /* with two motions */
    double together, apart;  /* earlier views since which the layers have hardly moved against each other; and others */
    double product, squares[LAYERS]; /* of the layers' displacements in the middle of the frame, summed, px^2 */
    int told;                /* the layer that is the scene by the pairs beside; LAYER_NONE: they do not tell */
} layer_evidence;

/* Pairs with two motions from which on layers are established. */
#define LAYERS_ESTABLISHED 2
/* A layer that is seen on so many times as many cells as the other one is taken where nothing else tells. */
#define LAYER_LARGER 2.5

/* One layer is seen on more than so many times as many cells as the other. */
int layer_evidence_is_larger(const layer_evidence *e, double times);

/* The layers are near and far parts of a scene in depth. */
int layer_evidence_is_depth(const layer_evidence *e);

/* The layer that is the scene; LAYER_NONE: it is not known. */
int layer_evidence_scene(const layer_evidence *e);

/* The counts of two stretches, or of a stretch and one more pair, together; `told` is that of a. */
layer_evidence layer_evidence_sum(const layer_evidence *a, const layer_evidence *b);

#endif
