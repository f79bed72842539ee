/* A separate store of frames for their spectra, and the confirmation of matches by registering the frames (spectra.h).
 * Highlights are left out: they stand still with the scope, and spectra would find them first. */
#include "spectra.h"

#include <math.h>

#include "base/memory.h"
#include "local_motion.h"
#include "reduced_frames.h"

/* Pairs of a call; few, so that a cancel is answered soon. */
#define AT_ONCE 3

/* Least coefficient, and least share of a frame that both show, of an accepted pair. */
#define LEAST_NCC 0.6
#define LEAST_OVERLAP 0.2

/* Least coefficient of a pair that is asked for local motion. Of 209 pairs that have nothing in common seven in ten have less; of
 * pairs of which local motion was believed the least had 0.33. */
#define LEAST_BENT_NCC 0.2

/* Largest rotation, degrees, and change of scale, either way, of such a pair: a texture that nearly repeats itself has most of its
 * places turned, and both at once, tissue that has moved and a scope that has turned far, are seldom seen. */
#define MOST_BENT_ANGLE 30
#define MOST_BENT_SCALE 1.5

/* Largest change of scale, either way. */
#define MOST_SCALE 2

/* Standard deviation of a pose from a full overlap, px. */
#define DEVIATION 0.05

/* Largest distance between the poses from the frames and from the spectra, as a share of the width. */
#define APART (1.0 / 32)

struct spectra {
    frame_store *store;
    reduced_frames *reduced; /* NULL: frames are small, or matches are not confirmed */
    const field_of_view *field;
    uint8_t *grey[2]; /* a pair that is asked for local motion: frames, or their copies */
    mosaic_sequence *sequence;
    mosaic_events *events;
    int asks;                 /* matches are confirmed by registering the frames */
    endo_pairs_options asked; /* options of that registration */
    endo_fourier_options options;
};

/* What a search compares: frames that are small already, or copies. */
static mosaic_size compared_size(const spectra *s) { return s->reduced ? reduced_frames_size(s->reduced) : s->field->size; }

static endo_status open_search(spectra *s, endo_context *context) {
    if (reduced_frames_factor(s->field->size) > 1)
        ENDO_TRY(reduced_frames_create(context, s->field, SPECTRA_SLOTS, &s->reduced));
    mosaic_size size = compared_size(s);
    for (int i = 0; i < 2; i++) {
        s->grey[i] = endo_alloc((size_t)size.width * (size_t)size.height, 1);
        if (!s->grey[i]) return endo_fail(ENDO_ERR_MEMORY, "no memory for a pair of frames");
    }
    return ENDO_OK;
}

endo_status spectra_create(endo_context *context, mosaic_sequence *sequence, const field_of_view *field,
                           const endo_pairs_options *asked, mosaic_events *events, spectra **out) {
    endo_frames_options options = field_of_view_options(field, sequence_type(sequence), SPECTRA_SLOTS);
    const frame_store_setup setup = {
        .context = context,
        .sequence = sequence,
        .options = &options,
        .used = SPECTRA_SLOTS,
    };
    options.highlights = 1;
    options.flow = 0;
    options.keep_pixels = 0;
    spectra *s = endo_alloc_zeroed(1, sizeof *s);
    if (!s) return endo_fail(ENDO_ERR_MEMORY, "no memory for pairs that are registered by their spectra");
    endo_status status = frame_store_create(&setup, &s->store);
    s->field = field;
    if (status == ENDO_OK && asked) status = open_search(s, context);
    if (status != ENDO_OK) {
        spectra_destroy(&s);
        return status;
    }
    s->sequence = sequence;
    s->events = events;
    s->asks = asked != NULL;
    if (asked) s->asked = *asked;
    s->options = endo_fourier_options_default();
    s->options.max_scale = MOST_SCALE;
    *out = s;
    return ENDO_OK;
}

void spectra_destroy(spectra **made) {
    spectra *s = *made;
    *made = NULL;
    if (!s) return;
    reduced_frames_destroy(&s->reduced);
    frame_store_destroy(&s->store);
    endo_free(s->grey[0]);
    endo_free(s->grey[1]);
    endo_free(s);
}

/* ------------------------------------------------------------------------- frames */

/* *slot = -1: the frame cannot be read. */
static endo_status read_frame(spectra *s, int frame, int *slot) {
    if (events_cancelled(s->events)) return endo_fail(ENDO_CANCELLED, "cancelled while frames were read");
    ENDO_TRY(frame_store_read(s->store, frame, slot));
    if (*slot < 0)
        events_say(s->events, ENDO_EVENT_LOG, ENDO_EVENT_UNREADABLE, frame, frame, "%s again", sequence_reason(s->sequence));
    return ENDO_OK;
}

