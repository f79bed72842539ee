/* A panorama that grows while a scope looks: each frame is registered and painted when it comes, and when the scope has
 * finished the usual panorama is made of the frames that showed something new. */
#ifndef ENDORAMA_LIVE_H
#define ENDORAMA_LIVE_H

#include "mosaic.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct endo_live endo_live;

typedef struct endo_live_options {
    endo_mosaic_options mosaic; /* the panorama at the end; its back end, field (a mask is borrowed until the first frame is
                                   put) and pairs are also those of the preview */
    double step;                /* a frame is kept where its middle, or a corner, has moved by this share of the frame's longer
                                   side since the last kept one, percent, 0.1..50; default 3. Of the first 16 of a component
                                   shares of it do, and the first two are always kept */
    int32_t preview;            /* longer side of a frame in the preview, px, 64..4096; frames are reduced by a whole number,
                                   and never enlarged; default 480 */
    int32_t loops;              /* 1 (default): the poses of kept frames are solved for again and again on a thread of the
                                   library, so that the preview closes its loops; 0: the preview is the chain alone */
} endo_live_options;

/* Where the scope is. */
typedef enum endo_live_state {
    ENDO_LIVE_STARTING = 0, /* no frame was registered with another one yet */
    ENDO_LIVE_FOUND = 1,    /* the frame is registered */
    ENDO_LIVE_DOUBTFUL = 2, /* the frame is registered, but little ties it to the others */
    ENDO_LIVE_LOST = 3      /* the frame shows nothing that is in the panorama; it is looked for in the next ones */
} endo_live_state;

/* What became of a frame. */
typedef struct endo_live_frame {
    int64_t number;        /* of frames put, from 1 */
    int32_t state;         /* endo_live_state */
    int32_t kept;          /* number of the kept frame, from 1; 0: it shows nothing new, or is lost, and is forgotten. The frame
                              before one that begins a component is kept with it, and has the number before */
    int32_t component;     /* the panorama that it lies in, from 1; 0: none */
    int32_t found_again;   /* 1: the scope was lost, and this frame was found beside an earlier one */
    endo_transform pose;   /* frame -> first frame of its component, px; not registered: that of the last registered frame */
    double quality;        /* as endo_mosaic_frame */
    double milliseconds;   /* from the call to the painted preview */
} endo_live_frame;

/* The preview: the panorama in which the scope was found last, reduced. */
typedef struct endo_live_view {
    int32_t width, height;     /* px; 0: nothing is painted */
    int32_t component;         /* that is shown */
    int32_t type;              /* endo_pixel, that of the frames */
    double origin_x, origin_y; /* where the point (0, 0) of the first frame lies, the centre of its first pixel, px of the
                                  preview; the point (x, y) lies at (origin_x + scale x, origin_y + scale y) */
    double scale;              /* pixels along one of the first frame, 0..1 */
    int64_t changes;           /* grows with each change of its pixels, poses or size */
} endo_live_view;

/* What a live panorama holds and has done. */
typedef struct endo_live_counts {
    int64_t put;        /* frames put */
    int64_t kept;       /* frames kept for the panorama at the end */
    int64_t lost;       /* frames that were not found in any panorama */
    int64_t bytes;      /* memory and scratch file of kept frames */
    int32_t components; /* panoramas */
    int32_t loops;      /* times that the poses of all kept frames were solved for; an event says why it failed */
} endo_live_counts;

ENDO_API void endo_live_options_init(endo_live_options *options);
static inline endo_live_options endo_live_options_default(void) {
    endo_live_options options;
    endo_live_options_init(&options);
    return options;
}

/* Creates a live panorama. options: NULL = the defaults. hooks: copied; may be NULL; events come from endo_live_put and
 * endo_live_finish, everything else from the latter alone. Errors: ARGUMENT (as endo_mosaic_create), MEMORY. */
ENDO_API ENDO_NODISCARD endo_status endo_live_create_abi(const endo_live_options *options, const endo_mosaic_hooks *hooks,
                                                         int abi, endo_live **out);
ENDO_NODISCARD static inline endo_status endo_live_create(const endo_live_options *options, const endo_mosaic_hooks *hooks,
                                                          endo_live **out) {
    return endo_live_create_abi(options, hooks, ENDO_ABI, out);
}
ENDO_API void endo_live_destroy(endo_live **live);

/* Registers the next frame, paints it into the preview if it is kept, and says what became of it. Arguments of the pixels:
 * as endo_mosaic_put. Memory does not grow with frames that show nothing new: the scope stands still, or has been there
 * three times before. Errors: ARGUMENT (another size or type than the first frame; after endo_live_finish), MEMORY (a frame
 * that shows something new can be kept neither in `memory` nor in `scratch`: what is kept so far can still be finished),
 * DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_live_put(endo_live *live, const void *pixels, endo_pixel type, int width, int height,
                                                  ptrdiff_t stride, endo_live_frame *frame);

/* The following two may be called on any thread, also while a frame is put. */

/* Describes the preview as it is; view or counts may be NULL. Errors: ARGUMENT. */
ENDO_API ENDO_NODISCARD endo_status endo_live_describe(endo_live *live, endo_live_view *view, endo_live_counts *counts);
/* Copies the preview with its description: pixels of the frames' type, dense, 0 where nothing is painted; room: number of
 * pixels that fit. Errors: ARGUMENT (it is larger than room: describe it again). */
ENDO_API ENDO_NODISCARD endo_status endo_live_read(endo_live *live, void *pixels, size_t room, endo_live_view *view);

/* Ends the live panorama and makes the usual one of the kept frames, with the bytes of endo_mosaic_run over these; their
 * records' `number` is that of the frame put. The mosaic belongs to the live panorama, and can be asked for results until that
 * is destroyed. It is set before its run begins, so that hooks may use it, and also where the run fails; NULL if fewer than two
 * frames were kept. Errors: as endo_mosaic_finish; results so far can then be read as after it. */
ENDO_API ENDO_NODISCARD endo_status endo_live_finish(endo_live *live, endo_mosaic **mosaic);

#ifdef __cplusplus
}
#endif
#endif
