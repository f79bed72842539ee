/* The stage that closes loops, from chains to poses: what it finds in whole sequences, and what failures leave. */
#include "loops_rig.h"

/* ------------------------------------------------------------------------ stage */

static chain_stage *chains;
static loop_stage *loops;

static void run_stage(stage_runner *runner, mosaic_stage stage) { CHECK(stage_runner_run(runner, &stage) == ENDO_OK); }

static void set_method(endo_pairs_method method) {
    set_options();
    options.pairs.method = method;
    options.pairs.transform = method == ENDO_METHOD_BEST ? ENDO_TRANSFORM_AUTO : ENDO_TRANSFORM_AFFINE;
}

/* Chains of all frames; the loops are begun. */
static stage_runner begin(demo_frames *from) {
    stage_runner runner = {.stages = 2};
    open_workspace(from);
    runner.workspace = workspace;
    CHECK(chain_stage_create(workspace, &chains) == ENDO_OK);
    run_stage(&runner, chain_stage_calls(chains));
    CHECK(chain_stage_finish(chains) == ENDO_OK && chain_stage_frames(chains) == from->source.frames);
    CHECK(loop_stage_create(workspace, chains, &loops) == ENDO_OK);
    return runner;
}

static void end(void) {
    loop_stage_destroy(&loops);
    chain_stage_destroy(&chains);
    CHECK(!loops && !chains);
    close_workspace();
}

static void run(demo_frames *from) {
    stage_runner runner = begin(from);
    mosaic_stage stage = loop_stage_calls(loops);
    char where[40];
    CHECK(!stage.calls->done(stage.self) && stage.calls->share(stage.self) < 1);
    stage.calls->where(stage.self, where, sizeof where);
    CHECK(!strcmp(where, "closing loops") && !stage.calls->held && !stage.calls->move_to);
    run_stage(&runner, stage);
    CHECK(stage.calls->done(stage.self) && stage.calls->share(stage.self) == 1 && progress_told == 1);
}

/* Root mean square of how far poses are from the demo's, px; chained: those along the chain. */
static double drift(endo_demo *of, const mosaic_poses *poses, mosaic_size frame) {
    double sum = 0;
    int n = chain_stage_frames(chains);
    for (int i = 0; i < n; i++) {
        endo_transform at;
        CHECK(endo_demo_truth(of, i, &at) == ENDO_OK);
        double away = frame_corner_distance(frame, poses ? poses_pose(poses, i) : &chain_stage_records(chains)[i].pose, &at);
        sum += away * away;
    }
    return sqrt(sum / n);
}

static int same_poses(const mosaic_poses *a, const mosaic_poses *b, int n) {
    int same = 1;
    for (int i = 0; i < n; i++) {
        double deviations[] = {poses_deviation(a, i), poses_deviation(b, i)};
        same &= poses_component(a, i) == poses_component(b, i);
        same &= !memcmp(poses_pose(a, i), poses_pose(b, i), sizeof(endo_transform));
        same &= !memcmp(&deviations[0], &deviations[1], sizeof deviations[0]);
    }
    return same;
}

static mosaic_poses *solve_all(mosaic_size frame) {
    mosaic_poses *poses = NULL;
    endo_mosaic_frame *frames = chain_stage_records(chains);
    CHECK(poses_create(frames, chain_stage_frames(chains), loop_stage_edges(loops), frame, &poses) == ENDO_OK);
    CHECK(poses_solve(poses, workspace->computing.context) == ENDO_OK);
    return poses;
}

enum { LOOP_W = 240, LOOP_H = 200, LOOP_FRAMES = 60 };

static const mosaic_size loop_size = {LOOP_W, LOOP_H};
static demo_frames circle; /* the last frame meets the first */
static endo_demo *true_circle;

