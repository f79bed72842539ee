/* Scenes in depth: places of patches, the displacements that explain them, frames resampled by them, and panoramas. */
#include "systems/mosaic/relief.h"

#include "base/memory.h"
#include "backends.h"
#include "check.h"
#include "include/endorama.h"
#include "scene.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 240, HEIGHT = 192, AREA = WIDTH * HEIGHT, FRAMES = 18 };

static const mosaic_size size = {WIDTH, HEIGHT};

static uint8_t images[FRAMES][AREA];

/* -------------------------------------------------------------------------- scenes */

/* How much nearer the scene is at a place, as a share of how far away it is elsewhere: two hills. */
static double nearness(double x, double y) {
    double left = exp(-(pow(x - 90, 2) + pow(y - 80, 2)) / (2 * 34 * 34));
    double right = exp(-(pow(x - 200, 2) + pow(y - 140, 2)) / (2 * 30 * 30));
    return left - 0.8 * right;
}

/* Where frame `frame` of a scene with hills, px high, shows a place of frame 0's plane, less the place. The scope goes round a
 * circle. */
static void way(int frame, double hills, double x, double y, double out[2]) {
    double turn = 6.283185307179586 * frame / FRAMES;
    double nearer = 1 + hills / 30 * nearness(x, y);
    out[0] = -30 * sin(turn) * nearer;
    out[1] = -20 * (1 - cos(turn)) * nearer;
}

/* The place that a pixel shows. */
static void place_of(int frame, double hills, double u, double v, double *x, double *y) {
    double by[2];
    *x = u;
    *y = v;
    for (int i = 0; i < 12; i++) {
        way(frame, hills, *x, *y, by);
        *x = u - by[0];
        *y = v - by[1];
    }
}

static void render(double hills) {
    test_scene scene;
    test_random noise = {5};
    test_scene_init(&scene, 21);
    for (int i = 0; i < FRAMES; i++)
        for (int k = 0; k < AREA; k++) {
            double x, y;
            place_of(i, hills, k % WIDTH, k / WIDTH, &x, &y);
            double grey = test_scene_at(&scene, x, y) + 4 * (test_unit(&noise) - 0.5);
            images[i][k] = (uint8_t)(grey < 0 ? 0 : grey > 255 ? 255 : grey);
        }
}

static endo_transform plane_pose(int frame) {
    double by[2];
    way(frame, 0, 0, 0, by);
    return pose_translation(-by[0], -by[1]);
}

/* -------------------------------------------------------------------------- places */

/* Patches are found where hills moved them to, without knowing of hills. */
static void test_places(endo_context *context) {
    static endo_patch_place places[ENDO_PATCH_PLACES];
    const endo_pair pair = {0, 1};
    const int frames[2] = {0, 3};
    endo_frames_options o = endo_frames_options_default();
    endo_frames *store = NULL;
    int32_t n = 0;
    int wrong = 0;
    double moved = 0;
    o.width = WIDTH;
    o.height = HEIGHT;
    o.capacity = 2;
    o.keep_pixels = 0;
    render(3);
    CHECK(endo_frames_create(context, &o, &store) == ENDO_OK);
    for (int i = 0; i < 2; i++) CHECK(endo_frames_put(store, i, images[frames[i]], WIDTH) == ENDO_OK);
    endo_transform step = plane_pose(3);
    CHECK(endo_pairs_locate(store, &pair, &step, 1, places, &n) == ENDO_OK);
    CHECK(n > 100 && n <= ENDO_PATCH_PLACES);
    for (int i = 0; i < n; i++) {
        double by[2];
        way(3, 3, places[i].x, places[i].y, by);
        wrong += hypot(places[i].current_x - places[i].x - by[0], places[i].current_y - places[i].y - by[1]) > 0.35;
        CHECK(places[i].deviation >= 0 && places[i].deviation <= 0.25);
        way(3, 0, places[i].x, places[i].y, by);
        moved = fmax(moved, hypot(places[i].current_x - places[i].x - by[0], places[i].current_y - places[i].y - by[1]));
    }
    CHECK(wrong <= n / 50);
    CHECK(moved > 1.5);
    const double still[6] = {1, 0, 0, 0, 1, 0};
    test_scene other;
    test_scene_init(&other, 22); /* another scene: hardly a patch is found */
    test_scene_render(&other, still, WIDTH, HEIGHT, images[1]);
    CHECK(endo_frames_put(store, 1, images[1], WIDTH) == ENDO_OK);
    CHECK(endo_pairs_locate(store, &pair, &step, 1, places, &n) == ENDO_OK);
    CHECK(n <= 2);
    CHECK(endo_pairs_locate(store, &pair, NULL, 1, places, &n) == ENDO_ERR_ARGUMENT);
    CHECK(endo_pairs_locate(store, &pair, &step, 1, NULL, &n) == ENDO_ERR_ARGUMENT);
    CHECK(endo_pairs_locate(store, &pair, &step, 1, places, NULL) == ENDO_ERR_ARGUMENT);
    endo_frames_destroy(&store);
}

