/* The preview of a component: of several frames that show a place, that shows there whose middle is nearest, since the
 * border of a scope's frame is dark; of equals the latest. In host memory, so that it does not depend on a back end. */
#ifndef ENDO_LIVE_PICTURE_H
#define ENDO_LIVE_PICTURE_H

#include "base/status.h"
#include "include/endorama/canvas.h"
#include "systems/mosaic/geometry.h"

typedef struct live_picture {
    mosaic_rect used; /* what is painted, in the plane of the component's first frame; empty: nothing is painted */
    mosaic_rect room; /* what `pixels` hold: more, so that it grows seldom */
    uint8_t *pixels;
    uint8_t *nearness; /* of the middle of the frame that shows a pixel: 1..255; 0: none does */
} live_picture;

/* One picture a component. */
typedef struct live_pictures {
    endo_pixel type;
    live_picture *items;
    int n;
    int capacity;
    int64_t bytes; /* of all pictures */
    int64_t most;  /* bytes that they may have */
    int is_full;   /* a frame was not painted, since the pictures have their most bytes */
} live_pictures;

/* A painted frame. */
typedef struct live_tile {
    mosaic_rect rect;
    uint8_t *pixels;
    uint8_t *nearness; /* as in live_picture; 0: not painted */
} live_tile;

/* Paints the frame in a slot at its pose; an empty tile where it cannot be shown: it is tilted or enlarged too far. */
endo_status live_tile_paint(endo_context *context, const endo_frames *frames, endo_pixel type, int slot,
                            const endo_transform *pose, live_tile *out);
void live_tile_free(live_tile *tile);

/* Puts a tile into the picture of a component, 1.. . Fails with MEMORY alone, and then the picture is as before. */
endo_status live_pictures_add(live_pictures *pictures, int component, const live_tile *tile);
void live_pictures_free(live_pictures *pictures);

/* The picture of a component; NULL: nothing of it is painted. */
const live_picture *live_pictures_get(const live_pictures *pictures, int component);

/* Copies what is used, dense. */
void live_picture_copy(const live_picture *picture, endo_pixel type, void *pixels);

#endif
