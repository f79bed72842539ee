/* Pairs and their places (relief_search.h). */
#include "relief_search.h"

#include "base/memory.h"
#include "edges.h"
#include "light_of_scope.h"
#include "workspace_state.h"

#include <math.h>
#include <string.h>

/* Frames apart of the pairs along a component. */
static const int distances[] = {1, 3, 6, 12};
#define DISTANCES 4
/* One frame in so many is also paired with others that come at least so many frames later: those whose middles are nearest. */
#define LOOPS_EVERY 3
#define LOOPS_BEYOND 24
#define LOOPS 2
/* The least share of a frame that its pair covers. */
#define LEAST_OVERLAP 0.3
/* Pairs that are looked at first, one in so many of those whose frames lie so far apart, and least and most of them: where they
 * show no depth, nothing else is looked at. */
#define SAMPLE_EVERY 24
#define SAMPLE_APART 6
#define SAMPLE_LEAST 6
#define SAMPLE_MOST 24
/* Pairs of a step at most. */
#define AT_ONCE 8
/* Places of all pairs at most, some 150 bytes each; of more, the same share of each pair's is left out. */
#define MOST_PLACES 1000000

typedef struct relief_pair {
    int one, other; /* frames; one: the reference */
} relief_pair;

struct relief_search {
    mosaic_workspace *with;
    const endo_mosaic_frame *records;
    endo_transform *poses; /* one a record */
    int n;
    relief_pair *pairs;    /* those of the sample, then all of them */
    int n_pairs, capacity;
    int n_sample;
    int looked;            /* pairs that were looked at */
    int is_done;
    relief_points points;
};

/* ------------------------------------------------------------------------- plan */

static endo_status add_pair(relief_search *s, int one, int other) {
    endo_transform step = pose_between(&s->poses[one], &s->poses[other]);
    mosaic_size size = sequence_size(s->with->sequence);
    const mosaic_rect whole = {0, 0, size.width, size.height};
    if (!frame_is_before_horizon(size, &step) || !(rect_covered_by(whole, &step) >= LEAST_OVERLAP)) return ENDO_OK;
    ENDO_TRY(ARRAY_RESERVE(s->pairs, s->capacity, s->n_pairs + 1));
    s->pairs[s->n_pairs++] = (relief_pair){.one = one, .other = other};
    return ENDO_OK;
}

static double apart(const relief_search *s, int one, int other) {
    mosaic_size size = sequence_size(s->with->sequence);
    double x = (size.width - 1) / 2.0;
    double y = (size.height - 1) / 2.0;
    const endo_transform *a = &s->poses[one];
    const endo_transform *b = &s->poses[other];
    return length_of(pose_x(a, x, y) - pose_x(b, x, y), pose_y(a, x, y) - pose_y(b, x, y));
}

/* Adds pairs of a frame with the nearest ones of those that come much later. */
static endo_status add_loops(relief_search *s, const int *frames, int n, int i) {
    double near[LOOPS] = {INFINITY, INFINITY};
    int which[LOOPS] = {-1, -1};
    for (int k = i + LOOPS_BEYOND; k < n; k++) {
        double distance = apart(s, frames[i], frames[k]);
        int at = distance < near[0] ? 0 : distance < near[1] ? 1 : LOOPS;
        if (at == LOOPS) continue;
        if (at == 0) {
            near[1] = near[0];
            which[1] = which[0];
        }
        near[at] = distance;
        which[at] = frames[k];
    }
    for (int k = 0; k < LOOPS; k++)
        if (which[k] >= 0) ENDO_TRY(add_pair(s, frames[i], which[k]));
    return ENDO_OK;
}

/* frames: n of one component. */
static endo_status add_component(relief_search *s, const int *frames, int n) {
    for (int i = 0; i < n; i++) {
        for (int d = 0; d < DISTANCES; d++)
            if (i + distances[d] < n) ENDO_TRY(add_pair(s, frames[i], frames[i + distances[d]]));
        if (i % LOOPS_EVERY == 0) ENDO_TRY(add_loops(s, frames, n, i));
    }
    return ENDO_OK;
}

