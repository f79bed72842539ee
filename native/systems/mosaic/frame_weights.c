/* Weights of frames for blending (canvases.h). */
#include "canvases.h"

#include "base/memory.h"

#include <math.h>

/* Standard deviation of a pose, px, that halves the weight of the frame. */
#define UNSURE 2
/* Weight of frames whose poses no edge determines well: they show only where no other frame does. */
#define DOUBTFUL 4
/* Weight of the best frames, in the library's units. */
#define FULL_WEIGHT 256

endo_status frame_weights_create(int frames, frame_weights *out) {
    size_t count = (size_t)frames + 1;
    frame_weights w = {
        .n = frames,
        .weights = endo_alloc(count, sizeof *w.weights),
        .deviations = endo_alloc(count, sizeof *w.deviations),
    };
    if (!w.weights || !w.deviations) {
        frame_weights_free(&w);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the weights of %d frames", frames);
    }
    for (int i = 0; i < frames; i++) {
        w.weights[i] = DOUBTFUL;
        w.deviations[i] = NAN;
    }
    *out = w;
    return ENDO_OK;
}

void frame_weights_free(frame_weights *w) {
    endo_free(w->weights);
    endo_free(w->deviations);
    *w = (frame_weights){0};
}

static int rounded(double x) { return (int)floor(x + 0.5); }

static int larger(int a, int b) { return a > b ? a : b; }

/* Sets the weight of a frame; an unknown deviation counts as 0. */
void frame_weights_set(frame_weights *w, int frame, double deviation, int doubtful) {
    double off = isnan(deviation) ? 0 : deviation / UNSURE;
    w->deviations[frame] = deviation;
    w->weights[frame] = doubtful ? DOUBTFUL : larger(DOUBTFUL, rounded(FULL_WEIGHT / (1 + off * off)));
}

/* Reduces the weights of frames that are blurred beside their neighbours. */
static void sharpen(frame_weights *w, const int *frames, int n, const double *shares) {
    for (int i = 0; i < n; i++) {
        int32_t *weight = &w->weights[frames[i]];
        int least = *weight < DOUBTFUL ? *weight : DOUBTFUL;
        *weight = larger(least, rounded(shares[i] * *weight));
    }
}

/* Scales weights so that the best frame has the full one. Where no edge determines any of the poses well, all would weigh as
 * little as a highlight, and show a step at the edge of the field. */
static void raise(frame_weights *w, const int *frames, int n) {
    int most = 1;
    for (int i = 0; i < n; i++) most = larger(most, w->weights[frames[i]]);
    for (int i = 0; i < n; i++) w->weights[frames[i]] = larger(1, w->weights[frames[i]] * FULL_WEIGHT / most);
}

endo_status frame_weights_settle(frame_weights *w, const int *frames, int n, const sharpness *sharp) {
    if (sharp) {
        double *shares = endo_alloc((size_t)n + 1, sizeof *shares);
        if (!shares) return endo_fail(ENDO_ERR_MEMORY, "no memory for the sharpness of %d frames", n);
        endo_status status = sharpness_weights(sharp, frames, n, shares);
        if (status == ENDO_OK) sharpen(w, frames, n, shares);
        endo_free(shares);
        if (status != ENDO_OK) return status;
    }
    raise(w, frames, n);
    return ENDO_OK;
}
