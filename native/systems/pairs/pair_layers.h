/* Two motions in one pair: an instrument before tissue, a hand before a scene. The motion that was registered explains some
 * patches; where a second one explains the others, the pair has two layers. Which of them is the scene is not said here. */
#ifndef ENDO_SYSTEMS_PAIR_LAYERS_H
#define ENDO_SYSTEMS_PAIR_LAYERS_H

#include "include/endorama/registration.h"
#include "patch_grid.h"

/* Along the longer side of the frame. */
#define ENDO_LAYER_ACROSS 14

typedef struct endo_layers {
    int count;              /* 1, or 2 motions were found */
    endo_transform second;  /* reference -> current, px, a similarity */
    uint8_t cells[ENDO_LAYER_CELLS]; /* endo_pair_layers */
    int columns, rows;
} endo_layers;

/* n pairs with their maps, reference -> current. */
endo_status endo_layers_find(endo_frames *frames, const endo_pair *pairs, const endo_transform *maps, size_t n,
                             endo_layers *layers);

/* endo_pairs_separate of arguments that were checked. */
endo_status endo_layers_separate(endo_frames *frames, const endo_pair *pairs, size_t n, endo_transform_class kind,
                                 endo_pair_result *results, endo_pair_layers *layers);

/* endo_pairs_register_layer of arguments that were checked. */
endo_status endo_layers_register(endo_frames *frames, const endo_pair *pairs, const endo_transform *starts,
                                 const endo_pair_layers *layers, size_t n, endo_transform_class kind,
                                 endo_pair_result *results);

#endif