static endo_status plan(relief_search *s, const placed_frames *items, const uint8_t *is_sure, int *frames) {
    int end;
    for (int i = 0; i < items->n; i = end) {
        int n = 0;
        for (end = i; end < items->n && items->items[end].canvas == items->items[i].canvas; end++) {
            const placed_frame *item = &items->items[end];
            s->poses[item->frame] = item->pose;
            if (is_sure[item->frame]) frames[n++] = item->frame;
        }
        ENDO_TRY(add_component(s, frames, n));
    }
    return ENDO_OK;
}

static int is_far_apart(const relief_pair *p) { return p->other - p->one >= SAMPLE_APART; }

/* Puts a sample of the pairs before all of them. */
static endo_status take_sample(relief_search *s) {
    int far = 0;
    for (int i = 0; i < s->n_pairs; i++) far += is_far_apart(&s->pairs[i]);
    int wanted = s->n_pairs / SAMPLE_EVERY;
    wanted = wanted < SAMPLE_LEAST ? SAMPLE_LEAST : wanted > SAMPLE_MOST ? SAMPLE_MOST : wanted;
    if (wanted > far) wanted = far;
    relief_pair *all = endo_alloc((size_t)(wanted + s->n_pairs) + 1, sizeof *all);
    if (!all) return endo_fail(ENDO_ERR_MEMORY, "no memory for %d pairs", s->n_pairs);
    for (int i = 0, k = 0; i < s->n_pairs; i++) {
        if (!is_far_apart(&s->pairs[i])) continue;
        if ((int64_t)(k + 1) * wanted / far > (int64_t)k * wanted / far) all[s->n_sample++] = s->pairs[i];
        k++;
    }
    if (s->n_pairs) memcpy(all + s->n_sample, s->pairs, (size_t)s->n_pairs * sizeof *all);
    s->n_pairs += s->n_sample;
    endo_free(s->pairs);
    s->pairs = all;
    return ENDO_OK;
}

endo_status relief_search_create(mosaic_workspace *workspace, const placed_frames *items, const endo_mosaic_frame *records,
                                 int n, const uint8_t *is_sure, relief_search **out) {
    relief_search *s = endo_alloc_zeroed(1, sizeof *s);
    int *frames = endo_alloc((size_t)n, sizeof *frames);
    if (s) s->poses = endo_alloc_zeroed((size_t)n, sizeof *s->poses);
    int is_made = s && s->poses && frames;
    endo_status status = is_made ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for pairs of %d frames", n);
    if (status == ENDO_OK) {
        s->with = workspace;
        s->records = records;
        s->n = n;
        for (int i = 0; i < n; i++) s->poses[i] = pose_identity;
        status = plan(s, items, is_sure, frames);
        if (status == ENDO_OK) status = take_sample(s);
    }
    endo_free(frames);
    if (status == ENDO_OK)
        *out = s;
    else
        relief_search_destroy(&s);
    return status;
}

void relief_search_destroy(relief_search **search) {
    relief_search *s = *search;
    *search = NULL;
    if (!s) return;
    endo_free(s->poses);
    endo_free(s->pairs);
    relief_points_free(&s->points);
    endo_free(s);
}

int relief_search_is_done(const relief_search *s) { return s->is_done; }

/* ----------------------------------------------------------------------- places */

/* Whether something before the scene may be seen at a point of a frame. */
static int is_hidden(const endo_mosaic_frame *f, mosaic_size size, double x, double y) {
    if (f->hidden_columns == 0) return 0;
    int column = (int)((x + 0.5) * f->hidden_columns / size.width);
    int row = (int)((y + 0.5) * f->hidden_rows / size.height);
    if (column < 0 || row < 0 || column >= f->hidden_columns || row >= f->hidden_rows) return 0;
    return f->hidden[row * f->hidden_columns + column] != ENDO_SHOWN;
}

