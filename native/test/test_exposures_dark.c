/* Alignment of exposures near black, means of 3 to 8 levels, in noise: what is called certain is right, whatever stands
 * still in the images; and what is plain to see is found. test_exposures_dark [PAIRS]: so many pairs in all (default
 * 240). */
#include "check.h"
#include "exposure_scene.h"

#include "backend/objects.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 320
#define HEIGHT 240
#define AREA (WIDTH * HEIGHT)

static float brightness[AREA], added[AREA];
static uint8_t shown[AREA], images[2][AREA];

typedef struct rig {
    endo_context *context;
    endo_frames *frames;
    endo_exposure_options options;
} rig;

static endo_exposure_result align(rig *r) {
    endo_pair pair = {0, 1};
    endo_exposure_result result = {.status = -1};
    for (int i = 0; i < 2; i++) CHECK(endo_frames_put(r->frames, i, images[i], WIDTH) == ENDO_OK);
    CHECK(endo_exposures_register(r->frames, &pair, 1, &r->options, &result) == ENDO_OK);
    return result;
}

/* -------------------------------------------------------------------- pairs */

typedef struct dark {
    exposure_still still;
    double contrast; /* power of the scene's brightness; 0 leaves nothing to see */
    double noise, darkest;
} dark;

/* Hardly anything to see, or plenty. */
static dark draw_dark(test_random *random, exposure_still still, int is_clear) {
    dark faint = {still, 0.3 + test_unit(random), 0.5 + 1.5 * test_unit(random), 3};
    dark clear = {still, 1 + 0.5 * test_unit(random), 0.5, 5};
    return is_clear ? clear : faint;
}

static void make_pair(uint64_t seed, int dx, int dy, const dark *d, test_random *random) {
    exposure_scene scene;
    double means[2] = {d->darkest + (8 - d->darkest) * test_unit(random), 0}, middle = (8 + d->darkest) / 2;
    means[1] = means[0] + (means[0] > middle ? -1 : 1) * (0.7 + (middle - d->darkest - 0.7) * test_unit(random));
    exposure_scene_init(&scene, seed);
    exposure_still_draw(d->still, random, WIDTH, HEIGHT, added, shown);
    for (int k = 0; k < 2; k++) {
        exposure_scene_render(&scene, k * dx, k * dy, WIDTH, HEIGHT, brightness);
        for (int i = 0; i < AREA; i++) brightness[i] = powf(brightness[i], (float)d->contrast);
        exposure_darken(brightness, AREA, means[k], d->noise, added, shown, random, images[k]);
    }
}

typedef struct score {
    int pairs, found, certain, wrong, none; /* found: exact and certain */
} score;

static void count(score *s, const endo_exposure_result *r, int dx, int dy) {
    int certain = r->status == ENDO_EXPOSURE_OK;
    s->pairs++;
    s->certain += certain;
    s->found += certain && r->dx == dx && r->dy == dy;
    s->wrong += certain && (fabs(r->dx - dx) > 1 || fabs(r->dy - dy) > 1);
    s->none += r->status == ENDO_EXPOSURE_NO_CONTENT;
}

static void print(const char *name, const score *s) {
    printf("%-22s %4d pairs: %4d found, %4d certain, %d of them wrong, %4d without content\n", name, s->pairs, s->found,
           s->certain, s->wrong, s->none);
}

/* A shift of 5 to 40 px along one axis at least. */
static void draw_shift(test_random *random, int *dx, int *dy) {
    do {
        *dx = test_between(random, -40, 40), *dy = test_between(random, -40, 40);
    } while (abs(*dx) < 5 && abs(*dy) < 5);
}

/* ------------------------------------------------------------------- tests */

static const char *const names[EXPOSURE_STILL_KINDS] = {"nothing stands still", "sensor pattern", "hot pixels",
                                                        "round surround", "rectangular surround", "reflections"};

/* Share that is found at least of what is clear. */
static const double found_least[EXPOSURE_STILL_KINDS] = {0.55, 0.2, 0.5, 0.25, 0.3, 0.4};