/* --------------------------------------------------------------------------- fields */

/* What frames displaced by a field that is known show of the same places, exactly and with noise, px. Frames all lie in one
 * place; frame i is displaced by i - 3.5 times the field, so that the mean of all is 0. */
enum { N = 8, SIDE = 20 };

static void field_at(double x, double y, double out[2]) {
    out[0] = 0.6 * sin(x / 60) * cos(y / 80);
    out[1] = 0.4 * cos(x / 70 + 1);
}

static void add_points(relief_points *points, double strength, double noise, int outliers) {
    test_random r = {9};
    int pair = 0;
    for (int i = 0; i < N; i++)
        for (int k = i + 1; k < N; k++, pair++)
            for (int p = 0; p < SIDE * SIDE; p++) {
                double x = (p % SIDE + 0.5) * WIDTH / SIDE;
                double y = (p / SIDE + 0.5) * HEIGHT / SIDE;
                double by[2];
                field_at(x, y, by);
                int is_outlier = outliers && p % outliers == 0;
                relief_point point = {.frames = {i, k}, .at = {{(float)x, (float)y}, {(float)x, (float)y}}, .pair = pair};
                for (int a = 0; a < 2; a++)
                    point.apart[a] = (float)(strength * (i - k) * by[a] + noise * (test_unit(&r) - 0.5) + (is_outlier ? 6 : 0));
                CHECK(relief_points_add(points, &point) == ENDO_OK);
            }
}

static endo_transform poses[N];

static relief_frames still_frames(void) {
    for (int i = 0; i < N; i++) poses[i] = pose_identity;
    return (relief_frames){.poses = poses, .n = N, .size = size, .reach = 4};
}

/* The greatest distance of the nodes of a frame that lie within from `share` times the field. */
static double off_field(const frame_displacements *b, int frame, double share) {
    double most = 0;
    for (int row = 1; row < b->rows - 1; row++)
        for (int column = 1; column < b->columns - 1; column++) {
            double x = column * frame_displacements_across(b);
            double y = row * frame_displacements_down(b);
            const int32_t *m = b->moves + 2 * ((frame * b->rows + row) * b->columns + column);
            double by[2];
            field_at(x, y, by);
            double left = m[0] / (double)DISPLACEMENT_STEPS + share * by[0];
            double up = m[1] / (double)DISPLACEMENT_STEPS + share * by[1];
            most = fmax(most, hypot(left, up));
        }
    return most;
}

/* A smooth displacement comes back, also from among outliers; moves lead from where a pixel is to where it comes from, and so
 * have the other sign. */
