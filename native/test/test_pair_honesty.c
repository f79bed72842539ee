/* The method ENDO_METHOD_BEST where little of a scene is seen: weak texture under light that stands still, under noise, and
 * behind a pattern of the sensor. What it calls OK is right, and as right as it says. */
#include "systems/pairs/pair_judge.h"
#include "backends.h"
#include "scene.h"

#include <string.h>

enum { WIDTH = 200, HEIGHT = 160, AREA = WIDTH * HEIGHT };

static uint8_t first[AREA], second[AREA];
static int16_t grain[AREA];

/* How frames are made: of a scene with some contrast, light that falls off from the middle, noise, and what stands still. */
typedef struct look {
    double contrast, light, noise, grain;
} look;

static void draw(const test_scene *scene, const double m[6], const look *l, test_random *r, uint8_t *out) {
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double u, v, far = hypot(x - WIDTH / 2.0, y - HEIGHT / 2.0) / (WIDTH / 2.0);
            endo_affine_apply(m, x, y, &u, &v);
            double seen = 110 - l->light * far + l->contrast * (test_scene_at(scene, u, v) - 128);
            seen += l->noise * test_normal(r) + l->grain * grain[y * WIDTH + x] / 100.0 + 0.5;
            out[y * WIDTH + x] = (uint8_t)(seen < 0 ? 0 : seen > 255 ? 255 : seen);
        }
}

static const double still[6] = {1, 0, 0, 0, 1, 0};

static endo_pair_result pair_of(endo_frames *frames, int seed, const double to[6], const look *l) {
    endo_pairs_options o = endo_pairs_options_default();
    endo_pair pair = {0, 1};
    endo_pair_result result;
    test_random r = {(uint64_t)seed * 77 + 5};
    test_scene scene;
    test_scene_init(&scene, (uint64_t)seed);
    for (int i = 0; i < AREA; i++) grain[i] = (int16_t)(100 * test_normal(&r));
    draw(&scene, still, l, &r, first);
    draw(&scene, to, l, &r, second);
    o.method = ENDO_METHOD_BEST, o.transform = ENDO_TRANSFORM_AUTO;
    CHECK(endo_frames_put(frames, 0, first, WIDTH) == ENDO_OK && endo_frames_put(frames, 1, second, WIDTH) == ENDO_OK);
    CHECK(endo_pairs_register(frames, &pair, 1, &o, &result) == ENDO_OK);
    return result;
}

/* Mean square over the frame and both axes, px^2. */
static double square_of(const endo_pair_result *r, const double m[6]) {
    double sum = 0;
    for (int i = 0; i < 100; i++) {
        double x = (i % 10 + 0.5) * WIDTH / 10, y = (i / 10 + 0.5) * HEIGHT / 10, u, v, p, q;
        endo_affine_apply(r->transform.matrix, x, y, &u, &v);
        endo_affine_apply(m, x, y, &p, &q);
        sum += ((u - p) * (u - p) + (v - q) * (v - q)) / 200;
    }
    return sum;
}

static endo_frames *frames_of(endo_context *context, const uint8_t *field) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 2, o.field = field;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    return frames;
}

/* The light's fall-off over a patch is larger than what the scene changes there, and stands still: it pulls nowhere. */
static void test_light(endo_context *context) {
    const look l = {0.06, 70, 0.3, 0};
    endo_frames *frames = frames_of(context, NULL);
    for (int i = 0; i < 4; i++) {
        double moved[6] = {1, 0, 2.3 + i, 0, 1, 1.4 - i};
        endo_pair_result r = pair_of(frames, 20 + i, moved, &l);
        CHECK(r.status == ENDO_PAIR_OK);
        CHECK_NEAR(sqrt(square_of(&r, moved)), 0, 0.03);
    }
    endo_frames_destroy(&frames);
}

/* Noise is most of what the gradients are made of: errors are what is said, and the level that knows most is taken. */
static void test_noise(endo_context *context, int runs) {
    static const look looks[] = {{0.06, 20, 3, 0}, {0.1, 20, 9, 0}, {0.3, 20, 1, 0}};
    static const double most[] = {0.13, 0.25, 0.02}; /* deviations that are reached */
    endo_frames *frames = frames_of(context, NULL);
    for (int k = 0; k < 3; k++) {
        double wrong = 0, said = 0, moved[6] = {1, 0, 3.4, 0, 1, -2.6};
        int ok = 0;
        for (int i = 0; i < runs; i++) {
            endo_pair_result r = pair_of(frames, 100 + i, moved, &looks[k]);
            if (r.status != ENDO_PAIR_OK) continue;
            ok++, wrong += square_of(&r, moved), said += r.deviation * r.deviation;
            CHECK(square_of(&r, moved) < 9 * r.deviation * r.deviation);
        }
        CHECK(2 * ok >= runs && wrong < said && (runs < 10 || said < 12 * wrong));
        CHECK(sqrt(said / ok) < most[k]);
    }
    endo_frames_destroy(&frames);
}