static void test_moved(rig *r, int pairs) {
    for (int still = 0; still < EXPOSURE_STILL_KINDS; still++) {
        test_random random = {100 + (uint64_t)still};
        score all = {0, 0, 0, 0, 0}, clear = {0, 0, 0, 0, 0};
        for (int i = 0; i < pairs / EXPOSURE_STILL_KINDS; i++) {
            int dx, dy, is_clear = i % 2;
            dark d = draw_dark(&random, (exposure_still)still, is_clear);
            draw_shift(&random, &dx, &dy);
            make_pair(20000 + 1000 * (uint64_t)still + (uint64_t)i, dx, dy, &d, &random);
            endo_exposure_result result = align(r);
            count(&all, &result, dx, dy);
            if (is_clear) count(&clear, &result, dx, dy);
        }
        print(names[still], &all);
        printf("  with enough signal: %d of %d found\n", clear.found, clear.pairs);
        CHECK(all.wrong == 0);
        CHECK(clear.found >= found_least[still] * clear.pairs);
    }
}

/* A tripod: shift 0 is right, and a further observation confirms it where there is something to see. */
static void test_unmoved(rig *r, int pairs) {
    test_random random = {200};
    score s = {0, 0, 0, 0, 0};
    for (int i = 0; i < pairs; i++) {
        dark d = draw_dark(&random, EXPOSURE_STILL_NOTHING, 1);
        make_pair(30000 + (uint64_t)i, 0, 0, &d, &random);
        endo_exposure_result result = align(r);
        count(&s, &result, 0, 0);
    }
    print("tripod", &s);
    CHECK(s.wrong == 0 && s.found >= 0.5 * s.pairs);
}

/* Nothing but noise and what stands still: no shift is certain, and the scene is none. */
static void test_empty(rig *r, int pairs) {
    test_random random = {300};
    score s = {0, 0, 0, 0, 0};
    for (int i = 0; i < pairs; i++) {
        dark d = {(exposure_still)(i % 3), 0, 0.5 + 1.5 * test_unit(&random), 3};
        make_pair(40000 + (uint64_t)i, 0, 0, &d, &random);
        endo_exposure_result result = align(r);
        count(&s, &result, 99, 99);
    }
    print("empty", &s);
    CHECK(s.certain == 0 && s.none >= 0.8 * s.pairs);
}

/* Two scenes. */
static void test_unrelated(rig *r, int pairs) {
    test_random random = {400};
    static uint8_t other[AREA];
    score s = {0, 0, 0, 0, 0};
    for (int i = 0; i < pairs; i++) {
        dark d = draw_dark(&random, (exposure_still)(i % EXPOSURE_STILL_KINDS), i % 2);
        uint64_t drawn = random.state;
        make_pair(50000 + 2 * (uint64_t)i, 0, 0, &d, &random);
        memcpy(other, images[1], AREA);
        random.state = drawn; /* the same stands still */
        make_pair(50001 + 2 * (uint64_t)i, 0, 0, &d, &random);
        memcpy(images[1], other, AREA);
        endo_exposure_result result = align(r);
        count(&s, &result, 99, 99);
    }
    print("two scenes", &s);
    CHECK(s.certain == 0);
}

int main(int argc, char **argv) {
    int pairs = argc > 1 ? atoi(argv[1]) : 240;
    endo_context_options o = endo_context_options_default();
    endo_frames_options f = endo_frames_options_default();
    rig r = {NULL, NULL, endo_exposure_options_default()};
    o.backend = ENDO_BACKEND_CPU;
    f.width = WIDTH, f.height = HEIGHT, f.capacity = 2, f.flow = 0, f.keep_pixels = 0;
    CHECK(endo_context_create(&o, &r.context) == ENDO_OK);
    CHECK(endo_frames_create(r.context, &f, &r.frames) == ENDO_OK);
    test_moved(&r, pairs);
    test_unmoved(&r, pairs / 6);
    test_empty(&r, pairs / 6);
    test_unrelated(&r, pairs / 6);
    endo_frames_destroy(&r.frames);
    endo_context_destroy(&r.context);
    return check_summary("test_exposures_dark");
}
