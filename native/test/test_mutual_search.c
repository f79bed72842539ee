/* The search of a registration by mutual information, by what it asks to be measured: where searches around the best place
 * begin again, and how few voxels may meet. */
#include "api/testing.h"
#include "systems/mutual/mutual_search.h"
#include "systems/mutual/mutual_space.h"
#include "check.h"
#include "scene.h"

#include <math.h>
#include <string.h>

enum { SIDE = 48, AREA = SIDE * SIDE, SEARCHES = 8 };

static uint8_t fixed_pixels[AREA], moving_pixels[AREA];

/* Distances from the first map of a batch to all others along either axis, in hundredths of the radius: of how many batches
 * each was. */
static int away[101];
static double radius;

/* Batches in which as many searches begin as are followed. */
static void note(const endo_mutual_map *maps, size_t n) {
    int steps = -1;
    for (size_t i = 1; i < n && n == SEARCHES; i++)
        for (int axis = 0; axis < 2; axis++) {
            double far = (double)(maps[i].m[4 * axis + 3] - maps[0].m[4 * axis + 3]) / 4294967296.0;
            int step = (int)(100 * fabs(far) / radius + 0.5);
            if (fabs(100 * fabs(far) / radius - step) > 1e-3 || (steps >= 0 && step != steps)) return;
            steps = step;
        }
    if (steps >= 0 && steps <= 100) away[steps]++;
}

static int calls;

static endo_status measure(void *pair, int level, const endo_mutual_window *window, const endo_mutual_map *maps, size_t n,
                           endo_mutual_sums *sums) {
    note(maps, n);
    calls++;
    return endo_kernels_cpu.mutual->measure(pair, level, window, maps, n, sums);
}

static endo_kernels kernels;

static endo_context *open_noting(void) {
    static endo_mutual_kernels mutual;
    endo_context_options o = endo_context_options_default();
    endo_context *context = NULL;
    mutual = *endo_kernels_cpu.mutual;
    mutual.measure = measure;
    kernels = endo_kernels_cpu;
    kernels.mutual = &mutual;
    o.threads = 1;
    CHECK(endo_context_create_with(&kernels, &o, &context) == ENDO_OK);
    return context;
}

/* Pictures whose pixels are 1 mm, 5 px apart, for shifts alone. */
static endo_mutual *make(endo_context *context) {
    const double still[6] = {1, 0, 0, 0, 1, 0}, moved[6] = {1, 0, 5, 0, 1, 0};
    endo_mutual_options o = endo_mutual_options_default();
    endo_volume fixed = endo_volume_default(), moving;
    endo_mutual *m = NULL;
    test_scene scene;
    test_scene_init(&scene, 4);
    test_scene_render(&scene, still, SIDE, SIDE, fixed_pixels);
    test_scene_render(&scene, moved, SIDE, SIDE, moving_pixels);
    fixed.width = fixed.height = SIDE;
    fixed.depth = 1;
    fixed.stride = SIDE;
    fixed.slice = AREA;
    fixed.pixels = fixed_pixels;
    moving = fixed;
    moving.pixels = moving_pixels;
    o.model = ENDO_TRANSFORM_TRANSLATION;
    o.levels = 1;
    o.bins = 16;
    CHECK(endo_mutual_make_plain(context, &fixed, &moving, &o, &m) == ENDO_OK);
    return m;
}

/* Seven searches begin around the best place, 0.08 of the radius from it along each axis. */
static void test_restarts(endo_mutual *m) {
    endo_mutual_search search = {.mutual = m};
    radius = m->radius;
    memset(away, 0, sizeof away);
    CHECK(endo_mutual_observe(&search) == ENDO_OK && search.n > 0);
    CHECK(away[8] > 0);
    for (int i = 1; i <= 100; i++) CHECK(i == 8 || away[i] == 0);
    CHECK_NEAR(search.poses[0].parameters[0], -5, 0.1);
    CHECK_NEAR(search.poses[0].parameters[1], 0, 0.1);
}

/* A quarter of the voxels must meet; in a window, which leaves out some that would do, half as many. What a place costs is
 * above 0 where too few do. */
static void test_least(endo_mutual *m) {
    const struct {
        double shift;
        int alone, in_window;
    } cases[] = {{0.70 * SIDE, 1, 1}, {0.80 * SIDE, 0, 1}, {0.90 * SIDE, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double point[1][ENDO_SEARCH_PARAMETERS] = {{cases[i].shift}}, world[16], voxels[16], cost;
        endo_mutual_search search = {.mutual = m};
        endo_mutual_window window = {.margin = {0, 0, 0}};
        CHECK(endo_mutual_costs(&search, 0, (const double(*)[ENDO_SEARCH_PARAMETERS])point, 1, &cost) == ENDO_OK);
        CHECK((cost <= 0) == cases[i].alone);
        endo_mutual_world(m, point[0], world);
        endo_mutual_in_voxels(m, 0, world, voxels);
        CHECK(endo_affine3_to_fixed(voxels, &window.map));
        window.map.gain[3] = (int64_t)1 << 32;
        search.window = &window;
        CHECK(endo_mutual_costs(&search, 0, (const double(*)[ENDO_SEARCH_PARAMETERS])point, 1, &cost) == ENDO_OK);
        CHECK((cost <= 0) == cases[i].in_window);
    }
}

/* Where a call of many maps takes no longer than one of few, what may be asked for next is measured beside: the search takes
 * the same way, in fewer calls; also one that ends for its number of evaluations. */
static void test_foreseen(endo_mutual *m) {
    const int limits[] = {100000, 150};
    m->options.optimizer = ENDO_MUTUAL_POWELL;
    for (int k = 0; k < 2; k++) {
        endo_mutual_search searches[2] = {{.mutual = m}, {.mutual = m}};
        int needed[2];
        m->options.max_evaluations = limits[k];
        for (int i = 0; i < 2; i++) {
            kernels.takes_many = i;
            calls = 0;
            CHECK(endo_mutual_observe(&searches[i]) == ENDO_OK);
            needed[i] = calls;
        }
        kernels.takes_many = 0;
        CHECK(searches[0].evaluations == searches[1].evaluations && searches[0].stop == searches[1].stop);
        CHECK(searches[0].level[0].evaluations == searches[1].level[0].evaluations);
        CHECK((searches[0].stop == ENDO_MUTUAL_CONVERGED) == (k == 0));
        CHECK(!memcmp(&searches[0].poses[0], &searches[1].poses[0], sizeof searches[0].poses[0]));
        CHECK(k == 0 ? needed[1] < needed[0] : needed[1] == needed[0]);
    }
}

int main(void) {
    endo_context *context = open_noting();
    endo_mutual *m = make(context);
    test_restarts(m);
    test_least(m);
    test_foreseen(m);
    endo_mutual_free(m);
    endo_context_destroy(&context);
    return check_summary("test_mutual_search");
}