/* Where nothing is seen of the scene and the grain of the sensor stands still, no pair is registered; a scene that stands
 * still is. */
static void test_grain(endo_context *context) {
    static const look nothing = {0, 20, 1, 8}, scene = {0.3, 20, 4, 0};
    endo_frames *frames = frames_of(context, NULL);
    for (int i = 0; i < 4; i++) {
        endo_pair_result no = pair_of(frames, 40 + i, still, &nothing), yes = pair_of(frames, 40 + i, still, &scene);
        CHECK(no.status == ENDO_PAIR_FEW_LANDMARKS && yes.status == ENDO_PAIR_OK);
        CHECK_NEAR(sqrt(square_of(&yes, still)), 0, 0.03);
    }
    endo_frames_destroy(&frames);
}

/* A scene that hardly moves behind grain that stands still: single pixels are held back, their means are not. */
static void test_held_back(endo_context *context) {
    const look l = {0.35, 20, 2, 7};
    endo_frames *frames = frames_of(context, NULL);
    for (int i = 0; i < 6; i++) {
        double moved[6] = {1, 0, 1.3 - 0.3 * i, 0, 1, 0.4 + 0.2 * i};
        endo_pair_result r = pair_of(frames, 300 + i, moved, &l);
        CHECK(r.status != ENDO_PAIR_JUMP && r.deviation < 0.2);
        CHECK(square_of(&r, moved) < 9 * r.deviation * r.deviation);
    }
    endo_frames_destroy(&frames);
}

/* A small field in a small frame: a quarter of it is too little to be judged by, a half is not. */
static void test_small_field(endo_context *context) {
    static uint8_t field[AREA];
    const look l = {0.3, 0, 1, 0};
    double moved[6] = {1, 0, 3.4, 0, 1, -2.6};
    for (int i = 0; i < AREA; i++) field[i] = hypot(i % WIDTH - WIDTH / 2, i / WIDTH - HEIGHT / 2) < 48;
    endo_frames *frames = frames_of(context, field);
    for (int i = 0; i < 3; i++) {
        endo_pair_result r = pair_of(frames, 60 + i, moved, &l);
        CHECK(r.status == ENDO_PAIR_OK);
        CHECK_NEAR(sqrt(square_of(&r, moved)), 0, 0.1);
    }
    endo_frames_destroy(&frames);
}

/* In the dark, and in noise, the outline of the surround may be what is seen best, and it stands still. */
enum { DARK_WIDTH = 320, DARK_HEIGHT = 256, DARK_AREA = DARK_WIDTH * DARK_HEIGHT };

static void put_dark(endo_frames *frames, int slot, int seed, double dx, test_random *r) {
    static uint8_t dark[DARK_AREA];
    test_scene scene;
    test_scene_init(&scene, (uint64_t)seed);
    for (int y = 0; y < DARK_HEIGHT; y++)
        for (int x = 0; x < DARK_WIDTH; x++) {
            double far = hypot(x - DARK_WIDTH / 2.0, y - DARK_HEIGHT / 2.0) / (DARK_HEIGHT / 2.0);
            double lit = far < 0.97 ? 0.3 * (1 - 0.4 * far * far) : 0;
            double seen = 2.5 + lit * (90 + 0.25 * (test_scene_at(&scene, x + dx, y) - 128)) + 3 * test_normal(r);
            dark[y * DARK_WIDTH + x] = (uint8_t)(seen < 0 ? 0 : seen);
        }
    CHECK(endo_frames_put(frames, slot, dark, DARK_WIDTH) == ENDO_OK);
}

/* A rim that stands still fits far better than chance at rest, whatever the scenes are, but few patches see it; where the
 * scene is one, most patches fit. */
static void test_hidden_rim(endo_context *context) {
    static const endo_pair pairs[2] = {{0, 1}, {0, 2}};
    const double moved[6] = {1, 0, -5.5, 0, 1, 0};
    const endo_transform maps[2] = {endo_transform_of_affine(still), endo_transform_of_affine(moved)};
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = DARK_WIDTH, o.height = DARK_HEIGHT, o.capacity = 3;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    for (int i = 0; i < 6; i++) {
        test_random r = {(uint64_t)i * 31 + 7};
        endo_evidence e[2];
        put_dark(frames, 0, 700 + i, 0, &r);
        put_dark(frames, 1, 800 + i, 0, &r);
        put_dark(frames, 2, 700 + i, 5.5, &r);
        CHECK(endo_pairs_weigh(frames, pairs, maps, NULL, 2, e) == ENDO_OK);
        CHECK(e[0].coarse_chance > 3.5 && e[0].coarse_middle < 0.35);
        CHECK(e[1].coarse_chance > 3.5 && e[1].coarse_middle > 0.7 && e[1].coarse_middle < 1.2);
    }
    endo_frames_destroy(&frames);
}

