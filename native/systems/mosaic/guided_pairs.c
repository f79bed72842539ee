/* Registration of pairs from given transforms (guided_pairs.h). */
#include "guided_pairs.h"

#include "base/memory.h"
#include "scene_layers.h"

/* Fewest landmarks along each side, for these pairs count more than those of the chain. */
#define LANDMARKS 16

endo_status guided_pairs_add(guided_pairs *pairs, const guided_pair *pair) {
    guided_pair added = *pair;
    ENDO_TRY(ARRAY_RESERVE(pairs->items, pairs->capacity, pairs->n + 1));
    pairs->items[pairs->n++] = added;
    return ENDO_OK;
}

void guided_pairs_free(guided_pairs *pairs) {
    endo_free(pairs->items);
    *pairs = (guided_pairs){.items = NULL};
}

/* Arguments and results of a call of the library for a list of pairs. */
typedef struct guided_call {
    endo_pair *slots;
    endo_transform *transforms; /* initial transforms, then those found */
    endo_pair_result *results;
    endo_pair_layers *layers;
    endo_agreement *agreement;
} guided_call;

static void free_call(guided_call *call) {
    endo_free(call->slots);
    endo_free(call->transforms);
    endo_free(call->results);
    endo_free(call->layers);
    endo_free(call->agreement);
}

static endo_status prepare_call(const guided_pairs *pairs, guided_call *call) {
    size_t n = (size_t)pairs->n;
    call->slots = endo_alloc(n, sizeof *call->slots);
    call->transforms = endo_alloc(n, sizeof *call->transforms);
    call->results = endo_alloc(n, sizeof *call->results);
    call->layers = endo_alloc(n, sizeof *call->layers);
    call->agreement = endo_alloc(n, sizeof *call->agreement);
    if (!call->slots || !call->transforms || !call->results || !call->layers || !call->agreement)
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the registration of %d pairs", pairs->n);
    for (size_t i = 0; i < n; i++) {
        const guided_pair *pair = &pairs->items[i];
        call->slots[i] = (endo_pair){.reference = pair->reference_slot, .current = pair->current_slot};
        call->transforms[i] = pair->start;
    }
    return ENDO_OK;
}

static void make_doubtful(endo_pair_result *result) {
    if (result->status == ENDO_PAIR_OK) result->status = ENDO_PAIR_FEW_LANDMARKS;
}

/* Of two motions of which nobody knows the scene's the one that the start says. */
static void take_nearer(mosaic_size size, const endo_transform *start, const endo_pair_layers *layers, endo_pair_result *result) {
    double first = frame_corner_distance(size, &result->transform, start);
    double second = frame_corner_distance(size, &layers->second.transform, start);
    if (second < first) *result = layers->second;
}

/* The motion of the scene from a reference in which something else moves, too; doubtful where nobody knows it. */
static void take_scene(const guided_pairs *pairs, int i, mosaic_size size, const endo_pair_layers *layers, endo_pair_result *result) {
    const guided_pair *pair = &pairs->items[i];
    int motion = scene_layers_motion(pairs->layers, pair->reference, layers);
    if (motion == MOTION_OTHER) *result = layers->second;
    if (motion == MOTION_UNKNOWN && layers->count > 1) take_nearer(size, &pair->start, layers, result);
    if (motion == MOTION_NONE || motion == MOTION_UNKNOWN) make_doubtful(result);
}

/* Of frames in which the scene repeats itself. */
static endo_status try_rivals(const guided_pairs *pairs, guided_call *call, endo_frames *frames,
                              const endo_pairs_options *options) {
    for (int i = 0; i < pairs->n && pairs->repeats_from > 0; i++) {
        const guided_pair *pair = &pairs->items[i];
        int later = pair->reference > pair->current ? pair->reference : pair->current;
        int32_t repeats;
        if (later + 1 < pairs->repeats_from) continue;
        ENDO_TRY(endo_pairs_try_rivals(frames, &call->slots[i], 1, options, &call->results[i], &repeats));
    }
    return ENDO_OK;
}

