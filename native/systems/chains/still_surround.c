/* Pairs registered in two ways, and a vote of them (still_surround.h). */
#include "still_surround.h"

#include "systems/mosaic/frame_store.h"

/* Pairs that are tried, spread evenly over the sequence. */
#define PAIRS 6
/* Frames from the first to the second one of a pair: of those further on where the scene has not moved yet. */
static const int steps[] = {1, 4, 16};
#define STEPS ((int)(sizeof steps / sizeof steps[0]))
/* One vote in so many pairs decides. */
#define VOTES 3
/* Two results say the same where they differ by no more than this over the corners of the frame, px. */
#define SAME 2.0
/* Largest change of scale that is tried: beyond it a pair without an answer is looked at tile by tile, which takes seconds. */
#define SCALE 1.5
/* Corners of the frame that move no further than this tell of no motion, px; and a motion of less than one in DRAWN of what the
 * other result says is drawn to none. */
#define STILL 1.0
#define DRAWN 3
/* Motion in the field that tells enough, px. */
#define MOVED 4.0

/* ----------------------------------------------------------------------------- votes */

static double motion(mosaic_size frame, const endo_fourier_result *r) {
    return frame_corner_distance(frame, &r->transform, &pose_identity);
}

/* Whether a result is sure, and the other one is unsure, or drawn to no motion, or fits less well. What is without motion itself
 * may be what stands still. */
static int is_better(mosaic_size frame, const endo_fourier_result *r, const endo_fourier_result *other) {
    int is_other_sure = other->status == ENDO_FOURIER_OK;
    double moved = motion(frame, r);
    double other_moved = motion(frame, other);
    if (r->status != ENDO_FOURIER_OK || moved <= STILL || (is_other_sure && DRAWN * moved < other_moved)) return 0;
    if (!is_other_sure || DRAWN * other_moved < moved) return 1;
    if (frame_corner_distance(frame, &r->transform, &other->transform) <= SAME) return 0;
    return other_moved <= STILL || r->ncc > other->ncc;
}

int still_surround_vote(mosaic_size frame, const endo_fourier_result *field, const endo_fourier_result *whole) {
    return is_better(frame, field, whole) - is_better(frame, whole, field);
}

/* ----------------------------------------------------------------------------- pairs */

typedef struct trial_pair {
    endo_fourier_result result;
    int step;    /* from the first frame to the second */
    int is_read; /* both frames could be read */
} trial_pair;

/* Registers a frame with the one `step` after it, in a store of two frames. */
static endo_status register_pair(const surround_trial *t, frame_store *store, int frame, trial_pair *out) {
    const int asked[2] = {frame, frame + out->step};
    int slots[2];
    endo_frames *frames;
    endo_fourier_options options = *t->pairs;
    if (options.max_scale > SCALE) options.max_scale = SCALE;
    if (events_cancelled(t->events)) return endo_fail(ENDO_CANCELLED, "cancelled");
    frame_store_keep_only(store, asked, 2);
    for (int i = 0; i < 2; i++) {
        ENDO_TRY(frame_store_ask(store, asked[i], &slots[i]));
        out->is_read = slots[i] >= 0;
        if (!out->is_read) return ENDO_OK;
    }
    ENDO_TRY(frame_store_frames(store, &frames));
    const endo_fourier_pair pair = {.reference = slots[0], .current = slots[1]};
    return endo_fourier_register(frames, &pair, 1, &options, &out->result);
}

static int pairs_of(const surround_trial *t) {
    int all = sequence_count(t->sequence) - 1;
    return all < PAIRS ? all : PAIRS;
}

static int first_frame(const surround_trial *t, int pair) {
    int n = pairs_of(t);
    int last = sequence_count(t->sequence) - 2;
    return n > 1 ? (int)((int64_t)pair * last / (n - 1)) : 0;
}

/* Registers a frame with the first of some others in which the field's content has moved. */
static endo_status find_step(const surround_trial *t, frame_store *store, int frame, trial_pair *out) {
    for (int i = 0; i < STEPS && (i == 0 || frame + steps[i] < sequence_count(t->sequence)); i++) {
        out->step = steps[i];
        ENDO_TRY(register_pair(t, store, frame, out));
        if (!out->is_read || out->result.status != ENDO_FOURIER_OK) break;
        if (motion(sequence_size(t->sequence), &out->result) > MOVED) break;
    }
    return ENDO_OK;
}

typedef endo_status (*registrar)(const surround_trial *t, frame_store *store, int frame, trial_pair *out);

static endo_status register_pairs(const surround_trial *t, const endo_frames_options *options, registrar run, trial_pair *out) {
    endo_frames_options two = *options;
    frame_store *store = NULL;
    two.capacity = 2;
    const frame_store_setup setup = {.context = t->context, .sequence = t->sequence, .options = &two, .used = two.capacity};
    endo_status status = frame_store_create(&setup, &store);
    for (int i = 0; status == ENDO_OK && i < pairs_of(t); i++) status = run(t, store, first_frame(t, i), &out[i]);
    frame_store_destroy(&store);
    return status;
}

static endo_status vote(const surround_trial *t, int *stands_still) {
    trial_pair field[PAIRS];
    trial_pair whole[PAIRS];
    int votes = 0;
    ENDO_TRY(register_pairs(t, &t->field, find_step, field));
    for (int i = 0; i < pairs_of(t); i++) whole[i].step = field[i].step;
    ENDO_TRY(register_pairs(t, &t->whole, register_pair, whole));
    for (int i = 0; i < pairs_of(t); i++)
        if (field[i].is_read && whole[i].is_read)
            votes += still_surround_vote(sequence_size(t->sequence), &field[i].result, &whole[i].result);
    *stands_still = votes > 0 && VOTES * votes >= pairs_of(t);
    return ENDO_OK;
}

endo_status still_surround_find(const surround_trial *t, int *stands_still) {
    const endo_mosaic_hooks *hooks = &t->events->hooks;
    *stands_still = 0;
    endo_context_set_cancel(t->context, hooks->cancelled, hooks->user);
    endo_status status = vote(t, stands_still);
    endo_context_set_cancel(t->context, NULL, NULL);
    return status;
}
