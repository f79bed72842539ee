/* Everything between edges and poses with an allocator that fails at its Nth call, N from the first to one beyond the last: the
 * status is MEMORY, nothing is lost, and the same call works afterwards, with the same result. */
#include "systems/mosaic/bridge_plan.h"
#include "systems/mosaic/held_out.h"
#include "systems/mosaic/lens_estimate.h"
#include "systems/mosaic/loop_plan.h"
#include "memory_allocator.h"
#include "poses_rig.h"

#include <stdlib.h>

enum { FRAMES = 60 };

static poses_rig rig;
static key_frames keys = {.field = {0, 0, 101, 81}};
static const mosaic_size size = {101, 81};

/* The objects that the calls work on and make. */
typedef struct memory_scene {
    endo_context *context;
    mosaic_poses *poses;
    mosaic_poses *other;
    mosaic_poses *apart; /* as if nothing tied the chains */
    loop_plan *plan;
    mosaic_edges pairs;
} memory_scene;

/* Two chains of sheared frames on the spot, that edges tie, of which the second half says much of lens and perspective. */
static void make_sequence(void) {
    endo_transform step = rig_affine(1.001, 0.002, 0.5, -0.001, 1, 0.3);
    for (int i = 0; i < FRAMES; i++) {
        int begins = i % 40 == 0;
        endo_transform pose = begins ? pose_identity : rig_times(rig.frames[i - 1].pose, step);
        rig_frame(&rig, i / 40, begins ? i : i - 1, &pose);
        rig.frames[i].key_frame = i % 10 == 0;
        if (!begins) rig_edge(&rig, i - 1, i, &step, 0.3);
        endo_transform two = rig_times(step, step);
        if (i % 10 > 1 && i > 20) rig_edge(&rig, i / 10 * 10, i, &two, 0.3);
    }
    rig_edge(&rig, 3, 45, &step, 0.3);
    for (int i = 0; i < rig.edges.n; i++) {
        endo_mosaic_edge *edge = &rig.edges.items[i];
        edge->perspective[0] = 3e-5;
        edge->perspective_deviation = 1e-6;
        edge->lens = 0.05;
        edge->lens_deviation = 0.01;
    }
}

static void must(int done) {
    if (done) return;
    printf("FAIL: the scene cannot be made\n");
    exit(1);
}

static void build(memory_scene *s) {
    endo_context_options options = endo_context_options_default();
    options.backend = ENDO_BACKEND_CPU;
    options.threads = 1;
    *s = (memory_scene){.context = NULL};
    must(endo_context_create(&options, &s->context) == ENDO_OK);
    must(poses_create(rig.frames, rig.n, &rig.edges, size, &s->poses) == ENDO_OK);
    rig.edges.n--;
    must(poses_create(rig.frames, rig.n, &rig.edges, size, &s->apart) == ENDO_OK && poses_components(s->apart) == 2);
    rig.edges.n++;
    must(loop_plan_create(rig.n, size, &keys, &s->plan) == ENDO_OK);
    must(held_out_choose(rig.n, s->poses, &rig.edges, &keys, &s->pairs) == ENDO_OK && s->pairs.n > 0);
    for (int i = 0; i < s->pairs.n; i++) s->pairs.items[i].transform.kind = ENDO_TRANSFORM_HOMOGRAPHY;
}

static void tear_down(memory_scene *s) {
    poses_destroy(&s->poses);
    poses_destroy(&s->other);
    poses_destroy(&s->apart);
    loop_plan_destroy(&s->plan);
    edges_free(&s->pairs);
    endo_context_destroy(&s->context);
}

/* ------------------------------------------------------------------------ calls */

static double sum_of(const mosaic_poses *poses) {
    double sum = 0;
    for (int i = 0; i < FRAMES; i++) {
        double deviation = poses_deviation(poses, i);
        sum += (i + 1) * (rig_x(poses, i) + (isnan(deviation) ? 0 : deviation) + poses_component(poses, i));
    }
    return sum;
}

static endo_status create(memory_scene *s, double *result) {
    ENDO_TRY(poses_create(rig.frames, rig.n, &rig.edges, size, &s->other));
    *result = sum_of(s->other);
    return ENDO_OK;
}

static endo_status of_solved(memory_scene *s, double *result) {
    ENDO_TRY(poses_of_solved(rig.frames, rig.n, size, &s->other));
    *result = sum_of(s->other);
    return ENDO_OK;
}

static endo_status solve(memory_scene *s, double *result) {
    ENDO_TRY(poses_solve(s->poses, s->context));
    *result = sum_of(s->poses);
    return ENDO_OK;
}

static endo_status widen(memory_scene *s, double *result) {
    ENDO_TRY(poses_widen(s->poses, 0.03, 40));
    *result = sum_of(s->poses);
    return ENDO_OK;
}

static endo_status estimate(memory_scene *s, double *result) {
    lens_estimate lens;
    (void)s;
    ENDO_TRY(lens_estimate_of(&rig.edges, (mosaic_size){200, 160}, &lens));
    *result = lens.lambda + lens.deviation;
    return ENDO_OK;
}

