/* One run over a sequence, in three stages: frames are registered, chained and painted as they come; then loops are closed and
 * the poses of all frames are solved for; then the panoramas are painted or blended from these poses. Whatever ends a run, what
 * was computed until then is kept. */
#include "session.h"

#include "base/memory.h"
#include "chain_stage.h"
#include "chains_of_edges.h"
#include "consistency.h"
#include "lens_estimate.h"
#include "loop_stage.h"
#include "paint_stages.h"
#include "poses.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STAGES 3
/* Times that a lens is taken out and the frames are registered again: what is found first is off by a tenth or two. */
#define LENS_PASSES 2
#define WARNING_SIZE 600

/* State of a run; poses NULL: not solved for. */
typedef struct session {
    endo_mosaic *mosaic;
    mosaic_workspace *workspace;
    stage_runner runner;
    mosaic_stage stage; /* the present stage, or the last one; calls NULL: none has begun */
    chain_stage *chains;
    loop_stage *loops;
    observe_stage *observing;
    blend_stage *blending;
    paint_stage *painting;
    mosaic_poses *poses;
    endo_mosaic_frame *given; /* records of a run that begins with poses; else NULL */
    int n_given;
    int is_complete;
    int finds_lens; /* chains whose frames show a lens end the run, */
    double taken;   /* with the distortion to take out, percent; 0: none */
    char lens[WARNING_SIZE]; /* warning of a lens; "": none */
} session;

/* ----------------------------------------------------------------- small things */

static int frames_of_source(const session *s) { return sequence_count(s->workspace->sequence); }

static endo_mosaic_frame *records(const session *s) { return s->given ? s->given : chain_stage_records(s->chains); }

static int n_records(const session *s) { return s->given ? s->n_given : chain_stage_frames(s->chains); }

static endo_status run_stage(session *s, mosaic_stage stage) {
    s->stage = stage;
    return stage_runner_run(&s->runner, &stage);
}

static int is_done(mosaic_stage stage) { return stage.calls->done(stage.self); }

/* The option that includes perspective, where the present options exclude it. */
static const char *tilt_remedy(const endo_mosaic_options *options) {
    return options->pairs.method == ENDO_METHOD_BEST
               ? "warp=Homography takes that in where the scene is flat"
               : "method=Best with warp=Homography takes that in where the scene is flat";
}

/* -------------------------------------------------------------------- painting */

static endo_status paint(session *s) {
    if (s->given)
        ENDO_TRY(paint_stage_create_in_order(s->workspace, s->given, s->n_given, s->poses, &s->painting));
    else
        ENDO_TRY(paint_stage_create(s->workspace, records(s), n_records(s), s->poses, &s->painting));
    endo_status status = run_stage(s, paint_stage_calls(s->painting));
    s->is_complete = paint_stage_finish(s->painting);
    return status;
}

/* Blends the panoramas, or, where memory does not suffice, paints frames over one another. */
static endo_status blend(session *s) {
    ENDO_TRY(blend_stage_create(s->workspace, records(s), n_records(s), s->poses, &s->blending));
    endo_status status = run_stage(s, blend_stage_calls(s->blending));
    s->is_complete = blend_stage_finish(s->blending);
    if (status != ENDO_ERR_MEMORY) return status;
    events_say(s->workspace->events, ENDO_EVENT_LOG, ENDO_EVENT_MEMORY, -1, -1,
               "no memory to blend the panorama: %s; it is painted, one frame over the other", endo_last_error());
    return paint(s);
}

static endo_status paint_or_blend(session *s) {
    return s->mosaic->options.painting == ENDO_MOSAIC_BLEND ? blend(s) : paint(s);
}

/* Returns whether panoramas are made. Blending is skipped where no picture is wanted. */
static int paints(const endo_mosaic_options *options) {
    return options->picture || options->painting != ENDO_MOSAIC_BLEND;
}

/* --------------------------------------------------------------------- solving */

/* Widens deviations by the lens that the edges show. */
static endo_status heed_lens(const endo_mosaic_options *options, const mosaic_edges *edges, mosaic_size size, double spread,
                             mosaic_poses *poses, char *warning, size_t length) {
    lens_estimate lens;
    ENDO_TRY(lens_estimate_of(edges, size, &lens));
    lens_warning(&lens, options->lens, warning, length);
    return lens_widens(&lens, options->lens) ? poses_widen(poses, lens.lambda, spread) : ENDO_OK;
}