static void test_recovery(void) {
    const int outliers[] = {0, 10};
    for (int k = 0; k < 2; k++) {
        relief_points points = {0};
        relief_frames frames = still_frames();
        relief_evidence evidence;
        frame_displacements displacements;
        add_points(&points, 0.5, 0.2, outliers[k]);
        CHECK(relief_solve(&points, &frames, &displacements, &evidence) == ENDO_OK);
        CHECK(evidence.is_clear && evidence.pairs == 5 && evidence.nearer == 5);
        CHECK(evidence.with < 0.15 && evidence.without > 0.7);
        CHECK(frame_displacements_has(&displacements, 0) && frame_displacements_has(&displacements, N - 1));
        CHECK(off_field(&displacements, 0, -0.5 * 3.5) < (k == 0 ? 0.1 : 0.2));
        CHECK(off_field(&displacements, N - 1, 0.5 * 3.5) < (k == 0 ? 0.1 : 0.2));
        frame_displacements_free(&displacements);
        relief_points_free(&points);
    }
}

/* No displacement where there is none, where it is less than what is worth it, or where pairs do not bear each other out. */
static void test_nothing(void) {
    const double strengths[] = {0, 0.05};
    relief_frames frames = still_frames();
    relief_evidence evidence;
    frame_displacements displacements;
    for (int k = 0; k < 2; k++) {
        relief_points points = {0};
        add_points(&points, strengths[k], 0.2, 0);
        CHECK(relief_solve(&points, &frames, &displacements, &evidence) == ENDO_OK);
        CHECK(!evidence.is_clear && !displacements.moves && !frame_displacements_has(&displacements, 0));
        relief_points_free(&points);
    }
    relief_points hardly = {0};
    add_points(&hardly, 0.7, 3, 0); /* most agree better, by little */
    CHECK(relief_solve(&hardly, &frames, &displacements, &evidence) == ENDO_OK);
    CHECK(evidence.nearer == 4 && evidence.pairs == 5 && evidence.with < 0.9 * evidence.without);
    CHECK(!evidence.is_clear && !displacements.moves);
    relief_points_free(&hardly);
    relief_points torn = {0};
    add_points(&torn, 0, 3, 0); /* noise of more than a pixel */
    CHECK(relief_solve(&torn, &frames, &displacements, &evidence) == ENDO_OK);
    CHECK(evidence.without > 1 && !evidence.is_clear && !displacements.moves);
    torn.n = 2 * SIDE * SIDE; /* two pairs, of which none is held out */
    CHECK(relief_solve(&torn, &frames, &displacements, &evidence) == ENDO_OK);
    CHECK(evidence.pairs == 0 && isnan(evidence.without) && !displacements.moves);
    torn.n = 0;
    CHECK(relief_solve(&torn, &frames, &displacements, &evidence) == ENDO_OK && !displacements.moves);
    relief_points_free(&torn);
}

/* What one frame alone sees is hardly displaced: two cells away from the last place that another one shows. */
static void test_seen_once(void) {
    relief_points points = {0};
    relief_frames frames = still_frames();
    relief_evidence evidence;
    frame_displacements displacements;
    double most = 0;
    double far = 0;
    add_points(&points, 0.5, 0.2, 0);
    int n = 0;
    for (int i = 0; i < points.n; i++)
        if (points.items[i].at[0][0] < WIDTH / 2.0) points.items[n++] = points.items[i];
    points.n = n;
    CHECK(relief_solve(&points, &frames, &displacements, &evidence) == ENDO_OK && evidence.is_clear);
    for (int row = 0; row < displacements.rows; row++)
        for (int column = 0; column < displacements.columns; column++) {
            const int32_t *move = displacements.moves + 2 * (row * displacements.columns + column);
            double length = hypot(move[0], move[1]);
            most = fmax(most, length);
            if (column == displacements.columns - 1) far = fmax(far, length);
        }
    CHECK(most > DISPLACEMENT_STEPS && far < 0.1 * most);
    frame_displacements_free(&displacements);
    relief_points_free(&points);
}