/* Leaves out places where something before the scene may be seen; returns how many are left. */
static int leave_out_hidden(const relief_search *s, int pair, endo_patch_place *places, int n) {
    const relief_pair *p = &s->pairs[pair];
    mosaic_size size = sequence_size(s->with->sequence);
    int left = 0;
    for (int i = 0; i < n; i++) {
        const endo_patch_place *at = &places[i];
        if (is_hidden(&s->records[p->one], size, at->x, at->y)) continue;
        if (is_hidden(&s->records[p->other], size, at->current_x, at->current_y)) continue;
        places[left++] = places[i];
    }
    return left;
}

static endo_status add_places(relief_search *s, int pair, const endo_patch_place *places, int n) {
    const relief_pair *p = &s->pairs[pair];
    const endo_transform *one = &s->poses[p->one];
    const endo_transform *other = &s->poses[p->other];
    int every = 1 + (int)((int64_t)(s->n_pairs - s->n_sample) * ENDO_PATCH_PLACES / MOST_PLACES);
    for (int i = 0; i < n; i += every) {
        const endo_patch_place *at = &places[i];
        const relief_point point = {
            .frames = {p->one, p->other},
            .at = {{at->x, at->y}, {at->current_x, at->current_y}},
            .apart = {(float)(pose_x(other, at->current_x, at->current_y) - pose_x(one, at->x, at->y)),
                      (float)(pose_y(other, at->current_x, at->current_y) - pose_y(one, at->x, at->y))},
            .pair = pair < s->n_sample ? pair : pair - s->n_sample,
        };
        ENDO_TRY(relief_points_add(&s->points, &point));
    }
    return ENDO_OK;
}

/* The pairs of the sample tell the light of walls; all pairs where there is no sample. */
static endo_status tell_light(const relief_search *s, int pair, const endo_patch_place *places, int n) {
    light_of_scope *light = s->with->light;
    return light && (s->n_sample == 0 || pair < s->n_sample) ? light_of_scope_see_walls(light, places, n) : ENDO_OK;
}

/* Pairs of a step, whose frames are in the store. */
typedef struct batch {
    int n;       /* pairs from s->looked on, those whose frames cannot be read among them */
    int n_asked; /* of these, pairs that are asked */
    int which[AT_ONCE];
    endo_pair slots[AT_ONCE];
    endo_transform steps[AT_ONCE];
} batch;

/* Asks the store for the frames of the next pair. */
static endo_status add_next(relief_search *s, batch *b) {
    const relief_pair *p = &s->pairs[s->looked + b->n];
    int one;
    int other = -1;
    ENDO_TRY(frame_store_ask(s->with->store, p->one, &one));
    if (one >= 0) ENDO_TRY(frame_store_ask(s->with->store, p->other, &other));
    if (one >= 0 && other >= 0) {
        b->which[b->n_asked] = s->looked + b->n;
        b->slots[b->n_asked] = (endo_pair){.reference = one, .current = other};
        b->steps[b->n_asked] = pose_between(&s->poses[p->one], &s->poses[p->other]);
        b->n_asked++;
    }
    b->n++;
    return ENDO_OK;
}

static int has_room_for(const relief_search *s, const batch *b) {
    const relief_pair *p = &s->pairs[s->looked + b->n];
    return frame_store_can_hold(s->with->store, p->one, p->other);
}

/* Fills a batch with as many pairs as the store holds at once; frames before the first one of these are not needed soon. */
static endo_status fill(relief_search *s, batch *b) {
    frame_store *store = s->with->store;
    frame_store_keep_from(store, s->pairs[s->looked].one);
    if (!has_room_for(s, b)) frame_store_keep_only(store, NULL, 0);
    int end = s->looked < s->n_sample ? s->n_sample : s->n_pairs;
    while (b->n < AT_ONCE && s->looked + b->n < end && has_room_for(s, b)) ENDO_TRY(add_next(s, b));
    return ENDO_OK;
}

static int displaces(const relief_search *s) { return s->with->options->relief == ENDO_MOSAIC_RELIEF_AUTO; }