static endo_status close_loops(session *s) {
    endo_mosaic_times *times = &s->workspace->times;
    double start = mosaic_seconds();
    double others = times->read + times->put;
    ENDO_TRY(loop_stage_create(s->workspace, s->chains, &s->loops));
    endo_status status = run_stage(s, loop_stage_calls(s->loops));
    times->loops = mosaic_seconds() - start - (times->read + times->put - others);
    return status;
}

static endo_status solve(session *s, mosaic_extent extent) {
    ENDO_TRY(close_loops(s));
    s->is_complete = is_done(loop_stage_calls(s->loops));
    if (s->is_complete) {
        s->poses = loop_stage_take_poses(s->loops);
        ENDO_TRY(heed_lens(&s->mosaic->options, loop_stage_edges(s->loops), sequence_size(s->workspace->sequence),
                           s->workspace->field.spread, s->poses, s->lens, sizeof s->lens));
    }
    if (extent == MOSAIC_REGISTER) return ENDO_OK;
    if (s->is_complete && paints(&s->mosaic->options)) ENDO_TRY(paint_or_blend(s));
    if (s->is_complete) {
        events_progress(s->workspace->events, 1);
        return ENDO_OK;
    }
    poses_destroy(&s->poses);
    events_say(s->workspace->events, ENDO_EVENT_LOG, ENDO_EVENT_UNFINISHED, -1, -1,
               "stopped before all poses were solved for: they are those along the chain");
    return ENDO_OK;
}

static endo_status finish_chains(void *stage) { return chain_stage_finish(stage); }

/* Whether the chains show a lens that is to be taken out before anything else. */
static endo_status find_lens(session *s) {
    lens_estimate lens;
    double before = s->mosaic->options.lens;
    if (!s->finds_lens) return ENDO_OK;
    ENDO_TRY(lens_estimate_of(chain_stage_edges(s->chains), sequence_size(s->workspace->sequence), &lens));
    s->taken = lens_to_take(&lens, before);
    if (s->taken != 0)
        events_say(s->workspace->events, ENDO_EVENT_NOTE, ENDO_EVENT_LENS, -1, -1,
                   "lens distortion of %.1f %% (+- %.1f)%s: taken out, and all frames are registered again", 100 * lens.lambda,
                   100 * lens.deviation, before == 0 ? "" : " is left");
    return ENDO_OK;
}

static endo_status go(session *s, mosaic_extent extent) {
    mosaic_stage chaining = chain_stage_calls(s->chains);
    ENDO_TRY(run_stage(s, chaining));
    ENDO_TRY(workspace_persist(s->workspace, &chaining, finish_chains, s->chains));
    if (chain_stage_frames(s->chains) != frames_of_source(s)) return ENDO_OK;
    ENDO_TRY(find_lens(s));
    return s->taken == 0 ? solve(s, extent) : ENDO_OK;
}

static endo_status go_from_poses(session *s) {
    s->is_complete = !paints(&s->mosaic->options);
    if (s->is_complete) return ENDO_OK;
    int *all = endo_alloc((size_t)s->n_given, sizeof *all);
    if (!all) return endo_fail(ENDO_ERR_MEMORY, "no memory for the numbers of %d frames", s->n_given);
    for (int i = 0; i < s->n_given; i++) all[i] = i;
    endo_status status = observe_stage_create(s->workspace, all, s->n_given, &s->observing);
    endo_free(all);
    if (status == ENDO_OK) status = run_stage(s, observe_stage_calls(s->observing));
    int seen = status == ENDO_OK && is_done(observe_stage_calls(s->observing));
    return seen ? paint_or_blend(s) : status;
}

/* ------------------------------------------------------------------ what it made */

/* Warns of errors of the panoramas, in the order in which they are to be fixed: distorted frames make a plane look tilted,
 * chains grow and shear, and loops tear. */
static void say_warnings(session *s) {
    static const endo_event_kind kinds[] = {ENDO_EVENT_PERSPECTIVE, ENDO_EVENT_SHAPE, ENDO_EVENT_SHAPE};
    char lines[3][WARNING_SIZE];
    mosaic_events *events = s->workspace->events;
    mosaic_size size = sequence_size(s->workspace->sequence);
    poses_warning(s->poses, tilt_remedy(&s->mosaic->options), lines[0], sizeof lines[0]);
    shape_warning(records(s), n_records(s), size, lines[1], sizeof lines[1]);
    tear_warning(records(s), n_records(s), size, lines[2], sizeof lines[2]);
    int others = lines[0][0] || lines[1][0] || lines[2][0];
    if (s->lens[0])
        events_say_once(events, ENDO_EVENT_WARNING, ENDO_EVENT_LENS, -1, -1, "%s%s", s->lens,
                        others ? "; try that first, what else is wrong may come of it" : "");
    for (int i = 0; i < 3; i++)
        if (lines[i][0]) events_say_once(events, ENDO_EVENT_WARNING, kinds[i], -1, -1, "%s", lines[i]);
}