/* Poses follow from all edges together, of which those with frames far away keep the chain from drifting. */
static void test_loops_are_closed(void) {
    set_method(ENDO_METHOD_PAPER);
    run(&circle);
    int n = chain_stage_frames(chains);
    mosaic_poses *poses = loop_stage_take_poses(loops);
    mosaic_poses *together = solve_all(loop_size);
    CHECK(same_poses(poses, together, n) && poses_components(poses) == 1);
    CHECK(drift(true_circle, poses, loop_size) < 0.5 * drift(true_circle, NULL, loop_size));
    const mosaic_edges *chained = chain_stage_edges(chains);
    const mosaic_edges *edges = loop_stage_edges(loops);
    CHECK(edges->n > chained->n && !memcmp(edges->items, chained->items, (size_t)chained->n * sizeof *edges->items));
    int longest = 0;
    for (int i = chained->n; i < edges->n; i++) {
        int apart = edges->items[i].current - edges->items[i].reference;
        longest = apart > longest ? apart : longest;
    }
    CHECK(longest > 40);
    CHECK(!loop_stage_take_poses(loops));
    poses_destroy(&poses);
    poses_destroy(&together);
    end();
}

static void test_without_loops_poses_are_those_of_the_chain(void) {
    set_options();
    options.solve = 0;
    run(&circle);
    mosaic_poses *poses = loop_stage_take_poses(loops);
    CHECK(same_edges(loop_stage_edges(loops), chain_stage_edges(chains)));
    for (int i = 0; i < LOOP_FRAMES; i++) {
        CHECK(isnan(poses_deviation(poses, i)));
        CHECK(!memcmp(poses_pose(poses, i), &chain_stage_records(chains)[i].pose, sizeof(endo_transform)));
    }
    poses_destroy(&poses);
    end();
}

static void test_what_the_chains_painted_stays_until_the_end(void) {
    placed_frames painted = {0};
    set_options();
    begin(&circle);
    mosaic_stage stage = loop_stage_calls(loops);
    chain_stage_records(chains)[7].registered = 0;
    CHECK(stage.calls->painted(stage.self, &painted) == ENDO_OK && painted.n == LOOP_FRAMES - 1);
    for (int i = 0; i < painted.n; i++) {
        const placed_frame *item = &painted.items[i];
        const endo_mosaic_frame *record = &chain_stage_records(chains)[item->frame];
        CHECK(item->frame == i + (i >= 7) && item->slot == -1 && item->canvas == record->chain);
        CHECK(!memcmp(&item->pose, &record->pose, sizeof item->pose));
    }
    placed_free(&painted);
    end();
}

/* Each step fails at up to three allocations before it is done: edges and poses are those of a run that never failed. */
static void test_steps_that_fail_are_asked_again(endo_pairs_method method) {
    mosaic_edges edges = {.items = NULL};
    int failures = 0;
    set_method(method);
    run(&circle);
    mosaic_poses *poses = loop_stage_take_poses(loops);
    CHECK(edges_replace(&edges, loop_stage_edges(loops)) == ENDO_OK);
    end();
    begin(&circle);
    mosaic_stage stage = loop_stage_calls(loops);
    uint32_t state = 1;
    for (int i = 0; !stage.calls->done(stage.self) && i < 1000; i++) {
        endo_status status = ENDO_ERR_MEMORY;
        for (int k = 0; k < 4 && status == ENDO_ERR_MEMORY; k++) {
            memory_arm(k == 3 ? 0 : 1 + (int)(demo_random(&state) % (k == 0 ? 12 : 100)), 0);
            status = stage.calls->step(stage.self);
            failures += status != ENDO_OK;
        }
        memory_arm(0, 0);
        CHECK(status == ENDO_OK);
    }
    mosaic_poses *again = loop_stage_take_poses(loops);
    CHECK(failures > 5 && same_edges(loop_stage_edges(loops), &edges) && same_poses(poses, again, LOOP_FRAMES));
    poses_destroy(&poses);
    poses_destroy(&again);
    edges_free(&edges);
    end();
}

