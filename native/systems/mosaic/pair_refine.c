/* The registration of pairs far apart (guided_pairs.h), for one pair (pair_refine.h), from the given start and, where that does
 * not lead to anything, from a grid of starts around it. Where nothing fits near a start the registration also looks elsewhere;
 * somebody who has placed a frame by hand does not want it there, so that a result counts near the given start alone. */
#include "pair_refine.h"

#include "stored_pairs.h"
#include "tool_run.h"
#include "workspace_state.h"

#include <math.h>
#include <stdio.h>

/* A result counts within one part in this many of the frame's longer side from the start. */
#define REACH 8

/* Starts along each side, and their distance, one part in this many of the longer side: what is placed by eye may lie further
 * off than landmarks are looked for. */
#define STARTS_ACROSS 5
#define STARTS (STARTS_ACROSS * STARTS_ACROSS)
#define STEP 32

typedef struct refine_stage {
    tool_run run;
    endo_pair pair; /* frames */
    endo_transform start;
    endo_pairs_options options;
    endo_refined_pair *refined;
    int is_done;
} refine_stage;

static double longer_side(const refine_stage *s) {
    mosaic_size size = sequence_size(s->run.workspace->sequence);
    return size.width > size.height ? size.width : size.height;
}

/* ------------------------------------------------------------------------- starts */

/* A start: the given one, shifted by up to half of STARTS_ACROSS steps each way. The given one is in the middle. */
static endo_transform start_at(const refine_stage *s, int i) {
    double step = longer_side(s) / STEP;
    endo_transform shift =
        pose_translation(step * (i % STARTS_ACROSS - STARTS_ACROSS / 2), step * (i / STARTS_ACROSS - STARTS_ACROSS / 2));
    return pose_times(&shift, &s->start);
}

static endo_status add_start(refine_stage *s, guided_pairs *pairs, int i) {
    endo_transform start = start_at(s, i);
    int before = pairs->n;
    ENDO_TRY(stored_pairs_add(pairs, s->run.workspace, s->pair.reference, s->pair.current, &start));
    if (pairs->n > before) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "frames %d and %d: one of them cannot be read: %s", s->pair.reference + 1,
                     s->pair.current + 1, sequence_reason(s->run.workspace->sequence));
}

static double moved(const refine_stage *s, const pair_match *match) {
    return frame_corner_distance(sequence_size(s->run.workspace->sequence), &match->transform, &s->start);
}

/* Registers the pair from each start of the list, and takes what can be trusted and lies nearest to the given start; else the
 * first. */
static endo_status register_starts(refine_stage *s, const guided_pairs *pairs, pair_match *match, int *is_accepted) {
    const plausibility unknown = {.count = 0};
    pair_match matches[STARTS];
    int accepted[STARTS];
    endo_frames *frames;
    int best = 0;
    ENDO_TRY(frame_store_frames(s->run.workspace->store, &frames));
    ENDO_TRY(guided_pairs_checked(pairs, frames, &s->options, &unknown, matches, accepted));
    for (int i = 1; i < pairs->n; i++)
        if (accepted[i] && (!accepted[best] || moved(s, &matches[i]) < moved(s, &matches[best]))) best = i;
    *match = matches[best];
    *is_accepted = accepted[best];
    return ENDO_OK;
}

/* ------------------------------------------------------------------------ verdict */

static const char *reason_of(const pair_match *match) {
    if (match->status == ENDO_FRAME_NO_TEXTURE) return "one of the frames has too little texture to be registered";
    if (match->status == ENDO_FRAME_JUMP) return "nothing of one frame fits to the other from there";
    if (match->status == ENDO_FRAME_FEW_LANDMARKS) return "too little of one frame fits to the other to rely on it";
    return "the frames fit to each other, but do not show the same";
}