static void forget_panoramas(endo_mosaic *m) {
    for (int i = 0; i < m->n_components; i++) panorama_store_destroy(&m->panoramas[i]);
    endo_free(m->panoramas);
    m->panoramas = NULL;
    m->n_components = 0;
}

static endo_status chained_poses(session *s) {
    mosaic_size size = sequence_size(s->workspace->sequence);
    return poses_create(records(s), n_records(s), chain_stage_edges(s->chains), size, &s->poses);
}

static endo_status take_pictures(void *job) {
    session *s = job;
    endo_mosaic *m = s->mosaic;
    forget_panoramas(m);
    if (!s->poses) ENDO_TRY(chained_poses(s));
    int n = poses_components(s->poses);
    m->panoramas = endo_alloc_zeroed((size_t)n + 1, sizeof *m->panoramas);
    if (!m->panoramas) return endo_fail(ENDO_ERR_MEMORY, "no memory for a list of %d panoramas", n);
    m->n_components = n;
    for (int i = 0; i < n; i++)
        ENDO_TRY(workspace_snapshot(s->workspace, poses_canvas(s->poses, i + 1), &m->panoramas[i]));
    return ENDO_OK;
}

/* Takes over the canvases, and writes the poses into the records. */
static endo_status take_panoramas(session *s) {
    endo_status status = workspace_persist(s->workspace, s->stage.calls ? &s->stage : NULL, take_pictures, s);
    if (s->poses) {
        poses_put(s->poses);
        say_warnings(s);
    }
    return status;
}

static endo_status make_records(int n, endo_mosaic_frame **out) {
    *out = endo_alloc((size_t)n + 1, sizeof **out);
    return *out ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for the records of %d frames", n);
}

/* Takes over memory of make_records, and n records into it. */
static void keep_records(endo_mosaic *m, endo_mosaic_frame *memory, const endo_mosaic_frame *frames, int n) {
    if (n) memcpy(memory, frames, (size_t)n * sizeof *frames);
    endo_free(m->frames);
    m->frames = memory;
    m->n_frames = n;
}

static endo_status keep_edges(session *s) {
    if (s->loops) return edges_replace(&s->mosaic->edges, loop_stage_edges(s->loops));
    return s->chains ? edges_replace(&s->mosaic->edges, chain_stage_edges(s->chains)) : ENDO_OK;
}

/* The mosaic takes over the field of view. */
static void keep_rest(session *s) {
    endo_mosaic *m = s->mosaic;
    mosaic_workspace *w = s->workspace;
    m->field = w->field;
    memset(&w->field, 0, sizeof w->field);
    m->times = w->times;
    m->is_full = workspace_full(w) != NULL;
    snprintf(m->backend, sizeof m->backend, "%s", w->computing.description);
    if (!w->light || !light_of_scope_is_solved(w->light)) return;
    snprintf(m->light, sizeof m->light, "%s", light_of_scope_description(w->light));
    m->light_report = *light_of_scope_report(w->light);
    m->has_light = 1;
}

/* -------------------------------------------------------------------- failures */

/* Keeps what was painted before a failure, and leaves out what waited to be painted. message: of the failure. */
static void rescue(session *s, const char *message) {
    mosaic_events *events = s->workspace->events;
    char where[100] = "the start";
    if (s->stage.calls) s->stage.calls->where(s->stage.self, where, sizeof where);
    events_say(events, ENDO_EVENT_LOG, ENDO_EVENT_UNFINISHED, -1, -1, "stopped at %s: %s", where, message);
    if (s->chains && chain_stage_finish(s->chains) != ENDO_OK)
        events_say(events, ENDO_EVENT_LOG, ENDO_EVENT_UNFINISHED, -1, -1, "not all registered frames are painted: %s",
                   endo_last_error());
    endo_status status = workspace_rescue_deferred(s->workspace);
    if (status == ENDO_OK) status = take_panoramas(s);
    if (status != ENDO_OK)
        events_say(events, ENDO_EVENT_LOG, ENDO_EVENT_UNFINISHED, -1, -1, "the panorama is lost, the transforms are not: %s",
                   endo_last_error());
}

static const char *word_of(int status) {
    static const char *const words[] = {"ok", "few landmarks", "no texture", "jump", "skipped", "outlier", "tilted too far",
                                        "doubtful", "not placed"};
    return status >= 0 && status <= ENDO_FRAME_NOT_PLACED ? words[status] : "?";
}

