/* A pair on its way through Fourier registration, and the candidates among which it is decided. */
#ifndef ENDO_SYSTEMS_FOURIER_CANDIDATES_H
#define ENDO_SYSTEMS_FOURIER_CANDIDATES_H

#include "backend/objects.h"

/* Setups of the spectra of a call and of their requests. */
typedef struct fourier_plan {
    const endo_fourier_options *options;
    endo_turns_setup turns;   /* setup of layer 0: whole images */
    endo_turns_setup layers;  /* setup of the other layers: parts */
    endo_shifts_setup shifts;
    endo_align_setup align;
    double field; /* share of the frame in the field of view, 0..1 */
} fourier_plan;

/* Rotation and scale, and how they were found. The image with the larger footprint is fixed, and the other one is moved;
 * swapped: the current one is fixed. */
typedef struct fourier_candidate {
    size_t pair;
    int swapped;
    double angle, log_scale; /* moved -> fixed: radians, natural logarithm */
    endo_fourier_images images; /* reference: the fixed image */
    int32_t twins;           /* endo_shifts_request.twins */
} fourier_candidate;

/* A candidate with a shift. */
typedef struct fourier_trial {
    size_t pair;
    int swapped;
    endo_align_request request;
    double height; /* height of the shift's peak */
    endo_align_result result;
    double share, score;
} fourier_trial;

typedef struct fourier_pair_state {
    endo_fourier_pair pair;
    double peak, second; /* heights of the log-polar peaks */
    double other;        /* correlation of the best trial that differs from `best`; -1: none */
    int has_content, tried, verified;
    fourier_trial best, refined; /* set if tried */
} fourier_pair_state;

void fourier_plan_make(const endo_fourier_pair *pairs, size_t n, const endo_fourier_options *options,
                       const endo_fourier_taper *tapers, double field, fourier_plan *plan);

/* Whether an image is large enough at the size that is compared. */
int fourier_is_large_enough(const fourier_plan *plan, int width, int height);

/* The candidate of a log-polar peak; between: its position between bins. 0: outside of what the options allow. */
int fourier_candidate_of_peak(const fourier_plan *plan, const fourier_pair_state *state, size_t pair,
                              const endo_turns_request *request, const endo_fourier_peak *peak, fourier_candidate *out);
fourier_candidate fourier_candidate_still(const fourier_pair_state *state, size_t pair);

endo_shifts_request fourier_shifts_request(const fourier_plan *plan, const fourier_candidate *c);

/* The trial of a peak of the shift of a candidate (twin 0), or of the candidate turned by half a turn (1). */
fourier_trial fourier_trial_of_peak(const fourier_plan *plan, const fourier_candidate *c, int twin,
                                    const endo_fourier_peak *peak);

/* Sets the result of a trial, its share of the smaller footprint, and its score. */
void fourier_trial_take(const fourier_plan *plan, fourier_trial *t, const endo_align_result *result);

/* Updates the best of a pair by n trials, and whether it is accepted. */
void fourier_choose(const fourier_plan *plan, fourier_pair_state *s, const fourier_trial *trials, size_t n);

/* state->refined becomes `refined`, unless that is worse than the best at the size at which the best was chosen. */
void fourier_keep_refined(const fourier_plan *plan, fourier_pair_state *s, const fourier_trial *refined);

void fourier_result_make(const fourier_plan *plan, const fourier_pair_state *state, endo_fourier_result *out);

#endif