/* Beyond the field there is nothing to move in: at its edge displacements end at the reach, and within they do not. */
static void test_reach(void) {
    relief_points points = {0};
    relief_frames frames = still_frames();
    relief_evidence evidence;
    frame_displacements displacements;
    double edge = 0;
    double within = 0;
    add_points(&points, 1.2, 0.2, 0);
    frames.reach = 1;
    CHECK(relief_solve(&points, &frames, &displacements, &evidence) == ENDO_OK && evidence.is_clear);
    for (int i = 0; i < displacements.rows * displacements.columns; i++) {
        int row = i / displacements.columns;
        int column = i % displacements.columns;
        int is_edge = row == 0 || column == 0 || row == displacements.rows - 1 || column == displacements.columns - 1;
        double length = hypot(displacements.moves[2 * i], displacements.moves[2 * i + 1]);
        if (is_edge) edge = fmax(edge, length);
        if (!is_edge) within = fmax(within, length);
    }
    CHECK(edge <= DISPLACEMENT_STEPS + 1 && edge > 0.9 * DISPLACEMENT_STEPS && within > 2 * DISPLACEMENT_STEPS);
    frame_displacements_free(&displacements);
    relief_points_free(&points);
}

/* ------------------------------------------------------------------------ resampled */

/* Bends of one frame with the same move at all nodes, 1/DISPLACEMENT_STEPS px. */
static frame_displacements shifted(int32_t x, int32_t y) {
    frame_displacements b = frame_displacements_of(size, 1);
    b.moves = endo_alloc((size_t)(b.columns * b.rows), 2 * sizeof *b.moves);
    CHECK(b.moves != NULL);
    for (int i = 0; i < b.columns * b.rows; i++) {
        b.moves[2 * i] = x;
        b.moves[2 * i + 1] = y;
    }
    return b;
}

static void test_whole_pixels(void) {
    static uint8_t grey[AREA];
    static uint16_t deep[AREA], deep_out[AREA];
    static uint32_t rgb[AREA], rgb_out[AREA];
    test_random r = {3};
    frame_displacements b = shifted(2 * DISPLACEMENT_STEPS, -3 * DISPLACEMENT_STEPS);
    int bad = 0;
    for (int i = 0; i < AREA; i++) {
        images[0][i] = (uint8_t)test_next(&r);
        deep[i] = (uint16_t)test_next(&r);
        rgb[i] = test_next(&r);
    }
    frame_displacements_apply(&b, 0, images[0], ENDO_GREY8, 1, grey);
    frame_displacements_apply(&b, 0, deep, ENDO_GREY16, 2, deep_out);
    frame_displacements_apply(&b, 0, rgb, ENDO_RGB32, 3, rgb_out);
    for (int i = 0; i < AREA; i++) {
        int x = i % WIDTH + 2 < WIDTH ? i % WIDTH + 2 : WIDTH - 1;
        int y = i / WIDTH - 3 > 0 ? i / WIDTH - 3 : 0;
        int from = y * WIDTH + x;
        bad += grey[i] != images[0][from] || deep_out[i] != deep[from] || rgb_out[i] != (rgb[from] | 0xff000000u);
    }
    CHECK(bad == 0);
    frame_displacements_free(&b);
    CHECK(!frame_displacements_has(&b, 0) && !frame_displacements_has(NULL, 0));
}

/* Each channel of a colour is what it is as a grey image, whatever the moves and the pixels. */
static void test_channels(void) {
    static uint32_t rgb[AREA], rgb_out[AREA];
    static uint8_t grey_out[AREA];
    test_random r = {5};
    frame_displacements b = shifted(0, 0);
    int bad = 0;
    for (int i = 0; i < 2 * b.columns * b.rows; i++) b.moves[i] = test_between(&r, -9 * DISPLACEMENT_STEPS, 9 * DISPLACEMENT_STEPS);
    for (int i = 0; i < AREA; i++) rgb[i] = test_next(&r) & 1 ? test_next(&r) : 0xffffff;
    frame_displacements_apply(&b, 0, rgb, ENDO_RGB32, 2, rgb_out);
    for (int bit = 0; bit < 24; bit += 8) {
        for (int i = 0; i < AREA; i++) images[0][i] = (uint8_t)(rgb[i] >> bit);
        frame_displacements_apply(&b, 0, images[0], ENDO_GREY8, 1, grey_out);
        for (int i = 0; i < AREA; i++) bad += (rgb_out[i] >> bit & 255) != grey_out[i] || rgb_out[i] >> 24 != 255;
    }
    CHECK(bad == 0);
    frame_displacements_free(&b);
}