/* Stretches of lost frames that are listed by name. */
#define NAMED 8

static int is_same_stretch(const endo_mosaic_frame *a, const endo_mosaic_frame *b) {
    return a->registered == b->registered && a->status == b->status;
}

/* Reports which frames are not in the panorama, and why. full: why no more could be painted; NULL: all could. */
static void say_lost(mosaic_events *events, const endo_mosaic_frame *f, int n, const char *full) {
    int lost = 0;
    int runs = 0;
    char text[1000] = "";
    size_t at = 0;
    int end;
    for (int i = 0; i < n; i = end) {
        char range[MOSAIC_RANGE];
        for (end = i + 1; end < n && is_same_stretch(&f[end], &f[i]);) end++;
        if (f[i].registered) continue;
        lost += end - i;
        if (runs++ < NAMED)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s (%s)", at ? ", " : "", record_range(f, i, end - 1, range),
                                   word_of(f[i].status));
    }
    if (lost)
        events_say(events, ENDO_EVENT_LOST, ENDO_EVENT_LEFT_OUT, -1, -1, "not in the panorama: %d of %d frames: %s%s%s%s", lost,
                   n, text, runs > NAMED ? " and others" : "", full ? "; " : "", full ? full : "");
    else if (full)
        events_say(events, ENDO_EVENT_LOST, ENDO_EVENT_FULL, -1, -1, "not in the panorama: %s", full);
}

/* ------------------------------------------------------------------------ runs */

static void close_session(session *s) {
    paint_stage_destroy(&s->painting);
    blend_stage_destroy(&s->blending);
    observe_stage_destroy(&s->observing);
    poses_destroy(&s->poses);
    loop_stage_destroy(&s->loops);
    chain_stage_destroy(&s->chains);
    panorama_store_destroy(&s->mosaic->snapshot);
    s->mosaic->workspace = NULL;
    workspace_close(&s->workspace);
}

/* Ends a run with a status; what was computed is kept. */
static endo_status end(session *s, endo_status status, mosaic_extent extent) {
    char message[ENDO_REASON_SIZE];
    snprintf(message, sizeof message, "%s", status == ENDO_OK ? "" : endo_last_error());
    endo_status failure = status;
    if (failure != ENDO_OK)
        rescue(s, message);
    else if (extent == MOSAIC_ALL)
        failure = take_panoramas(s);
    if (failure != ENDO_OK && status == ENDO_OK) snprintf(message, sizeof message, "%s", endo_last_error());
    if (failure == ENDO_OK && s->is_complete && extent == MOSAIC_ALL)
        say_lost(s->workspace->events, records(s), n_records(s), workspace_full(s->workspace));
    endo_mosaic_frame *frames = NULL;
    endo_status kept = make_records(n_records(s), &frames);
    if (kept == ENDO_OK) keep_records(s->mosaic, frames, records(s), n_records(s));
    if (kept == ENDO_OK) kept = keep_edges(s);
    keep_rest(s);
    if (failure != ENDO_OK) return endo_fail(failure, "%s", message);
    if (kept != ENDO_OK) return kept;
    return s->is_complete ? ENDO_OK : endo_fail(ENDO_CANCELLED, "cancelled");
}

static endo_status open_session(session *s, const endo_mosaic_source *source, int matches, int pictures) {
    endo_mosaic *m = s->mosaic;
    int asks_depth = m->options.relief == ENDO_MOSAIC_RELIEF_AUTO || m->options.light;
    workspace_setup setup = {
        .options = &m->options,
        .events = &m->events,
        .source = source,
        .matches = matches,
        .follows = pictures && m->options.painting == ENDO_MOSAIC_BLEND && asks_depth,
        .pictures = pictures,
        .defers = m->events.hooks.painted == NULL,
        .faults = m->faults,
    };
    ENDO_TRY(workspace_open(&setup, &s->workspace));
    m->workspace = s->workspace;
    m->size = sequence_size(s->workspace->sequence);
    m->type = sequence_type(s->workspace->sequence);
    s->runner = (stage_runner){.workspace = s->workspace, .stages = STAGES, .done = 0};
    return ENDO_OK;
}

/* One run with the lens that is known; *taken: the distortion, percent, that it found and ended for, 0: none. */
static endo_status run_once(endo_mosaic *m, const endo_mosaic_source *source, mosaic_extent extent, int finds_lens,
                            double *taken) {
    session s = {.mosaic = m, .finds_lens = finds_lens};
    endo_status status = open_session(&s, source, 1, extent == MOSAIC_ALL);
    if (status == ENDO_OK) {
        status = chain_stage_create(s.workspace, &s.chains);
        if (status == ENDO_OK) status = go(&s, extent);
        if (s.taken == 0 && s.chains) status = end(&s, status, extent);
    }
    close_session(&s);
    *taken = s.taken;
    return status;
}