static void add_spots(uint8_t *a, uint8_t *b) {
    test_random r = {21};
    for (int k = 0; k < 16; k++) {
        int x = test_between(&r, 6, WIDTH - 7), y = test_between(&r, 6, HEIGHT - 7);
        for (int v = y - 4; v <= y + 4; v++) memset(a + v * WIDTH + x - 4, 255, 9), memset(b + v * WIDTH + x - 4, 255, 9);
    }
}

/* So far apart that no search arrives, and with highlights that stand still: only spectra that leave them out see it. */
static void test_far(endo_context *context) {
    const look l = {0.4, 0, 1, 0};
    endo_frames_options o = endo_frames_options_default();
    endo_pairs_options p = endo_pairs_options_default();
    endo_frames *frames = NULL;
    endo_pair pair = {0, 1};
    double moved[6] = {1, 0, 70, 0, 1, -45}, guess[6] = {1, 0, 65, 0, 1, -40};
    endo_transform start = endo_transform_of_affine(still), near_by = endo_transform_of_affine(guess);
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 2, o.highlights = ENDO_HIGHLIGHTS_REFINING;
    p.method = ENDO_METHOD_BEST, p.transform = ENDO_TRANSFORM_AUTO, p.initial = ENDO_INITIAL_NONE;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    for (int i = 0; i < 2; i++) {
        test_random r = {(uint64_t)i + 3};
        test_scene scene;
        endo_pair_result found, given, near_it;
        test_scene_init(&scene, (uint64_t)(80 + i));
        draw(&scene, still, &l, &r, first);
        draw(&scene, moved, &l, &r, second);
        add_spots(first, second);
        CHECK(endo_frames_put(frames, 0, first, WIDTH) == ENDO_OK && endo_frames_put(frames, 1, second, WIDTH) == ENDO_OK);
        CHECK(endo_pairs_register(frames, &pair, 1, &p, &found) == ENDO_OK);
        CHECK(found.status == ENDO_PAIR_OK && sqrt(square_of(&found, moved)) < 0.1);
        CHECK(endo_pairs_register_from(frames, &pair, &start, 1, &p, &given) == ENDO_OK); /* the caller knows better */
        CHECK(given.status != ENDO_PAIR_OK);
        CHECK(endo_pairs_register_from(frames, &pair, &near_by, 1, &p, &near_it) == ENDO_OK);
        CHECK(near_it.status == ENDO_PAIR_OK);
    }
    endo_frames_destroy(&frames);
}

static endo_status status_of_transforms;

static endo_status no_turns(void *store, const endo_turns_request *asked, size_t n, const endo_turns_setup *setup,
                            endo_turns_result *out) {
    (void)store, (void)asked, (void)n, (void)setup, (void)out;
    return endo_fail(status_of_transforms, "no transforms here");
}

/* Where there are no transforms, what only they would find stays in doubt; where they fail, so does the call. */
static void test_without_transforms(endo_context *context) {
    const endo_kernels *whole = context->kernels;
    endo_batch_kernels batches = *whole->batches;
    endo_kernels without = *whole;
    const look l = {0.4, 0, 1, 0};
    double c = cos(1), s = sin(1); /* a turn beyond any search but that of spectra */
    double moved[6] = {c, -s, 100 - 100 * c + 80 * s, s, c, 80 - 100 * s - 80 * c};
    endo_frames *frames = frames_of(context, NULL);
    endo_pair_result r = pair_of(frames, 80, moved, &l);
    endo_pairs_options o = endo_pairs_options_default();
    endo_pair pair = {0, 1};
    CHECK(r.status == ENDO_PAIR_OK || !test_has_transforms(context));
    batches.turns = no_turns, without.batches = &batches, context->kernels = &without;
    status_of_transforms = ENDO_ERR_UNSUPPORTED;
    r = pair_of(frames, 80, moved, &l);
    CHECK(r.status == ENDO_PAIR_JUMP || r.status == ENDO_PAIR_FEW_LANDMARKS);
    status_of_transforms = ENDO_ERR_MEMORY;
    o.method = ENDO_METHOD_BEST, o.transform = ENDO_TRANSFORM_AUTO;
    CHECK(endo_pairs_register(frames, &pair, 1, &o, &r) == ENDO_ERR_MEMORY);
    context->kernels = whole;
    endo_frames_destroy(&frames);
}

int main(void) {
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (!context) continue;
        test_light(context);
        test_noise(context, i == 1 ? 16 : 2);
        test_grain(context);
        test_held_back(context);
        test_small_field(context);
        test_hidden_rim(context);
        if (test_has_transforms(context)) test_far(context);
        test_without_transforms(context);
        endo_context_destroy(&context);
    }
    return check_summary("test_pair_honesty");
}