/* Moves that grow evenly along a row stretch a ramp evenly, up to its last pixel. */
static void test_ramp(void) {
    enum { SLOPE = 100, GROWTH = -2 };
    static uint16_t deep[AREA], out[AREA];
    frame_displacements b = shifted(0, 0);
    double worst = 0;
    for (int i = 0; i < b.columns * b.rows; i++) b.moves[2 * i] = i % b.columns * GROWTH * DISPLACEMENT_STEPS;
    for (int i = 0; i < AREA; i++) deep[i] = (uint16_t)(SLOPE * (i % WIDTH));
    frame_displacements_apply(&b, 0, deep, ENDO_GREY16, 1, out);
    for (int i = 0; i < AREA; i++) {
        double x = i % WIDTH * (1 + GROWTH / frame_displacements_across(&b));
        if (x > 2) worst = fmax(worst, fabs(out[i] - SLOPE * x));
    }
    CHECK(worst < 0.05 * SLOPE); /* weights are whole 64ths */
    frame_displacements_free(&b);
}

/* Between pixels a smooth scene is what it is there, and moves change evenly from node to node. */
static void test_between_pixels(void) {
    static uint8_t out[AREA];
    const double still[6] = {1, 0, 0, 0, 1, 0};
    test_scene scene;
    frame_displacements b = shifted(DISPLACEMENT_STEPS / 2, 0);
    double sum = 0;
    test_scene_init(&scene, 4);
    test_scene_render(&scene, still, WIDTH, HEIGHT, images[0]);
    int last = 2 * (b.columns * b.rows - 1);
    for (int i = 0; i < b.rows; i++) b.moves[2 * ((i + 1) * b.columns - 1)] = 3 * DISPLACEMENT_STEPS; /* at the right */
    CHECK(b.moves[last] == 3 * DISPLACEMENT_STEPS);
    frame_displacements_apply(&b, 0, images[0], ENDO_GREY8, 2, out);
    int n = 0;
    double from = (b.columns - 2) * frame_displacements_across(&b);
    for (int y = 4; y < HEIGHT - 4; y++)
        for (int x = 4; x < WIDTH - 8; x++, n++) {
            double share = fmax(0, (x - from) / frame_displacements_across(&b));
            sum += pow(out[y * WIDTH + x] - fmin(fmax(test_scene_at(&scene, x + 0.5 + 2.5 * share, y), 0), 255), 2);
        }
    CHECK(sqrt(sum / n) < 0.7);
    frame_displacements_free(&b);
}

/* ------------------------------------------------------------------------ panoramas */

static const void *lend(void *user, int32_t frame, char *reason) {
    (void)user, (void)reason;
    return images[frame];
}

static const endo_mosaic_source source = {
    .frames = FRAMES,
    .width = WIDTH,
    .height = HEIGHT,
    .type = ENDO_GREY8,
    .lend = lend,
};

static int n_said;
static int says_depth; /* the last line of relief says that the scene is in depth */

/* Pairs whose places were looked for, and those that the light heard of; whether there is a light. */
static size_t n_located;
static int n_heard;
static int lights;

endo_status __real_endo_pairs_locate(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms, size_t n,
                                     endo_patch_place *places, int32_t *counts);
endo_status __wrap_endo_pairs_locate(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms, size_t n,
                                     endo_patch_place *places, int32_t *counts);