endo_status mosaic_session_run(endo_mosaic *m, const endo_mosaic_source *source, mosaic_extent extent) {
    double taken = 0;
    if (m->finds_lens) m->options.lens = 0;
    for (int pass = 0;; pass++) {
        endo_status status = run_once(m, source, extent, m->finds_lens && pass < LENS_PASSES, &taken);
        if (status != ENDO_OK || taken == 0) return status;
        m->options.lens = rint(10 * (m->options.lens + taken)) / 10;
    }
}

endo_status mosaic_session_paint(endo_mosaic *m, const endo_mosaic_source *source, const endo_mosaic_frame *frames, int n) {
    session s = {.mosaic = m, .n_given = n};
    ENDO_TRY(make_records(n, &s.given));
    memcpy(s.given, frames, (size_t)n * sizeof *frames);
    endo_status status = open_session(&s, source, 0, 1);
    if (status == ENDO_OK) {
        mosaic_size size = {.width = source->width, .height = source->height};
        status = poses_of_solved(s.given, n, size, &s.poses);
        if (status == ENDO_OK) status = end(&s, go_from_poses(&s), MOSAIC_ALL);
    }
    close_session(&s);
    endo_free(s.given);
    return status;
}

/* ---------------------------------------------------------------- solving alone */

static endo_status solve_in(const endo_mosaic_options *options, mosaic_poses *poses, endo_mosaic *m) {
    endo_context_options cpu = {.backend = ENDO_BACKEND_CPU, .threads = options->context.threads, .cpu = options->context.cpu};
    endo_context *context = NULL;
    if (!options->solve) return ENDO_OK;
    ENDO_TRY(endo_context_create(&cpu, &context));
    endo_context_set_cancel(context, m->events.hooks.cancelled, m->events.hooks.user);
    endo_status status = poses_solve(poses, context);
    endo_context_destroy(&context);
    return status;
}

static void say(endo_mosaic *m, endo_event_kind kind, const char *line) {
    if (line[0]) events_say_once(&m->events, ENDO_EVENT_WARNING, kind, -1, -1, "%s", line);
}

static endo_status solve_alone(endo_mosaic *m, mosaic_size size, double spread, endo_mosaic_frame *frames, int n,
                               const mosaic_edges *edges) {
    char lens[WARNING_SIZE] = "";
    char tilt[WARNING_SIZE] = "";
    int not_placed = 0;
    mosaic_poses *poses = NULL;
    ENDO_TRY(chains_of_edges(frames, n, edges, &not_placed));
    ENDO_TRY(poses_create(frames, n, edges, size, &poses));
    endo_status status = solve_in(&m->options, poses, m);
    if (status == ENDO_OK) status = heed_lens(&m->options, edges, size, spread, poses, lens, sizeof lens);
    if (status == ENDO_OK && m->options.painting != ENDO_MOSAIC_BLEND)
        status = paint_stage_put_order(frames, n, poses, &m->options, size);
    if (status == ENDO_OK) {
        poses_put(poses);
        poses_warning(poses, tilt_remedy(&m->options), tilt, sizeof tilt);
        say(m, ENDO_EVENT_LENS, lens);
        say(m, ENDO_EVENT_PERSPECTIVE, tilt);
        if (not_placed) say_lost(&m->events, frames, n, NULL);
    }
    poses_destroy(&poses);
    return status;
}

endo_status mosaic_session_solve(endo_mosaic *m, mosaic_size size, double spread, endo_mosaic_frame *frames, int n,
                                 const mosaic_edges *edges) {
    endo_mosaic_frame *solved = NULL;
    ENDO_TRY(make_records(n, &solved));
    memcpy(solved, frames, (size_t)n * sizeof *solved);
    endo_status status = solve_alone(m, size, spread, solved, n, edges);
    if (status != ENDO_OK) {
        endo_free(solved);
        return status;
    }
    memcpy(frames, solved, (size_t)n * sizeof *solved);
    keep_records(m, solved, frames, n);
    m->size = size;
    return ENDO_OK;
}

/* ------------------------------------------------------------------------- end */

void mosaic_session_free(endo_mosaic *m) {
    forget_panoramas(m);
    panorama_store_destroy(&m->snapshot);
    endo_free(m->frames);
    m->frames = NULL;
    m->n_frames = 0;
    edges_free(&m->edges);
    field_of_view_free(&m->field);
}
