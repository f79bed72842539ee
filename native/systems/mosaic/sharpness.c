/* A scope that moves fast, or is out of focus for a moment, blurs single frames: each is compared with those around it, which
 * show a similar scene (sharpness.h). */
#include "sharpness.h"

#include "base/memory.h"
#include "include/endorama/blend.h"
#include "numbers.h"

#include <math.h>

/* Frames before and after one that it is compared with. */
#define AROUND 15
/* Share of the usual sharpness from which on a frame has full weight; below it weights fall as its 4th power. */
#define USUAL 0.8

struct sharpness {
    endo_pixel type;
    mosaic_size size;
    double *details; /* one a frame; NaN: not seen yet */
};

endo_status sharpness_create(const mosaic_sequence *sequence, sharpness **out) {
    int frames = sequence_count(sequence);
    sharpness *s = endo_alloc_zeroed(1, sizeof *s);
    if (s) s->details = endo_alloc((size_t)frames, sizeof *s->details);
    if (!s || !s->details) {
        sharpness_destroy(&s);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the sharpness of %d frames", frames);
    }
    s->type = sequence_type(sequence);
    s->size = sequence_size(sequence);
    for (int i = 0; i < frames; i++) s->details[i] = NAN;
    *out = s;
    return ENDO_OK;
}

void sharpness_destroy(sharpness **sharp) {
    sharpness *s = *sharp;
    *sharp = NULL;
    if (!s) return;
    endo_free(s->details);
    endo_free(s);
}

/* ------------------------------------------------------------------------ looks */

static int is_new(void *self, int frame) {
    const sharpness *s = self;
    return isnan(s->details[frame]);
}

/* The first call for a frame counts. */
static endo_status see(void *self, int frame, const void *pixels) {
    sharpness *s = self;
    if (!is_new(s, frame)) return ENDO_OK;
    return endo_blend_details(s->type, s->size.width, s->size.height, pixels, s->size.width, &s->details[frame]);
}

mosaic_observer sharpness_observer(sharpness *s) {
    return (mosaic_observer){
        .is_new = is_new,
        .see = see,
        .self = s,
    };
}

/* ---------------------------------------------------------------------- weights */

/* Median of the details around frame i of the list; NaN if none was seen. */
static double usual(const sharpness *s, const int *frames, int n, int i) {
    double around[2 * AROUND + 1];
    int first = i < AROUND ? 0 : i - AROUND;
    int end = n - i <= AROUND ? n : i + AROUND + 1;
    size_t seen = 0;
    for (int k = first; k < end; k++) {
        double there = s->details[frames[k]];
        if (!isnan(there)) around[seen++] = there;
    }
    return seen == 0 ? NAN : number_at_rank(around, seen, seen / 2);
}

endo_status sharpness_weights(const sharpness *s, const int *frames, int n, double *weights) {
    for (int i = 0; i < n; i++) {
        double share = s->details[frames[i]] / usual(s, frames, n, i);
        double square = share / USUAL * (share / USUAL);
        weights[i] = share < USUAL ? square * square : 1;
    }
    return ENDO_OK;
}
