/* Chunk by chunk: the frames of its pairs are read once, and registered with one combination of options a step
 * (option_sweep.h). The results of a chunk count once all combinations have registered it, so that all have the same pairs; if
 * a failure has made the store too small for the chunk, it is begun again as a shorter one. */
#include "option_sweep.h"

#include "base/memory.h"
#include "tool_run.h"
#include "workspace_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Most pairs of a chunk, so that a call is short and progress is told often. */
#define MOST_PAIRS 64

typedef struct sweep_stage {
    tool_run run;
    const endo_pairs_options *combinations;
    int n;
    int total;                   /* pairs of the sequence */
    endo_sweep_result *results;  /* without the present chunk */
    endo_sweep_result *chunk;    /* results of the chunk, by combination */
    int next;                    /* first frame of the present chunk */
    int end;                     /* last frame of the chunk; equal to `next`: no chunk is begun */
    int row;                     /* the present combination */
    endo_pair slots[MOST_PAIRS]; /* readable pairs of the chunk */
    int n_pairs;
    int is_read;
} sweep_stage;

/* ------------------------------------------------------------------------ a chunk */

/* Begins a chunk if none is begun, or if the store has become too small for the present one. */
static void begin_chunk(sweep_stage *s) {
    int pairs = frame_store_capacity(s->run.workspace->store) - 1;
    if (s->end > s->next && s->end - s->next <= pairs) return;
    if (pairs > MOST_PAIRS) pairs = MOST_PAIRS;
    s->end = s->total - s->next < pairs ? s->total : s->next + pairs;
    s->row = 0;
    s->is_read = 0;
}

/* Pairs with an unreadable frame are left out. */
static endo_status read_pairs(sweep_stage *s) {
    mosaic_workspace *w = s->run.workspace;
    endo_pair pair;
    if (s->is_read) return ENDO_OK;
    s->n_pairs = 0;
    frame_store_keep_from(w->store, s->next);
    ENDO_TRY(tool_run_ask(&s->run, s->next, "left out", &pair.reference));
    for (int frame = s->next + 1; frame <= s->end; frame++) {
        if (events_cancelled(w->events)) return endo_fail(ENDO_CANCELLED, "cancelled");
        ENDO_TRY(tool_run_ask(&s->run, frame, "left out", &pair.current));
        if (pair.reference >= 0 && pair.current >= 0) s->slots[s->n_pairs++] = pair;
        pair.reference = pair.current;
    }
    ENDO_TRY(frame_store_flush(w->store));
    s->is_read = 1;
    return ENDO_OK;
}

static endo_sweep_result sums_of(const endo_pair_result *pairs, int n, double milliseconds) {
    endo_sweep_result sums = {.pairs = n, .milliseconds = milliseconds};
    for (int i = 0; i < n; i++) {
        sums.ok += pairs[i].status == ENDO_PAIR_OK;
        sums.computed += pairs[i].computed;
        sums.reused += pairs[i].reused;
        if (isnan(pairs[i].quality)) continue;
        sums.quality_sum += pairs[i].quality;
        sums.qualities++;
    }
    return sums;
}

static endo_status register_pairs(sweep_stage *s) {
    endo_pair_result results[MOST_PAIRS];
    endo_frames *frames;
    ENDO_TRY(frame_store_frames(s->run.workspace->store, &frames));
    double start = mosaic_seconds();
    ENDO_TRY(endo_pairs_register(frames, s->slots, (size_t)s->n_pairs, &s->combinations[s->row], results));
    s->chunk[s->row] = sums_of(results, s->n_pairs, 1e3 * (mosaic_seconds() - start));
    return ENDO_OK;
}

static void add(endo_sweep_result *to, const endo_sweep_result *more) {
    to->pairs += more->pairs;
    to->ok += more->ok;
    to->computed += more->computed;
    to->reused += more->reused;
    to->qualities += more->qualities;
    to->quality_sum += more->quality_sum;
    to->milliseconds += more->milliseconds;
}

/* Adds the results of the chunk, of the combinations that have registered it. */
static void end_chunk(sweep_stage *s) {
    for (int i = 0; i < s->row; i++) add(&s->results[i], &s->chunk[i]);
    s->row = 0;
}

/* ---------------------------------------------------------------------- the stage */

static int done(void *stage) {
    const sweep_stage *s = stage;
    return s->next >= s->total;
}

static double share(void *stage) {
    const sweep_stage *s = stage;
    double now = (double)s->row * (s->end - s->next) / s->n;
    return done(stage) ? 1 : (s->next + now) / s->total;
}

static void where(void *stage, char *out, size_t size) {
    const sweep_stage *s = stage;
    snprintf(out, size, "frame %d", frame_number(s->run.workspace->events->numbers, s->next));
}

static endo_status step(void *stage) {
    sweep_stage *s = stage;
    ENDO_TRY(workspace_need_store(s->run.workspace));
    begin_chunk(s);
    ENDO_TRY(read_pairs(s));
    ENDO_TRY(register_pairs(s));
    s->row++;
    if (s->row < s->n) return ENDO_OK;
    end_chunk(s);
    s->next = s->end;
    s->is_read = 0;
    return ENDO_OK;
}

/* Another store has other slots, so that the chunk is read again. */
static void move_to(void *stage, endo_frames *frames, const int *slots, int backend) {
    sweep_stage *s = stage;
    (void)frames, (void)slots, (void)backend;
    s->is_read = 0;
}

static const mosaic_stage_calls calls = {
    .done = done,
    .step = step,
    .share = share,
    .where = where,
    .move_to = move_to,
};

static endo_status run(sweep_stage *s) {
    mosaic_stage stage = {.calls = &calls, .self = s};
    for (int i = 0; i < s->n; i++)
        ENDO_TRY(field_of_view_check_template(&s->run.workspace->field, s->combinations[i].template_side));
    return tool_run_stage(&s->run, &stage);
}

endo_status option_sweep_run(endo_mosaic *mosaic, const endo_mosaic_source *source, const endo_pairs_options *combinations,
                             int n, endo_sweep_result *results) {
    sweep_stage s = {
        .combinations = combinations,
        .n = n,
        .total = source->frames - 1,
        .results = results,
        .chunk = endo_alloc_zeroed((size_t)n, sizeof *s.chunk),
    };
    if (!s.chunk) return endo_fail(ENDO_ERR_MEMORY, "no memory for the sums of %d combinations of options", n);
    memset(results, 0, (size_t)n * sizeof *results);
    tool_use use = {.matches = 1, .passes = n, .pairs = combinations};
    endo_status status = tool_run_open(&s.run, mosaic, source, &use);
    if (status == ENDO_OK) status = run(&s);
    end_chunk(&s);
    tool_run_close(&s.run);
    endo_free(s.chunk);
    return status;
}
