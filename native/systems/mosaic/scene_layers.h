/* Which of two motions is the scene's. Pairs of neighbours that show two motions (endo_pair_layers) are followed along a chain:
 * each motion is a layer, known again in the next pair by where it is seen. The layer that carries its own border along lies in
 * front: that is the instrument, the hand, the rim of a sheath; what it hides and shows again is the scene. Where the border says
 * nothing, the layer that is seen on clearly more of the frames is the scene. Where neither is clear the pairs are doubtful. */
#ifndef ENDO_MOSAIC_SCENE_LAYERS_H
#define ENDO_MOSAIC_SCENE_LAYERS_H

#include "events.h"
#include "frame_records.h"
#include "layer_evidence.h"
#include "pair_match.h"

/* What a frame shows of the layers, and where they went since. */
typedef struct layer_view {
    uint8_t cells[ENDO_LAYER_CELLS]; /* a layer each, or none */
    endo_transform to_now[LAYERS];   /* of each layer, from that frame to the latest, px */
    int is_known[LAYERS];
} layer_view;

#define LAYER_VIEWS 16

/* What a frame shows, as the reference of its pair with the next frame of the chain. */
typedef struct frame_layers {
    uint8_t cells[ENDO_LAYER_CELLS]; /* a layer each, or none; without a stretch: 1 = moves as the pair does */
    int stretch;                     /* of `stretches`; FRAME_ALONE: the pair has one motion; FRAME_UNKNOWN: no pair */
    int is_mixed;                    /* the pair has two motions, or one that mixes them */
    int follows;                     /* what the one motion is: MOTION_UNKNOWN, MOTION_SCENE or MOTION_OTHER */
} frame_layers;

enum { FRAME_UNKNOWN = -2, FRAME_ALONE = -1 };
enum { MOTION_UNKNOWN, MOTION_SCENE, MOTION_OTHER };

/* A pair with two motions: which was taken, and the other. */
typedef struct layered_edge {
    endo_mosaic_edge taken, other;
    int layer; /* of the one that was taken */
    int stretch;
} layered_edge;

typedef struct scene_layers {
    mosaic_size size;
    int columns, rows;
    int now;                        /* the latest frame; -1: none */
    int active;                     /* there are two layers */
    layer_view views[LAYER_VIEWS];  /* the latest last */
    int n_views;
    layer_evidence *stretches;      /* of pairs in a row; the last one goes on */
    int n_stretches, stretches_capacity;
    layered_edge *edges;
    int n_edges, edges_capacity;
    frame_layers *frames;           /* one a frame from the first on */
    int n_frames, frames_capacity;

    /* Of the pair that was chosen from last, until it is kept. */
    int pending;                    /* its current frame; -1: none */
    int pending_anew;               /* a stretch begins with it */
    int pending_layer;              /* that its transform follows; LAYER_NONE: both */
    int pending_has_other;
    int pending_is_mixed;           /* its one motion mixes both */
    layer_view pending_view;
    layer_evidence pending_evidence;
    layered_edge pending_edge;

    /* Of the pair of which scene_layers_choose was told last. */
    endo_pair_layers told;
    int told_reference, told_frame; /* -1: none */
} scene_layers;

endo_status scene_layers_create(mosaic_size size, scene_layers **out); /* MEMORY alone */
void scene_layers_destroy(scene_layers **layers);

/* Another chain begins. */
void scene_layers_begin(scene_layers *s);

/* The pair follows one at which there were two layers. */
int scene_layers_goes_on(const scene_layers *s, const pair_match *match);

/* Of a pair of neighbours the motion of the scene, as far as is known by now; doubtful where it is not. */
void scene_layers_choose(scene_layers *s, int frame, pair_match *match);

/* A pair of one motion, with which one of the two layers does not go: where that layer is expected (cells 2), and where its
 * search starts. 0: there is nothing to search for. */
int scene_layers_misses(const scene_layers *s, const pair_match *match, endo_pair_layers *expected, endo_transform *start);

/* What that search found. */
void scene_layers_complete(const scene_layers *s, const endo_pair_layers *expected, const endo_pair_result *found,
                           pair_match *match);

/* The pair has become an edge. MEMORY alone. */
endo_status scene_layers_keep(scene_layers *s, int frame);

/* Which motion of a pair from a reference, far away in time perhaps, is the scene's: MOTION_SCENE the first, MOTION_OTHER the
 * second. MOTION_UNKNOWN: what is known of the reference does not tell. MOTION_NONE: it is not the scene's. */
enum { MOTION_NONE = -1 };
int scene_layers_motion(const scene_layers *s, int reference, const endo_pair_layers *layers);

/* Some pair has two motions; layers may be NULL. */
int scene_layers_any(const scene_layers *layers);

/* The frame shows something that moves before the scene, as far as is known by now; layers may be NULL. */
int scene_layers_hides(const scene_layers *layers, int frame);

/* When the chains are done: every pair that is followed gets the motion that all of its stretch says is the scene's, and poses
 * along the chains follow. Edges beside these that lie across one whose motion has changed are dropped. MEMORY alone. */
endo_status scene_layers_settle(scene_layers *s, frame_records *records, mosaic_edges *edges, mosaic_events *events);

#endif
