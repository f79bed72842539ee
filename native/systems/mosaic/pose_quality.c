/* Chunk by chunk: the frames of its pairs are read, and compared in one call (pose_quality.h). */
#include "pose_quality.h"

#include "tool_run.h"
#include "workspace_state.h"

#include <math.h>
#include <stdio.h>

/* Most pairs of a chunk; progress is told after each chunk. */
#define MOST_PAIRS 64

typedef struct quality_stage {
    tool_run run;
    const endo_mosaic_frame *frames;
    int count; /* frames of the sequence */
    int distance;
    int next; /* the next frame to compare */
    endo_pose_quality *rows;
    int32_t n; /* rows so far */
} quality_stage;

typedef struct quality_chunk {
    endo_pair slots[MOST_PAIRS];
    endo_transform steps[MOST_PAIRS]; /* frame -> reference */
    int frames[MOST_PAIRS];
    int is_undefined[MOST_PAIRS]; /* the step is infinite within the frame and is replaced by the identity */
    int n;
} quality_chunk;

static int reads_once(int capacity, int distance) { return capacity / 2 >= distance; }

int pose_quality_chunk(int capacity, int distance) {
    int pairs = reads_once(capacity, distance) ? capacity - distance : capacity / 2;
    return pairs < MOST_PAIRS ? pairs : MOST_PAIRS;
}

/* ------------------------------------------------------------------------ a chunk */

static int compares(const quality_stage *s, int frame) {
    const endo_mosaic_frame *current = &s->frames[frame];
    const endo_mosaic_frame *reference = &s->frames[frame - s->distance];
    return current->registered && reference->registered && current->component == reference->component;
}

static void add(quality_chunk *chunk, int frame, endo_pair slots, endo_transform step, mosaic_size size) {
    int is_shown = pose_is_invertible(&step) && frame_is_before_horizon(size, &step);
    chunk->frames[chunk->n] = frame;
    chunk->slots[chunk->n] = slots;
    chunk->steps[chunk->n] = is_shown ? step : pose_identity;
    chunk->is_undefined[chunk->n] = !is_shown;
    chunk->n++;
}

static endo_status add_pair(quality_stage *s, int frame, quality_chunk *chunk) {
    int reference = frame - s->distance;
    mosaic_size size = sequence_size(s->run.workspace->sequence);
    endo_pair slots;
    if (!compares(s, frame)) return ENDO_OK;
    ENDO_TRY(tool_run_ask(&s->run, reference, "left out", &slots.reference));
    ENDO_TRY(tool_run_ask(&s->run, frame, "left out", &slots.current));
    if (slots.reference < 0 || slots.current < 0) return ENDO_OK;
    add(chunk, frame, slots, pose_between(&s->frames[reference].pose, &s->frames[frame].pose), size);
    return ENDO_OK;
}

/* Reads the pairs of frames up to *end, or, after a cancel, sets *end to the first one not read. */
static endo_status read_pairs(quality_stage *s, quality_chunk *chunk, int *end) {
    mosaic_events *events = s->run.workspace->events;
    int frame = s->next;
    for (; frame < *end && !events_cancelled(events); frame++) ENDO_TRY(add_pair(s, frame, chunk));
    *end = frame;
    return ENDO_OK;
}

static endo_status measure(quality_stage *s, const quality_chunk *chunk) {
    double values[MOST_PAIRS];
    endo_frames *store;
    ENDO_TRY(frame_store_frames(s->run.workspace->store, &store));
    ENDO_TRY(endo_quality_measure(store, chunk->slots, chunk->steps, (size_t)chunk->n, values));
    for (int i = 0; i < chunk->n; i++)
        s->rows[s->n++] = (endo_pose_quality){
            .frame = chunk->frames[i],
            .reference = chunk->frames[i] - s->distance,
            .quality = chunk->is_undefined[i] ? NAN : values[i],
        };
    return ENDO_OK;
}

/* ---------------------------------------------------------------------- the stage */

static int done(void *stage) {
    const quality_stage *s = stage;
    return s->next >= s->count;
}

static double share(void *stage) {
    const quality_stage *s = stage;
    return done(stage) ? 1 : (double)s->next / s->count;
}

static void where(void *stage, char *out, size_t size) {
    const quality_stage *s = stage;
    snprintf(out, size, "frame %d", frame_number(s->run.workspace->events->numbers, s->next));
}

static endo_status step(void *stage) {
    quality_stage *s = stage;
    mosaic_workspace *w = s->run.workspace;
    quality_chunk chunk = {.n = 0};
    ENDO_TRY(workspace_need_store(w));
    int capacity = frame_store_capacity(w->store);
    int pairs = pose_quality_chunk(capacity, s->distance);
    int most = s->count - s->next < pairs ? s->count : s->next + pairs;
    int end = most;
    frame_store_keep_from(w->store, reads_once(capacity, s->distance) ? s->next - s->distance : s->count);
    ENDO_TRY(read_pairs(s, &chunk, &end));
    if (end < most) endo_context_set_cancel(w->computing.context, NULL, NULL); /* what was read is measured quickly */
    if (chunk.n) ENDO_TRY(measure(s, &chunk));
    s->next = end;
    return ENDO_OK;
}

static const mosaic_stage_calls calls = {
    .done = done,
    .step = step,
    .share = share,
    .where = where,
};

endo_status pose_quality_run(endo_mosaic *mosaic, const endo_mosaic_source *source, const endo_mosaic_frame *frames,
                             int distance, endo_pose_quality *qualities, int32_t *n_qualities) {
    quality_stage s = {
        .frames = frames,
        .count = source->frames,
        .distance = distance,
        .next = distance,
        .rows = qualities,
    };
    mosaic_stage stage = {.calls = &calls, .self = &s};
    endo_status status = tool_run_open(&s.run, mosaic, source, &(tool_use){.compares = 1});
    if (status == ENDO_OK) status = tool_run_stage(&s.run, &stage);
    tool_run_close(&s.run);
    *n_qualities = s.n;
    return status;
}