typedef struct read_pairs {
    int n;
    int index[SPECTRA_SLOTS];               /* index among all pairs asked for */
    endo_fourier_pair slots[SPECTRA_SLOTS]; /* whole frames */
} read_pairs;

static endo_status read_all(spectra *s, int one, const int *others, int n, int is_reference, read_pairs *read) {
    int slot;
    frame_store_keep_only(s->store, &one, 1);
    ENDO_TRY(read_frame(s, one, &slot));
    for (int i = 0; slot >= 0 && i < n; i++) {
        int there;
        ENDO_TRY(read_frame(s, others[i], &there));
        if (there < 0) continue;
        read->index[read->n] = i;
        read->slots[read->n++] = (endo_fourier_pair){
            .reference = is_reference ? slot : there,
            .current = is_reference ? there : slot,
        };
    }
    return ENDO_OK;
}

/* ------------------------------------------------------------------------- belief */

static int is_accepted(const endo_fourier_result *r) {
    return r->status == ENDO_FOURIER_OK && r->ncc >= LEAST_NCC && r->overlap >= LEAST_OVERLAP;
}

/* Whether the registration of the frames is good, and about the same as the transform. */
static int agree(const pair_match *found, const endo_transform *transform, mosaic_size size) {
    return pair_match_counts(found, 1) &&
           frame_corner_distance(size, &found->transform, transform) <= APART * size.width;
}

/* Registers two frames, or their copies, from a transform. */
static endo_status register_from(endo_frames *frames, const endo_fourier_pair *slots, const endo_transform *start,
                                 const endo_pairs_options *options, int reference, pair_match *out) {
    const endo_pair pair = {.reference = slots->reference, .current = slots->current};
    endo_pair_result result;
    ENDO_TRY(endo_pairs_register_from(frames, &pair, start, 1, options, &result));
    *out = pair_match_of(&result, reference, 0, 0, 0);
    return ENDO_OK;
}

static double deviation_of(const pair_match *found) { return isnan(found->result.deviation) ? 0 : found->result.deviation; }

static void say_rejected(spectra *s, const spectra_match *match) {
    events_say(s->events, ENDO_EVENT_LOG, ENDO_EVENT_REJECTED, match->current, match->current,
               "frame %d may lie beside frame %d, but does not show the same there; not taken",
               frame_number(s->events->numbers, match->current), frame_number(s->events->numbers, match->reference));
}

/* Registers the frames from the transform that the spectra gave. */
static endo_status confirm(spectra *s, spectra_match *match, const endo_fourier_pair *slots) {
    endo_frames *frames;
    pair_match found;
    ENDO_TRY(frame_store_frames(s->store, &frames));
    ENDO_TRY(register_from(frames, slots, &match->transform, &s->asked, match->reference, &found));
    match->is_accepted = agree(&found, &match->transform, sequence_size(s->sequence));
    if (!match->is_accepted) {
        say_rejected(s, match);
        return ENDO_OK;
    }
    if (pose_is_homography(&found.transform)) match->transform = found.transform;
    match->deviation = deviation_of(&found);
    return ENDO_OK;
}

/* Registers the copies from the transform that their spectra gave, then the frames from there. Tissue that has moved against
 * itself, or noise, may show the same in the copies alone; what they err by is as many px as one of theirs is. */
static endo_status confirm_reduced(spectra *s, spectra_match *match, const endo_fourier_pair *slots) {
    endo_pairs_options options = s->asked;
    endo_frames *frames;
    pair_match found;
    options.template_side = 0;
    ENDO_TRY(register_from(reduced_frames_store(s->reduced), slots, &match->transform, &options, match->reference, &found));
    match->is_accepted = agree(&found, &match->transform, reduced_frames_size(s->reduced));
    if (!match->is_accepted) {
        say_rejected(s, match);
        return ENDO_OK;
    }
    match->transform = reduced_frames_up(s->reduced, &found.transform);
    match->deviation = reduced_frames_factor(sequence_size(s->sequence)) * deviation_of(&found);
    ENDO_TRY(frame_store_frames(s->store, &frames));
    ENDO_TRY(register_from(frames, slots, &match->transform, &s->asked, match->reference, &found));
    if (found.status != ENDO_FRAME_OK || !agree(&found, &match->transform, sequence_size(s->sequence))) return ENDO_OK;
    match->transform = found.transform;
    match->deviation = deviation_of(&found);
    return ENDO_OK;
}

static int may_be_deformed(const endo_fourier_result *found) {
    return found->ncc >= LEAST_BENT_NCC && found->overlap >= LEAST_OVERLAP && fabs(found->angle) <= MOST_BENT_ANGLE &&
           found->scale <= MOST_BENT_SCALE && found->scale >= 1 / MOST_BENT_SCALE;
}