/* Whatever allocation fails: nothing is made, and nothing is left. */
static void test_a_stage_that_cannot_be_made(void) {
    int tries = 0;
    set_options();
    begin(&circle);
    loop_stage_destroy(&loops);
    int alive = memory_alive;
    for (endo_status status = ENDO_ERR_MEMORY; status != ENDO_OK; tries++) {
        CHECK(!loops && memory_alive == alive);
        memory_arm(tries + 1, 0);
        status = loop_stage_create(workspace, chains, &loops);
        CHECK(status == ENDO_ERR_MEMORY || (status == ENDO_OK && memory_failures == 0));
    }
    memory_arm(0, 0);
    CHECK(tries > 20);
    end();
}

static void test_a_cancel_keeps_what_there_is(void) {
    set_options();
    stage_runner runner = begin(&circle);
    mosaic_stage stage = loop_stage_calls(loops);
    is_cancelling = 1;
    run_stage(&runner, stage);
    CHECK(!stage.calls->done(stage.self) && same_edges(loop_stage_edges(loops), chain_stage_edges(chains)));
    is_cancelling = 0;
    end();
}

/* ---------------------------------------------------------------- whole sequences */

/* Puts the upper rows of one sequence above the lower rows of the other. */
static void tear(demo_frames *lower, const demo_frames *upper, int rows) {
    for (int i = 0; i < lower->source.frames; i++)
        memcpy(lower->pixels + (size_t)i * lower->bytes, upper->pixels + (size_t)i * upper->bytes,
               (size_t)rows * (size_t)lower->source.width * 4);
}

static void make_sweep(demo_frames *frames, double rotation) {
    endo_demo_options o = demo_options(320, 256, 3, 1);
    o.path = ENDO_DEMO_SWEEP;
    o.rotation = rotation;
    demo_make(frames, &o, 14, DEMO_RGB);
}

/* Edges of frames that lie between these distances apart, both included. */
static int edges_apart(int from, int to) {
    const mosaic_edges *edges = loop_stage_edges(loops);
    int n = 0;
    for (int i = 0; i < edges->n; i++) {
        int apart = edges->items[i].current - edges->items[i].reference;
        n += apart >= from && apart <= to;
    }
    return n;
}

/* Two parts of a scene that turn against each other, and no frame goes with the key frame. */
static void test_chains_of_neighbours_alone_are_bridged(void) {
    demo_frames lower;
    demo_frames upper;
    make_sweep(&upper, 5);
    set_options();
    run(&upper);
    CHECK(edges_apart(4, 14) > 0 && edges_apart(2, 3) == 0);
    end();
    make_sweep(&lower, 25);
    tear(&lower, &upper, 256 / 2 + 1);
    run(&lower);
    CHECK(edges_apart(4, 14) == 0 && edges_apart(2, 3) > 0);
    end();
    options.solve = 0;
    run(&lower);
    CHECK(edges_apart(2, 14) == 0);
    end();
    demo_free(&lower);
    demo_free(&upper);
}

/* Where a change of scale turns round it is too slow to be seen in a pair of neighbours, and adds up all the same. */
static void test_slow_changes_of_scale_are_not_lost(void) {
    endo_demo_options o = demo_options(LOOP_W, LOOP_H, 4, 7);
    demo_frames slow;
    double chain = 0;
    double worst = 0;
    o.frames = 1000;
    demo_make(&slow, &o, 140, DEMO_RGB);
    set_options();
    run(&slow);
    endo_context *context;
    endo_demo *true_slow;
    endo_context_options cpu = {.backend = ENDO_BACKEND_CPU, .threads = 1};
    CHECK(endo_context_create(&cpu, &context) == ENDO_OK && endo_demo_create(context, &o, &true_slow) == ENDO_OK);
    mosaic_poses *poses = loop_stage_take_poses(loops);
    for (int i = 0; i < 140; i++) {
        endo_transform at;
        CHECK(endo_demo_truth(true_slow, i, &at) == ENDO_OK);
        double scale = pose_determinant(&at);
        chain = fmax(chain, fabs(log(pose_determinant(&chain_stage_records(chains)[i].pose) / scale)) / 2);
        worst = fmax(worst, fabs(log(pose_determinant(poses_pose(poses, i)) / scale)) / 2);
    }
    CHECK(chain > 4e-3 && worst < 2e-3);
    poses_destroy(&poses);
    endo_demo_destroy(&true_slow);
    endo_context_destroy(&context);
    end();
    demo_free(&slow);
}