static void judge(refine_stage *s, const pair_match *match, int is_accepted) {
    endo_refined_pair *r = s->refined;
    double reach = longer_side(s) / REACH;
    r->quality = match->result.quality;
    r->moved = is_accepted ? moved(s, match) : NAN;
    r->refined = is_accepted && r->moved <= reach;
    if (r->refined)
        r->edge = pair_match_edge(match, s->pair.current);
    else if (is_accepted)
        snprintf(r->why, sizeof r->why, "what fits best is %.0f px away, and at most %.0f px are near", r->moved, reach);
    else
        snprintf(r->why, sizeof r->why, "%s", reason_of(match));
}

/* ---------------------------------------------------------------------- the stage */

static int is_near(const refine_stage *s, const pair_match *match) { return moved(s, match) <= longer_side(s) / REACH; }

/* From the given start, then, where nothing near fits, from those around it. */
static endo_status refine(refine_stage *s, guided_pairs *pairs) {
    pair_match match;
    pair_match further;
    int is_accepted;
    int is_better;
    ENDO_TRY(add_start(s, pairs, STARTS / 2));
    ENDO_TRY(register_starts(s, pairs, &match, &is_accepted));
    if (!is_accepted || !is_near(s, &match)) {
        pairs->n = 0;
        for (int i = 0; i < STARTS; i++)
            if (i != STARTS / 2) ENDO_TRY(add_start(s, pairs, i));
        ENDO_TRY(register_starts(s, pairs, &further, &is_better));
        if (is_better && (!is_accepted || moved(s, &further) < moved(s, &match))) match = further;
        is_accepted |= is_better;
    }
    judge(s, &match, is_accepted);
    return ENDO_OK;
}

static int done(void *stage) { return ((const refine_stage *)stage)->is_done; }

static double share(void *stage) { return done(stage); }

static void where(void *stage, char *out, size_t size) {
    const refine_stage *s = stage;
    snprintf(out, size, "frames %d and %d", s->pair.reference + 1, s->pair.current + 1);
}

static endo_status step(void *stage) {
    refine_stage *s = stage;
    guided_pairs pairs = {.n = 0};
    ENDO_TRY(workspace_need_store(s->run.workspace));
    endo_status status = refine(s, &pairs);
    guided_pairs_free(&pairs);
    s->is_done = status == ENDO_OK;
    return status;
}

static const mosaic_stage_calls calls = {
    .done = done,
    .step = step,
    .share = share,
    .where = where,
};

/* The class that the mosaic asks for; a start that is a homography stays one. */
static endo_pairs_options options_of(const endo_mosaic *mosaic, const endo_transform *start) {
    endo_pairs_options options = mosaic->options.pairs;
    if (start->kind == ENDO_TRANSFORM_HOMOGRAPHY && options.method == ENDO_METHOD_BEST)
        options.transform = ENDO_TRANSFORM_HOMOGRAPHY;
    return options;
}

static endo_transform start_of(const endo_transform *start, const endo_pairs_options *options, mosaic_size size) {
    int is_fit = start->kind != ENDO_TRANSFORM_HOMOGRAPHY || options->transform == ENDO_TRANSFORM_HOMOGRAPHY;
    return is_fit ? *start : frame_middle(size, start);
}

endo_status pair_refine_run(endo_mosaic *mosaic, const endo_mosaic_source *source, const endo_pair *pair,
                            const endo_transform *start, endo_refined_pair *refined) {
    endo_refined_pair found = {.quality = NAN, .moved = NAN};
    refine_stage s = {.pair = *pair, .options = options_of(mosaic, start), .refined = &found};
    mosaic_stage stage = {.calls = &calls, .self = &s};
    s.start = start_of(start, &s.options, (mosaic_size){.width = source->width, .height = source->height});
    endo_status status = tool_run_open(&s.run, mosaic, source, &(tool_use){.matches = 1});
    if (status == ENDO_OK) status = field_of_view_check_template(&s.run.workspace->field, s.options.template_side);
    if (status == ENDO_OK) status = tool_run_stage(&s.run, &stage);
    tool_run_close(&s.run);
    if (status == ENDO_OK) *refined = found;
    return status;
}
