/* A synthetic endoscopic sequence with known truth. */
#ifndef ENDORAMA_DEMO_H
#define ENDORAMA_DEMO_H

#include "context.h"
#include "transform.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum endo_demo_path {
    ENDO_DEMO_LOOP = 0,  /* a closed curve: the last frame meets the first again */
    ENDO_DEMO_SWEEP = 1, /* to and fro in rows */
    ENDO_DEMO_SPIRAL = 2
} endo_demo_path;

typedef struct endo_demo_options {
    int width, height;   /* 64..4096; default 720 x 576 */
    int frames;          /* 2..100000; default 60 */
    endo_demo_path path; /* default ENDO_DEMO_LOOP */
    double step;         /* mean motion from frame to frame, px, 0..64; default 6 */
    double rotation;     /* amplitude of the slow roll, degrees, 0..180; default 10 */
    double zoom;         /* amplitude of the slow change of scale, per cent, 0..50; default 8 */
    double noise;        /* standard deviation, grey levels, 0..64; default 2 */
    double flicker;      /* amplitude of brightness changes from frame to frame, per cent, 0..50; default 3 */
    int highlights;      /* specular highlights, which move with the scope, 0..1000; default 12 */
    uint64_t seed;       /* default 1 */
} endo_demo_options;

typedef struct endo_demo endo_demo;

ENDO_API void endo_demo_options_init(endo_demo_options *options);
static inline endo_demo_options endo_demo_options_default(void) {
    endo_demo_options options;
    endo_demo_options_init(&options);
    return options;
}

/* Creates a sequence: tissue with fine texture and branching vessels, seen by a moving scope with a circular field,
 * vignetting, highlights and noise. Equal options give equal pixels on every machine and number of threads.
 * Errors: ARGUMENT (an option out of range); MEMORY (also a path whose scene is larger than 120 million pixels). */
ENDO_API ENDO_NODISCARD endo_status endo_demo_create(endo_context *context, const endo_demo_options *options,
                                                     endo_demo **out);
ENDO_API void endo_demo_destroy(endo_demo **demo);

/* Renders the frame `index` (0..frames-1): width*height RGB32 pixels, dense. Errors: ARGUMENT, MEMORY. */
ENDO_API ENDO_NODISCARD endo_status endo_demo_render(endo_demo *demo, int index, uint32_t *pixels);

/* The true pose: the similarity that takes pixel centres of frame `index` to those of frame 0. Errors: ARGUMENT. */
ENDO_API ENDO_NODISCARD endo_status endo_demo_truth(const endo_demo *demo, int index, endo_transform *transform);

/* The field of view of every frame: width*height bytes, 255 inside, 0 outside. Errors: ARGUMENT. */
ENDO_API ENDO_NODISCARD endo_status endo_demo_field(const endo_demo *demo, uint8_t *mask);

#ifdef __cplusplus
}
#endif
#endif