/* ------------------------------------------------------------------------- views */

#define FOCAL 220

static endo_transform homography(const double m[9]) {
    endo_transform t = {.kind = ENDO_TRANSFORM_HOMOGRAPHY};
    for (int i = 0; i < 9; i++) t.matrix[i] = m[i] / m[8];
    return t;
}

/* Frame -> plane, of a camera above (x, y) that is turned about its own axes across and down, degrees. */
static endo_transform view(double x, double y, double across, double down) {
    double a = across * acos(-1) / 180;
    double b = down * acos(-1) / 180;
    double cx = (LOOP_W - 1) / 2.0;
    double cy = (LOOP_H - 1) / 2.0;
    const double turned_across[] = {FOCAL, 0, 0, 0, FOCAL * cos(a), -FOCAL * FOCAL * sin(a), 0, sin(a), FOCAL * cos(a)};
    const double turned_down[] = {FOCAL * cos(b), 0, FOCAL * FOCAL * sin(b), 0, FOCAL, 0, -sin(b), 0, FOCAL * cos(b)};
    endo_transform rays = rig_times(homography(turned_across), pose_translation(-cx, -cy));
    return rig_times(pose_translation(x + cx, y + cy), rig_times(homography(turned_down), rays));
}

/* n frames of a plane from `poses`, which become those against the first frame. */
static void make_frames(demo_frames *frames, endo_transform *poses, int n) {
    test_scene scene;
    size_t area = (size_t)LOOP_W * LOOP_H;
    test_scene_init(&scene, 11);
    *frames = (demo_frames){.bytes = area, .pixels = malloc((size_t)n * area)};
    frames->source = (endo_mosaic_source){
        .frames = n,
        .width = LOOP_W,
        .height = LOOP_H,
        .type = ENDO_GREY8,
        .user = frames,
    };
    for (size_t p = 0; p < (size_t)n * area; p++) {
        const endo_transform *at = &poses[p / area];
        double x = (double)(p % area % LOOP_W);
        double y = (double)(p % area / LOOP_W);
        double grey = test_scene_at(&scene, pose_x(at, x, y), pose_y(at, x, y));
        frames->pixels[p] = (uint8_t)floor(fmax(0, fmin(grey, 255)) + 0.5);
    }
    for (int i = n; i-- > 0;) poses[i] = pose_between(&poses[0], &poses[i]);
}

/* A scope that moves and tilts over a plane, by so many degrees at most. */
static void make_views(demo_frames *frames, endo_transform *poses, int n, double across, double down, double turn,
                       double turn_down) {
    for (int i = 0; i < n; i++) poses[i] = view(3 * i, 2 * i, across * sin(i * turn), down * sin(i * turn_down));
    make_frames(frames, poses, n);
}

/* How far the worst frame is off, px. */
static double worst_of(const endo_transform *at, int n) {
    double worst = 0;
    mosaic_poses *poses = loop_stage_take_poses(loops);
    for (int i = 0; i < n; i++) worst = fmax(worst, frame_corner_distance(loop_size, poses_pose(poses, i), &at[i]));
    poses_destroy(&poses);
    return worst;
}