/* Ends the search where the sample shows no depth, or is for the light alone; otherwise all pairs are looked at. */
static endo_status heed_sample(relief_search *s) {
    int is_seen = 0;
    if (displaces(s)) ENDO_TRY(relief_is_seen(&s->points, &is_seen));
    s->points.n = 0;
    if (!is_seen) s->looked = s->n_pairs;
    return ENDO_OK;
}

static endo_status look(relief_search *s) {
    batch b = {.n = 0};
    endo_frames *frames = NULL;
    int32_t counts[AT_ONCE];
    ENDO_TRY(workspace_need_store(s->with));
    ENDO_TRY(frame_store_ask_for(s->with->store, ENDO_USE_ANY));
    ENDO_TRY(fill(s, &b));
    ENDO_TRY(frame_store_frames(s->with->store, &frames));
    endo_patch_place *places = endo_alloc(AT_ONCE * ENDO_PATCH_PLACES, sizeof *places);
    if (!places) return endo_fail(ENDO_ERR_MEMORY, "no memory for places of %d pairs", AT_ONCE);
    int before = s->points.n;
    endo_status status = endo_pairs_locate(frames, b.slots, b.steps, (size_t)b.n_asked, places, counts);
    for (int i = 0; i < b.n_asked && status == ENDO_OK; i++) {
        counts[i] = leave_out_hidden(s, b.which[i], places + i * ENDO_PATCH_PLACES, counts[i]);
        if (displaces(s)) status = add_places(s, b.which[i], places + i * ENDO_PATCH_PLACES, counts[i]);
    }
    for (int i = 0; i < b.n_asked && status == ENDO_OK; i++)
        status = tell_light(s, b.which[i], places + i * ENDO_PATCH_PLACES, counts[i]);
    endo_free(places);
    if (status != ENDO_OK) {
        s->points.n = before;
        return status;
    }
    s->looked += b.n;
    return s->looked == s->n_sample ? heed_sample(s) : ENDO_OK;
}

/* ------------------------------------------------------------------------- solve */

/* Whether poses are as exact as one transform a frame can be, so that what is left is depth: those of the method Paper are not,
 * nor those that were not solved for, or whose class was chosen; how those were made that are given is not known. */
static int are_exact(const mosaic_workspace *w) {
    const endo_pairs_options *pairs = &w->options->pairs;
    int is_free = pairs->transform == ENDO_TRANSFORM_AUTO || pairs->transform == ENDO_TRANSFORM_HOMOGRAPHY;
    return workspace_matches(w) && w->options->solve && pairs->method == ENDO_METHOD_BEST && is_free;
}

static void say(relief_search *s, const relief_evidence *e) {
    if (e->is_clear)
        events_say_once(s->with->events, ENDO_EVENT_NOTE, ENDO_EVENT_RELIEF, -1, -1,
                        "%s: frames are displaced smoothly so that they agree; four of five places of pairs that were held out "
                        "then lie within %.2f px instead of %.2f (relief=None prevents that)",
                        are_exact(s->with) ? "the scene is in depth" : "poses are rough, or the scene is in depth", e->with,
                        e->without);
}

static endo_status solve(relief_search *s) {
    mosaic_workspace *w = s->with;
    const relief_frames frames = {
        .poses = s->poses,
        .n = s->n,
        .size = sequence_size(w->sequence),
        .field = w->field.mask,
        .reach = w->options->rim / 2,
    };
    frame_displacements displacements;
    relief_evidence evidence;
    if (!displaces(s)) s->points.n = 0;
    ENDO_TRY(relief_solve(&s->points, &frames, &displacements, &evidence));
    endo_status status = displacements.moves ? frame_store_forget(w->store) : ENDO_OK;
    if (status != ENDO_OK) {
        frame_displacements_free(&displacements);
        return status;
    }
    w->displacements = displacements;
    say(s, &evidence);
    s->is_done = 1;
    return ENDO_OK;
}

endo_status relief_search_step(relief_search *s) {
    double start = mosaic_seconds();
    ENDO_TRY(workspace_need_store(s->with));
    endo_status status = s->looked < s->n_pairs ? look(s) : solve(s);
    s->with->times.loops += mosaic_seconds() - start;
    return status;
}