endo_status __wrap_endo_pairs_locate(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms, size_t n,
                                     endo_patch_place *places, int32_t *counts) {
    n_located += n;
    return __real_endo_pairs_locate(frames, pairs, transforms, n, places, counts);
}

endo_status __real_endo_light_put_places(endo_light *light, const endo_patch_place *places, int n);
endo_status __wrap_endo_light_put_places(endo_light *light, const endo_patch_place *places, int n) {
    n_heard++;
    CHECK(n > 50);
    return __real_endo_light_put_places(light, places, n);
}

static void hear(void *user, const endo_event *event) {
    (void)user;
    if (event->kind != ENDO_EVENT_RELIEF) return;
    n_said++;
    says_depth = !strncmp(event->text, "the scene is in depth: ", 23);
}

typedef struct picture {
    endo_mosaic_panorama is;
    uint8_t *pixels, *painted;
} picture;

static void picture_free(picture *p) {
    endo_free(p->pixels);
    endo_free(p->painted);
}

static picture take_picture(const endo_mosaic *mosaic) {
    picture p;
    CHECK(endo_mosaic_describe(mosaic, 1, &p.is) == ENDO_OK);
    size_t area = (size_t)p.is.width * (size_t)p.is.height;
    p.pixels = endo_alloc_zeroed(area, 1);
    p.painted = endo_alloc_zeroed(area, 1);
    const endo_panorama_planes planes = {.pixels = p.pixels, .painted = p.painted};
    CHECK(p.pixels && p.painted);
    CHECK(endo_mosaic_read(mosaic, 1, &(endo_rectangle){0, 0, p.is.width, p.is.height}, &planes) == ENDO_OK);
    return p;
}

/* STAGED: painted anew from the poses. ROUGHLY: poses of the method Paper. */
typedef enum painting_way { AT_ONCE, STAGED, ROUGHLY } painting_way;

/* Threads, and memory for frames that are kept, must not matter. */
static picture paint(endo_mosaic_relief relief, int threads, int64_t memory, painting_way way) {
    endo_mosaic_options o = endo_mosaic_options_default();
    const endo_mosaic_hooks hooks = {.event = hear};
    endo_mosaic *mosaic = NULL;
    n_said = 0;
    n_located = 0;
    n_heard = 0;
    o.context.backend = ENDO_BACKEND_CPU;
    o.context.threads = threads;
    o.field = ENDO_MOSAIC_FIELD_WHOLE;
    o.light = lights;
    o.relief = relief;
    o.memory = memory;
    if (way == ROUGHLY) o.pairs.method = ENDO_METHOD_PAPER, o.pairs.transform = ENDO_TRANSFORM_AFFINE;
    CHECK(endo_mosaic_create(&o, &hooks, &mosaic) == ENDO_OK && endo_mosaic_run(mosaic, &source) == ENDO_OK);
    CHECK(endo_mosaic_components(mosaic) == 1);
    if (way == STAGED) {
        endo_mosaic *painting = NULL;
        int32_t n;
        const endo_mosaic_frame *frames = endo_mosaic_frames(mosaic, &n);
        CHECK(endo_mosaic_create(&o, &hooks, &painting) == ENDO_OK);
        CHECK(endo_mosaic_paint(painting, &source, frames, n) == ENDO_OK);
        endo_mosaic_destroy(&mosaic);
        mosaic = painting;
    }
    picture p = take_picture(mosaic);
    endo_mosaic_destroy(&mosaic);
    return p;
}

static int is_same(const picture *a, const picture *b) {
    size_t area = (size_t)a->is.width * (size_t)a->is.height;
    return a->is.width == b->is.width && a->is.height == b->is.height && !memcmp(a->pixels, b->pixels, area);
}

/* Mean square of what the pixels are more than those around them: the details of a panorama. */
static double details(const picture *p) {
    double sum = 0;
    int n = 0;
    for (int y = 40; y < p->is.height - 40; y++)
        for (int x = 40; x < p->is.width - 40; x++, n++) {
            const uint8_t *at = p->pixels + (size_t)y * (size_t)p->is.width + x;
            double more = 4.0 * at[0] - at[-1] - at[1] - at[-p->is.width] - at[p->is.width];
            sum += more * more;
        }
    return sum / n;
}