/* Nobody asked for homographies: the pairs do. */
static void test_perspective_is_taken_in_where_all_pairs_see_it(void) {
    static endo_transform at[36];
    demo_frames frames;
    make_views(&frames, at, 36, 20, 15, 0.12, 0.08);
    set_options();
    run(&frames);
    CHECK(lines_with("a tilted plane is seen (") == 1 && lines_with("registered again as homographies") == 1);
    CHECK(worst_of(at, 36) < 0.5);
    end();
    options.pairs.transform = ENDO_TRANSFORM_AFFINE;
    run(&frames);
    CHECK(lines_with("homographies") == 0 && worst_of(at, 36) > 5);
    end();
    demo_free(&frames);
}

/* The scope tilts too little for so few pairs to agree on anything; those that are held out say it. */
static void test_short_runs_are_decided_by_pairs_that_are_held_out(void) {
    static endo_transform at[14];
    demo_frames frames;
    make_views(&frames, at, 14, 4, 3, 0.3, 0.2);
    set_options();
    run(&frames);
    CHECK(lines_with("homographies fit pairs that were held out better") == 1);
    CHECK(worst_of(at, 14) < 0.5);
    end();
    demo_free(&frames);
}

/* A short chain, and after a jump a longer one that comes back to where the first one ended: it begins beside nothing that was
 * seen before, and its end is found by spectra. */
static void test_components_are_tied_by_their_spectra(void) {
    enum { FIRST = 9, ALL = 38 };
    static endo_transform at[ALL];
    demo_frames frames;
    for (int i = 0; i < ALL; i++) at[i] = pose_translation(i < FIRST ? 12 * i : 440 - 12 * (i - FIRST), 0);
    make_frames(&frames, at, ALL);
    for (int solve = 0; solve < 2; solve++) {
        set_options();
        options.solve = solve;
        run(&frames);
        mosaic_poses *chained = NULL;
        mosaic_poses *poses = loop_stage_take_poses(loops);
        CHECK(poses_create(chain_stage_records(chains), ALL, chain_stage_edges(chains), loop_size, &chained) == ENDO_OK);
        CHECK(poses_components(chained) == 2 && poses_components(poses) == 1 && poses_frames(poses, 1) == ALL);
        CHECK(loop_stage_edges(loops)->n > chain_stage_edges(chains)->n);
        for (int i = 0; i < ALL; i++) {
            endo_transform of_first = pose_between(poses_pose(poses, 0), poses_pose(poses, i));
            CHECK_NEAR(frame_corner_distance(loop_size, &of_first, &at[i]), 0, 0.5);
        }
        poses_destroy(&poses);
        poses_destroy(&chained);
        end();
    }
    demo_free(&frames);
}

int main(void) {
    endo_context_options cpu = {.backend = ENDO_BACKEND_CPU, .threads = 1};
    endo_context *context;
    endo_demo_options o = demo_options(LOOP_W, LOOP_H, 4, 5);
    CHECK(endo_context_create(&cpu, &context) == ENDO_OK);
    CHECK(endo_demo_create(context, &o, &true_circle) == ENDO_OK);
    demo_make(&circle, &o, LOOP_FRAMES, DEMO_RGB);
    test_loops_are_closed();
    test_without_loops_poses_are_those_of_the_chain();
    test_what_the_chains_painted_stays_until_the_end();
    test_steps_that_fail_are_asked_again(ENDO_METHOD_PAPER);
    test_steps_that_fail_are_asked_again(ENDO_METHOD_BEST);
    test_a_stage_that_cannot_be_made();
    test_a_cancel_keeps_what_there_is();
    test_chains_of_neighbours_alone_are_bridged();
    test_slow_changes_of_scale_are_not_lost();
    test_perspective_is_taken_in_where_all_pairs_see_it();
    test_short_runs_are_decided_by_pairs_that_are_held_out();
    test_components_are_tied_by_their_spectra();
    endo_demo_destroy(&true_circle);
    endo_context_destroy(&context);
    demo_free(&circle);
    CHECK(memory_alive == 0);
    return check_summary("test_mosaic_loops");
}