/* Asks whether both show the same, moved against itself. The pose is as wrong as the parts have moved from it. */
static endo_status try_deformed(spectra *s, endo_frames *frames, const endo_fourier_result *found, const endo_fourier_pair *slots,
                            spectra_match *match) {
    local_motion motion;
    const uint8_t *mask = s->reduced ? reduced_frames_mask(s->reduced) : s->field->mask;
    if (!may_be_deformed(found)) return ENDO_OK;
    ENDO_TRY(endo_frames_get_grey(frames, slots->reference, s->grey[0]));
    ENDO_TRY(endo_frames_get_grey(frames, slots->current, s->grey[1]));
    ENDO_TRY(local_motion_find(s->grey[0], s->grey[1], mask, compared_size(s), &found->transform, &motion));
    if (!motion.is_same) return ENDO_OK;
    match->is_accepted = match->is_deformed = 1;
    match->transform = s->reduced ? reduced_frames_up(s->reduced, &motion.transform) : motion.transform;
    match->deviation = reduced_frames_factor(s->field->size) * motion.deviation;
    return ENDO_OK;
}

static spectra_match match_of(const endo_fourier_result *r, int reference, int current) {
    return (spectra_match){
        .is_accepted = is_accepted(r),
        .reference = reference,
        .current = current,
        .transform = r->transform,
        .ncc = r->ncc,
        .overlap = r->overlap,
    };
}

/* ------------------------------------------------------------------- registration */

/* The frames whose spectra are compared: those of the store, or their copies. */
static endo_status compared_frames(spectra *s, const read_pairs *read, int one, const int *others, int is_reduced,
                                   endo_frames **out) {
    ENDO_TRY(frame_store_frames(s->store, out));
    if (!is_reduced) return ENDO_OK;
    for (int i = 0; i < read->n; i++) {
        const endo_fourier_pair *pair = &read->slots[i];
        int there = frame_store_slot(s->store, one) == pair->reference ? pair->current : pair->reference;
        if (i == 0) ENDO_TRY(reduced_frames_take(s->reduced, *out, one, frame_store_slot(s->store, one)));
        ENDO_TRY(reduced_frames_take(s->reduced, *out, others[read->index[i]], there));
    }
    *out = reduced_frames_store(s->reduced);
    return ENDO_OK;
}

static endo_status compare(spectra *s, int one, const int *others, int n, int is_reference, int searches,
                           spectra_match *matches) {
    int is_reduced = searches && s->reduced;
    read_pairs read = {.n = 0};
    for (int i = 0; i < n; i++) matches[i] = (spectra_match){.is_accepted = 0};
    if (n >= SPECTRA_SLOTS)
        return endo_fail(ENDO_ERR_INTERNAL, "%d frames with one by their spectra: %d at most", n, SPECTRA_SLOTS - 1);
    ENDO_TRY(read_all(s, one, others, n, is_reference, &read));
    for (int from = 0; from < read.n; from += AT_ONCE) {
        int some = read.n - from < AT_ONCE ? read.n - from : AT_ONCE;
        const endo_fourier_pair *slots = read.slots + from;
        endo_fourier_result results[AT_ONCE];
        endo_frames *frames;
        ENDO_TRY(compared_frames(s, &read, one, others, is_reduced, &frames));
        ENDO_TRY(endo_fourier_register(frames, slots, (size_t)some, &s->options, results));
        for (int i = 0; i < some; i++) {
            int at = read.index[from + i];
            int other = others[at];
            matches[at] = match_of(&results[i], is_reference ? one : other, is_reference ? other : one);
            if (!s->asks) continue;
            if (matches[at].is_accepted)
                ENDO_TRY(is_reduced ? confirm_reduced(s, &matches[at], &slots[i]) : confirm(s, &matches[at], &slots[i]));
            if (searches && !matches[at].is_accepted)
                ENDO_TRY(try_deformed(s, frames, &results[i], &slots[i], &matches[at]));
        }
    }
    return ENDO_OK;
}

endo_status spectra_register(spectra *s, int one, const int *others, int n, int is_reference, spectra_match *matches) {
    return compare(s, one, others, n, is_reference, 0, matches);
}

endo_status spectra_search(spectra *s, int one, const int *others, int n, int is_reference, spectra_match *matches) {
    return compare(s, one, others, n, is_reference, 1, matches);
}

/* The deviation grows as the overlap shrinks, for less is known of the rest of the frame. */
endo_mosaic_edge spectra_edge(const spectra_match *match) {
    return (endo_mosaic_edge){
        .transform = match->transform,
        .deviation = length_of(DEVIATION / (match->overlap * match->overlap), match->deviation),
        .reference = match->reference,
        .current = match->current,
        .doubtful = match->is_deformed,
    };
}

void spectra_describe(const spectra_match *match, endo_mosaic_frame *frame) {
    frame->reference = match->reference;
    frame->status = ENDO_FRAME_OK;
    frame->coefficient = match->ncc;
}