/* A plane is painted as without, byte for byte, and only a sample of pairs is looked at; hills are followed by all pairs, which
 * gives details back. */
static void test_panoramas(void) {
    const int64_t much = (int64_t)1 << 30;
    render(0);
    picture without = paint(ENDO_MOSAIC_RELIEF_NONE, 2, much, AT_ONCE);
    picture with = paint(ENDO_MOSAIC_RELIEF_AUTO, 2, much, AT_ONCE);
    double plane = details(&with);
    CHECK(n_said == 0 && n_located == 6 && is_same(&without, &with));
    picture_free(&without);
    picture_free(&with);
    render(4);
    without = paint(ENDO_MOSAIC_RELIEF_NONE, 2, much, AT_ONCE);
    CHECK(n_said == 0);
    with = paint(ENDO_MOSAIC_RELIEF_AUTO, 2, much, AT_ONCE);
    CHECK(n_said == 1 && says_depth && !is_same(&without, &with));
    CHECK(n_located == 6 + (FRAMES - 1) + (FRAMES - 3) + (FRAMES - 6) + (FRAMES - 12));
    CHECK(details(&without) < 0.9 * plane && details(&with) > 0.95 * plane);
    picture one_thread = paint(ENDO_MOSAIC_RELIEF_AUTO, 1, (int64_t)1 << 20, AT_ONCE);
    picture staged = paint(ENDO_MOSAIC_RELIEF_AUTO, 2, much, STAGED);
    CHECK(is_same(&with, &one_thread) && is_same(&with, &staged));
    CHECK(!says_depth);
    picture_free(&staged);
    staged = paint(ENDO_MOSAIC_RELIEF_AUTO, 2, much, ROUGHLY);
    CHECK(n_said == 1 && !says_depth);
    picture_free(&without);
    picture_free(&with);
    picture_free(&one_thread);
    picture_free(&staged);
}

/* The light hears of the sample, once in a run: also where no frame is displaced. */
static void test_light_hears_of_walls(void) {
    const int64_t much = (int64_t)1 << 30;
    lights = 1;
    render(4);
    picture without = paint(ENDO_MOSAIC_RELIEF_NONE, 2, much, AT_ONCE);
    CHECK(n_heard == 6 && n_located == 6 && n_said == 0);
    picture staged = paint(ENDO_MOSAIC_RELIEF_NONE, 1, much, STAGED);
    CHECK(n_heard == 12 && is_same(&without, &staged));
    picture with = paint(ENDO_MOSAIC_RELIEF_AUTO, 2, much, AT_ONCE);
    CHECK(n_heard == 6 && n_located > 50 && n_said == 1 && !is_same(&without, &with));
    picture_free(&without);
    picture_free(&staged);
    picture_free(&with);
    lights = 0;
}

static void test_option(void) {
    endo_mosaic_options o = endo_mosaic_options_default();
    endo_mosaic *mosaic = NULL;
    CHECK(o.relief == ENDO_MOSAIC_RELIEF_AUTO);
    o.relief = (endo_mosaic_relief)2;
    CHECK(endo_mosaic_create(&o, NULL, &mosaic) == ENDO_ERR_ARGUMENT && strstr(endo_last_error(), "relief 2"));
}

int main(void) {
    endo_context *context = NULL;
    CHECK(endo_context_create(NULL, &context) == ENDO_OK);
    test_places(context);
    endo_context_destroy(&context);
    test_recovery();
    test_nothing();
    test_seen_once();
    test_reach();
    test_whole_pixels();
    test_channels();
    test_ramp();
    test_between_pixels();
    test_panoramas();
    test_light_hears_of_walls();
    test_option();
    return check_summary("test_mosaic_relief");
}