static endo_status bridge(memory_scene *s, double *result) {
    frame_pairs pairs;
    (void)s;
    ENDO_TRY(bridge_plan(rig.frames, rig.n, &rig.edges, &pairs));
    *result = 0;
    for (int i = 0; i < pairs.n; i++) *result += (i + 1) * (pairs.items[i][0] + 100 * pairs.items[i][1]);
    frame_pairs_free(&pairs);
    return ENDO_OK;
}

static double sum_of_plan(const loop_plan *plan) {
    double sum = 0;
    for (int i = 0; i < loop_plan_near(plan)->n; i++) sum += (i + 1) * loop_plan_near(plan)->items[i].frame;
    for (int i = 0; i < loop_plan_far(plan)->n; i++) sum += 1000.0 * (i + 1) * loop_plan_far(plan)->items[i].frame;
    return sum;
}

/* Both kinds of round, with what is found between them; where memory ends, the same again from there on. */
static endo_status plan_loops(memory_scene *s, double *result) {
    *result = 0;
    ENDO_TRY(loop_plan_loops(s->plan, s->poses));
    for (int i = 0; i < loop_plan_far(s->plan)->n; i++) ENDO_TRY(loop_plan_tie(s->plan, &loop_plan_far(s->plan)->items[i]));
    ENDO_TRY(loop_plan_loops(s->plan, s->poses));
    *result = sum_of_plan(s->plan);
    return ENDO_OK;
}

static endo_status plan_first(memory_scene *s, double *result) {
    ENDO_TRY(loop_plan_loops(s->plan, s->poses));
    *result = sum_of_plan(s->plan);
    return ENDO_OK;
}

static endo_status plan_ties(memory_scene *s, double *result) {
    ENDO_TRY(loop_plan_ties(s->plan, s->apart));
    *result = sum_of_plan(s->plan);
    return ENDO_OK;
}

static endo_status hold_out(memory_scene *s, double *result) {
    mosaic_edges out = {.items = NULL};
    endo_status status = held_out_choose(rig.n, s->poses, &rig.edges, &keys, &out);
    *result = out.n;
    edges_free(&out);
    return status;
}

static endo_status speak(memory_scene *s, double *result) {
    int speaks;
    ENDO_TRY(held_out_favour(&s->pairs, s->poses, s->poses, size, &speaks));
    *result = 1 + speaks;
    return ENDO_OK;
}

static endo_status compare(memory_scene *s, double *result) {
    int better;
    ENDO_TRY(tilted_is_better(s->poses, &rig.edges, s->poses, &rig.edges, size, &better));
    *result = 1 + better;
    return ENDO_OK;
}

/* ------------------------------------------------------------------------ sweep */

typedef struct memory_step {
    const char *name;
    endo_status (*call)(memory_scene *s, double *result);
    int least;  /* allocations that there must be: else the sweep finds nothing */
    int repeats; /* a call that failed may be asked again */
} memory_step;

static const memory_step steps[] = {
    {"create", create, 15, 1},        {"of solved", of_solved, 8, 1}, {"solve", solve, 15, 1},
    {"widen", widen, 6, 1},           {"estimate", estimate, 1, 1},   {"bridge", bridge, 5, 1},
    {"plan loops", plan_loops, 8, 0}, {"plan first", plan_first, 5, 1}, {"plan ties", plan_ties, 4, 1},
    {"hold out", hold_out, 1, 1},     {"speak", speak, 1, 1},         {"compare", compare, 2, 1},
};

/* The result without a failure. */
static double undisturbed(const memory_step *step) {
    memory_scene s;
    double result = NAN;
    build(&s);
    CHECK(step->call(&s, &result) == ENDO_OK);
    tear_down(&s);
    return result;
}

/* One N; 0: the call did not get that far. */
static int fails_at(const memory_step *step, int at, double expected) {
    memory_scene s;
    double result = NAN;
    int before = memory_alive;
    build(&s);
    memory_arm(at, 0);
    endo_status status = step->call(&s, &result);
    int fired = memory_failures;
    memory_arm(0, 0);
    CHECK(status == (fired ? ENDO_ERR_MEMORY : ENDO_OK));
    if (fired) CHECK(strstr(endo_last_error(), "memory") != NULL);
    if (fired && step->repeats) {
        CHECK(step->call(&s, &result) == ENDO_OK);
        if (result != expected) printf("%s, allocation %d: %.17g, not %.17g\n", step->name, at, result, expected);
        CHECK(result == expected);
    }
    tear_down(&s);
    CHECK(memory_alive == before);
    return fired;
}

int main(void) {
    make_sequence();
    for (int i = 0; i < FRAMES; i += 10) {
        int index = -1;
        must(key_frames_add(&keys, i, rig.frames[i].chain, &rig.frames[i].pose, &index) == ENDO_OK);
        keys.items[index].end = i + 9 < FRAMES - 1 ? i + 10 : FRAMES - 1;
    }
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        double expected = undisturbed(&steps[k]);
        int n = 1;
        while (fails_at(&steps[k], n, expected)) n++;
        if (n <= steps[k].least) printf("%s: %d allocations\n", steps[k].name, n - 1);
        CHECK(n > steps[k].least);
    }
    key_frames_free(&keys);
    edges_free(&rig.edges);
    return check_summary("test_mosaic_memory");
}