/* The number of landmarks matters to the paper's method only; the others refine on intensities. */
static endo_status register_call(const guided_pairs *pairs, guided_call *call, endo_frames *frames, endo_pairs_options options,
                                 mosaic_size size, int quality) {
    options.quality = quality;
    if (options.method == ENDO_METHOD_PAPER && options.landmarks < LANDMARKS) options.landmarks = LANDMARKS;
    size_t n = (size_t)pairs->n;
    ENDO_TRY(pairs->is_searched ? endo_pairs_register(frames, call->slots, n, &options, call->results)
                                : endo_pairs_register_from(frames, call->slots, call->transforms, n, &options, call->results));
    if (options.method != ENDO_METHOD_BEST) return ENDO_OK;
    for (size_t i = 0; i < n; i++) {
        if (!scene_layers_hides(pairs->layers, pairs->items[i].reference)) continue;
        ENDO_TRY(endo_pairs_separate(frames, &call->slots[i], 1, &options, &call->results[i], &call->layers[i]));
        take_scene(pairs, (int)i, size, &call->layers[i], &call->results[i]);
    }
    return try_rivals(pairs, call, frames, &options);
}

/* -------------------------------------------------------------------------- near */

static endo_status add_near(const guided_pairs *pairs, const guided_call *call, mosaic_size size, double distance,
                            mosaic_edges *out) {
    for (int i = 0; i < pairs->n; i++) {
        const guided_pair *pair = &pairs->items[i];
        pair_match match = pair_match_of(&call->results[i], pair->reference, 0, 0, 0);
        if (match.status != ENDO_FRAME_OK) continue;
        if (!(frame_corner_distance(size, &match.transform, &pair->start) <= distance)) continue;
        endo_mosaic_edge edge = pair_match_edge(&match, pair->current);
        ENDO_TRY(edges_add(out, &edge));
    }
    return ENDO_OK;
}

endo_status guided_pairs_near(const guided_pairs *pairs, endo_frames *frames, const endo_pairs_options *options,
                              mosaic_size size, double distance, mosaic_edges *out) {
    guided_call call = {.slots = NULL};
    int before = out->n;
    if (pairs->n == 0) return ENDO_OK;
    endo_status status = prepare_call(pairs, &call);
    if (status == ENDO_OK) status = register_call(pairs, &call, frames, *options, size, 0);
    if (status == ENDO_OK) status = add_near(pairs, &call, size, distance, out);
    if (status != ENDO_OK) out->n = before;
    free_call(&call);
    return status;
}

/* ----------------------------------------------------------------------- checked */

/* Largest share of tiles that differ where noise alone keeps the quality of a pair low. */
#define NOISY_DIFFERING 0.25

/* Noise lowers the coefficients of templates, however right a pair is, but not the agreement of tiles. */
static int is_alike(const pair_match *match) {
    double quality = match->result.quality;
    return quality >= PAIR_DOUBTFUL_QUALITY || (quality > 0 && match->tile > 0 && match->differing <= NOISY_DIFFERING);
}

/* Stricter than for neighbours, since the frames are far apart in time. */
static int is_accepted(const pair_match *match, const plausibility *usual) {
    return match->status == ENDO_FRAME_OK && is_alike(match) &&
           !plausibility_is_wild(usual, pair_match_unexplained(match)) && pose_is_invertible(&match->transform);
}

static mosaic_size size_of(const endo_frames *frames) {
    mosaic_size size;
    endo_frames_get_size(frames, &size.width, &size.height);
    return size;
}

static endo_status check(const guided_pairs *pairs, guided_call *call, endo_frames *frames, const plausibility *usual,
                         pair_match *matches, int *accepted) {
    size_t n = (size_t)pairs->n;
    for (size_t i = 0; i < n; i++) call->transforms[i] = call->results[i].transform;
    ENDO_TRY(endo_agreement_measure(frames, call->slots, call->transforms, n, call->agreement));
    for (size_t i = 0; i < n; i++) {
        const endo_agreement *a = &call->agreement[i];
        matches[i] = pair_match_of(&call->results[i], pairs->items[i].reference, a->tiles, a->differing, 0);
        accepted[i] = is_accepted(&matches[i], usual);
    }
    return ENDO_OK;
}

endo_status guided_pairs_checked(const guided_pairs *pairs, endo_frames *frames, const endo_pairs_options *options,
                                 const plausibility *usual, pair_match *matches, int *accepted) {
    guided_call call = {.slots = NULL};
    if (pairs->n == 0) return ENDO_OK;
    endo_status status = prepare_call(pairs, &call);
    if (status == ENDO_OK) status = register_call(pairs, &call, frames, *options, size_of(frames), 1);
    if (status == ENDO_OK) status = check(pairs, &call, frames, usual, matches, accepted);
    free_call(&call);
    return status;
}
