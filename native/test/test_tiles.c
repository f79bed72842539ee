/* Tiles of a canvas against brute force: which of them a frame reaches, rectangles cut along their borders, and a canvas
 * of tiles against a plain image that is copied at every change. */
#include "base/canvas_tiles.h"
#include "base/memory.h"
#include "base/status.h"
#include "rules/sampling.h"
#include "check.h"
#include "scene.h"

#include <string.h>

static void test_numbers(void) {
    for (int64_t n = -3; n <= 3; n++) {
        CHECK(endo_tile_column(n * ENDO_TILE_WIDTH) == n && endo_tile_column(n * ENDO_TILE_WIDTH - 1) == n - 1);
        CHECK(endo_tile_row(n * ENDO_TILE_HEIGHT) == n && endo_tile_row(n * ENDO_TILE_HEIGHT - 1) == n - 1);
    }
    CHECK(ENDO_TILE_WIDTH % 32 == 0 && ENDO_TILE_HEIGHT % 8 == 0);
}

/* ------------------------------------------------------------------- reach */

static int is_inside(const endo_canvas_map *map, int x, int y, int width, int height) {
    endo_fixed_affine local;
    if (!endo_canvas_map_at(map, x, y, 0, &local)) return 0;
    int64_t px = endo_position8(local.m[0] * x + local.m[1] * y + local.m[2]);
    int64_t py = endo_position8(local.m[3] * x + local.m[4] * y + local.m[5]);
    return px >= 0 && py >= 0 && px <= (width - 1) * 256 && py <= (height - 1) * 256;
}

/* Number in the reach, or -1. */
static int64_t number_of(const endo_reach *r, int64_t column, int64_t row) {
    for (size_t b = 0; b < r->n_bands; b++) {
        const endo_tile_band *band = &r->bands[b];
        if (band->row == row && column >= band->column && column < band->column + band->n)
            return (int64_t)band->first + column - band->column;
    }
    return -1;
}

#define MOST_TILES 4096

/* Tiles that have a pixel, pixel by pixel; pixels that the reach leaves out are wrong. */
static void compare_reach(const endo_reach *r, const endo_canvas_extent *p, const endo_canvas_map *map, int width,
                          int height) {
    static uint8_t seen[MOST_TILES];
    size_t expected = 0;
    int wrong = 0;
    CHECK(r->n <= MOST_TILES);
    memset(seen, 0, sizeof seen);
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            if (!is_inside(map, x, y, width, height)) continue;
            int64_t row = endo_tile_row(p->top + y), at = number_of(r, endo_tile_column(p->left + x), row);
            if (at < 0 || !r->reached[at]) {
                wrong++;
                continue;
            }
            const endo_tile_band *band = &r->bands[row - r->bands[0].row];
            wrong += band->row != row || x < band->left || x >= band->right || y < band->top || y >= band->bottom;
            expected += !seen[at];
            seen[at] = 1;
        }
    for (size_t b = 0; b < r->n_bands; b++) {
        const endo_tile_band *band = &r->bands[b];
        wrong += band->row != r->bands[0].row + (int64_t)b;
        wrong += band->n && !(r->reached[band->first] && r->reached[band->first + (size_t)band->n - 1]);
    }
    CHECK(wrong == 0);
    if (map->projection.bits) CHECK(expected <= r->n_reached && r->n_reached <= expected + expected / 2 + 4);
    else CHECK(expected == r->n_reached);
}

static void random_map(test_random *r, int i, double m[6]) {
    static const double scales[] = {3, 200, 0.02, 1.2, 0.5};
    double scale = scales[i % 5];
    for (int k = 0; k < 6; k++) m[k] = (test_unit(r) - 0.5) * (k % 3 == 2 ? 500 : scale);
    if (i % 6 == 0) m[3] = m[1] = 0;
    if (i % 7 == 0) m[0] = 0;
    if (i % 11 == 0) m[4] = m[0], m[3] = m[1] * 1.0001; /* thin */
}

static void test_reach(void) {
    test_random r = {5};
    endo_reach reach = {0};
    for (int i = 0; i < 150; i++) {
        endo_canvas_extent p = {test_between(&r, 1, 3000), test_between(&r, 1, 900), test_between(&r, -3000, 3000),
                               test_between(&r, -3000, 3000)};
        int width = test_between(&r, 1, 300), height = test_between(&r, 1, 300);
        double m[6];
        endo_canvas_map map = {.projection = {.bits = 0}};
        random_map(&r, i, m);
        m[2] -= m[0] * test_between(&r, -100, p.width) + m[1] * test_between(&r, -100, p.height);
        m[5] -= m[3] * test_between(&r, -100, p.width) + m[4] * test_between(&r, -100, p.height);
        CHECK(endo_affine_to_fixed(m, &map.affine));
        CHECK(endo_reach_find(&reach, &p, &map, width, height) == ENDO_OK);
        compare_reach(&reach, &p, &map, width, height);
    }
    endo_reach_free(&reach);
}

/* Homographies: a few pixels around the frame count. */
static void test_projected_reach(void) {
    test_random r = {6};
    endo_reach reach = {0};
    for (int i = 0; i < 60; i++) {
        endo_canvas_extent p = {test_between(&r, 1, 3000), test_between(&r, 1, 900), test_between(&r, -3000, 3000),
                               test_between(&r, -3000, 3000)};
        int width = test_between(&r, 50, 300), height = test_between(&r, 50, 300), x = test_between(&r, -100, p.width);
        double size = i % 3 ? 1 : 5, bent = i % 4 ? 0.5 : 0.95;
        endo_transform t = {ENDO_TRANSFORM_HOMOGRAPHY, {size, 0.2, 5, -0.3, size, 9, bent * (test_unit(&r) - 0.5) / width,
                                                        bent * (test_unit(&r) - 0.5) / height, 1}};
        endo_canvas_map map = {.projection = {.bits = 0}};
        CHECK(endo_projection_make(&t, width, height, x, test_between(&r, -100, p.height), x, &map.projection));
        CHECK(endo_reach_find(&reach, &p, &map, width, height) == ENDO_OK);
        compare_reach(&reach, &p, &map, width, height);
    }
    endo_reach_free(&reach);
}

/* So flat that neighbouring rows of the frame lie tiles apart, and rows of tiles without any between them. */
static void test_gaps(void) {
    endo_reach reach = {0};
    for (int i = 0; i < 4; i++) {
        double jump = i < 2 ? -225 : -75, flat[6] = {0.25, jump, 0, 0, 1, 0}, steep[6] = {1, 0, 0, jump, 0.25, 0};
        int down = i % 2, width = down ? 20 : 5, height = down ? 5 : 20;
        endo_canvas_extent p = {down ? 20 : 20000, down ? 20000 : 20, 77, -13};
        endo_canvas_map map = {.projection = {.bits = 0}};
        CHECK(endo_affine_to_fixed(down ? steep : flat, &map.affine));
        CHECK(endo_reach_find(&reach, &p, &map, width, height) == ENDO_OK);
        compare_reach(&reach, &p, &map, width, height);
        if (i < 2) CHECK(down ? reach.n_bands > reach.n : reach.n > reach.n_reached);
    }
    endo_reach_free(&reach);
}

/* A frame of 700 x 500 in a far corner of the largest canvas. */
static void test_far(void) {
    endo_canvas_extent p = {1 << 20, 1 << 20, -12345678901, 98765432109};
    int x = (1 << 20) - 650, y = (1 << 20) - 520;
    endo_canvas_map map = {.affine = {{(int64_t)1 << 32, 0, -((int64_t)x << 32), 0, (int64_t)1 << 32, -((int64_t)y << 32)}}};
    endo_reach reach = {0};
    CHECK(endo_reach_find(&reach, &p, &map, 700, 500) == ENDO_OK);
    int64_t columns = endo_tile_column(p.left + (1 << 20) - 1) - endo_tile_column(p.left + x) + 1;
    int64_t rows = endo_tile_row(p.top + y + 499) - endo_tile_row(p.top + y) + 1;
    CHECK((int64_t)reach.n_reached == columns * rows && reach.n == reach.n_reached);
    CHECK(reach.bands[0].row == endo_tile_row(p.top + y) && reach.bands[0].column == endo_tile_column(p.left + x));
    CHECK(reach.bands[0].left == x && reach.bands[0].right == 1 << 20);
    map.affine.m[2] = (int64_t)1 << 50; /* beside the canvas */
    CHECK(endo_reach_find(&reach, &p, &map, 700, 500) == ENDO_OK && reach.n == 0 && reach.n_bands == 0);
    endo_reach_free(&reach);
}

/* -------------------------------------------------------------------- walk */

static void test_walk(void) {
    static uint8_t seen[1300 * 400];
    test_random r = {6};
    for (int i = 0; i < 40; i++) {
        endo_canvas_extent p = {2000, 900, test_between(&r, -2000, 2000), test_between(&r, -2000, 2000)};
        int width = test_between(&r, 1, 1300), height = test_between(&r, 1, 400), wrong = 0;
        endo_tile_walk walk = {&p, test_between(&r, 0, 2000 - width), test_between(&r, 0, 900 - height), width, height, 0, 0};
        memset(seen, 0, sizeof seen);
        for (endo_tile_part part; endo_tile_next(&walk, &part);)
            for (int v = 0; v < part.height; v++)
                for (int u = 0; u < part.width; u++) {
                    int64_t x = p.left + walk.x + part.left + u, y = p.top + walk.y + part.top + v;
                    seen[(size_t)(part.top + v) * width + part.left + u]++;
                    wrong += x != part.column * ENDO_TILE_WIDTH + part.x + u || y != part.row * ENDO_TILE_HEIGHT + part.y + v;
                    wrong += part.x + u >= ENDO_TILE_WIDTH || part.y + v >= ENDO_TILE_HEIGHT;
                }
        for (int k = 0; k < width * height; k++) wrong += seen[k] != 1;
        CHECK(wrong == 0);
    }
}

/* ------------------------------------------------------------ canvas of tiles */

/* Slabs that are counted, refused when told to, and full of rubbish. */
typedef struct fake_source {
    size_t bytes, slabs, largest; /* largest: bytes that are given at most; 0: any */
} fake_source;

static endo_status fake_allocate(void *owner, size_t size, void **memory) {
    fake_source *s = owner;
    if (s->largest && size > s->largest) return endo_fail(ENDO_ERR_MEMORY, "refused");
    *memory = endo_alloc(size, 1);
    if (!*memory) return ENDO_ERR_MEMORY;
    memset(*memory, 0xa5, size);
    s->bytes += size, s->slabs++;
    return ENDO_OK;
}

static void fake_release(void *owner, void *memory) {
    ((fake_source *)owner)->slabs--;
    endo_free(memory);
}

static endo_status fake_clear(void *owner, uint8_t *memory, int x, int y, int width, int height) {
    (void)owner;
    for (int v = y; v < y + height; v++) memset(memory + v * ENDO_TILE_WIDTH + x, 0, (size_t)width);
    return ENDO_OK;
}

/* A canvas of tiles, a byte a pixel, and the plain image that it should equal. */
typedef struct twins {
    endo_canvas_tiles tiles;
    endo_reach reach;
    fake_source source;
    uint8_t *plain;
} twins;

static int plain_at(const twins *t, int x, int y) { return t->plain[(size_t)y * t->tiles.extent.width + x]; }

static int differ(const twins *t) {
    const endo_canvas_extent *p = &t->tiles.extent;
    endo_tile_walk walk = {p, 0, 0, p->width, p->height, 0, 0};
    int wrong = 0;
    for (endo_tile_part part; endo_tile_next(&walk, &part);) {
        const uint8_t *tile = endo_canvas_tile(&t->tiles, part.column, part.row);
        for (int v = 0; v < part.height; v++)
            for (int u = 0; u < part.width; u++) {
                int value = tile ? tile[(part.y + v) * ENDO_TILE_WIDTH + part.x + u] : 0;
                wrong += value != plain_at(t, part.left + u, part.top + v);
            }
    }
    return wrong;
}

/* Fills what a frame of width x height at (x, y) covers. */
static endo_status fill(twins *t, int x, int y, int width, int height, uint8_t value) {
    const endo_canvas_extent *p = &t->tiles.extent;
    const int64_t one = (int64_t)1 << 32;
    endo_canvas_map map = {.affine = {{one, 0, -one * x, 0, one, -one * y}}};
    endo_status status = endo_reach_find(&t->reach, p, &map, width, height);
    if (status == ENDO_OK) status = endo_canvas_tiles_take(&t->tiles, &t->reach);
    if (status != ENDO_OK) return status;
    for (size_t i = 0; i < t->reach.n; i++)
        if (t->reach.fresh[i]) memset(t->reach.memory[i], 0, ENDO_TILE_PIXELS);
    for (int v = y; v < y + height; v++)
        for (int u = x; u < x + width; u++) {
            if (u < 0 || v < 0 || u >= p->width || v >= p->height) continue;
            int64_t column = endo_tile_column(p->left + u), row = endo_tile_row(p->top + v);
            uint8_t *tile = t->reach.memory[number_of(&t->reach, column, row)];
            tile[(p->top + v - row * ENDO_TILE_HEIGHT) * ENDO_TILE_WIDTH + p->left + u - column * ENDO_TILE_WIDTH] = value;
            t->plain[(size_t)v * p->width + u] = value;
        }
    return ENDO_OK;
}

static void resize(twins *t, int width, int height, int dx, int dy) {
    endo_canvas_extent old = t->tiles.extent;
    uint8_t *plain = endo_alloc_zeroed((size_t)width * height, 1);
    for (int y = 0; y < old.height; y++)
        for (int x = 0; x < old.width; x++) {
            int64_t u = (int64_t)x + dx, v = (int64_t)y + dy;
            if (u >= 0 && v >= 0 && u < width && v < height) plain[v * width + u] = (uint8_t)plain_at(t, x, y);
        }
    CHECK(endo_canvas_tiles_resize(&t->tiles, width, height, dx, dy, fake_clear, NULL) == ENDO_OK);
    endo_free(t->plain);
    t->plain = plain;
}

static twins twins_create(int width, int height, size_t step) {
    twins t = {.plain = endo_alloc_zeroed((size_t)width * height, 1)};
    endo_slab_source source = {NULL, fake_allocate, fake_release, step, 8};
    endo_canvas_tiles_init(&t.tiles, width, height, ENDO_TILE_PIXELS, &source);
    return t;
}

static void twins_free(twins *t) {
    endo_canvas_tiles_free(&t->tiles);
    endo_reach_free(&t->reach);
    endo_free(t->plain);
    CHECK(t->source.slabs == 0);
}

static void test_canvas(void) {
    test_random r = {9};
    for (int round = 0; round < 12; round++) {
        twins t = twins_create(700, 500, round % 3 ? 4 * ENDO_TILE_PIXELS : 1);
        t.tiles.source.owner = &t.source;
        for (int step = 0; step < 30; step++) {
            const endo_canvas_extent *p = &t.tiles.extent;
            int what = test_between(&r, 0, 7);
            if (what == 0) {
                int width = test_between(&r, 1, 1500), height = test_between(&r, 1, 900);
                resize(&t, width, height, test_between(&r, -p->width, width), test_between(&r, -p->height, height));
            } else if (what == 1) { /* grows on all sides */
                int left = test_between(&r, 0, 300), top = test_between(&r, 0, 200);
                if (p->width < 3000 && p->height < 2000)
                    resize(&t, p->width + left + test_between(&r, 0, 300), p->height + top + 7, left, top);
            } else if (what == 2 && step % 4 == 0) {
                endo_canvas_tiles_clear(&t.tiles);
                memset(t.plain, 0, (size_t)p->width * p->height);
            } else {
                CHECK(fill(&t, test_between(&r, -300, p->width), test_between(&r, -200, p->height),
                           test_between(&r, 1, 400), test_between(&r, 1, 300), (uint8_t)test_between(&r, 1, 255)) == ENDO_OK);
            }
            CHECK(differ(&t) == 0);
            CHECK(t.tiles.n + t.tiles.n_spare == t.tiles.held);
        }
        twins_free(&t);
    }
}

/* Memory follows what is painted, growth takes none, and where it ends everything stays. */
static void test_memory(void) {
    twins t = twins_create(600, 300, 1);
    t.tiles.source.owner = &t.source;
    CHECK(t.source.bytes == 0);
    CHECK(fill(&t, 10, 10, 20, 20, 7) == ENDO_OK && t.source.bytes == ENDO_TILE_PIXELS && t.tiles.n == 1);
    resize(&t, 900, 700, 123, 55);
    CHECK(t.source.bytes == ENDO_TILE_PIXELS && t.tiles.n == 1 && differ(&t) == 0);
    t.source.largest = 1;
    CHECK(fill(&t, 0, 0, 900, 700, 9) == ENDO_ERR_MEMORY && differ(&t) == 0 && t.tiles.n == 1);
    CHECK(fill(&t, 133, 65, 3, 3, 9) == ENDO_OK && differ(&t) == 0);
    endo_canvas_tiles_clear(&t.tiles);
    memset(t.plain, 0, 900 * 700);
    CHECK(fill(&t, 500, 300, 3, 3, 8) == ENDO_OK && differ(&t) == 0); /* the tile that is spare */
    t.source.largest = 0;
    resize(&t, 40, 40, -2000, 0);
    CHECK(t.tiles.n == 0 && t.tiles.n_spare == 1 && t.tiles.extent.left == 0);
    resize(&t, 900, 700, 2000, 0);
    CHECK(differ(&t) == 0);
    twins_free(&t);
}

/* A usual slab that is refused is followed by one of what is needed. */
static void test_slabs(void) {
    twins t = twins_create(40 * ENDO_TILE_WIDTH, 2 * ENDO_TILE_HEIGHT, 8 * ENDO_TILE_PIXELS);
    t.tiles.source.owner = &t.source;
    CHECK(fill(&t, 0, 0, ENDO_TILE_WIDTH + 1, 5, 1) == ENDO_OK && t.source.bytes == 8 * ENDO_TILE_PIXELS);
    CHECK(fill(&t, 0, 0, 8 * ENDO_TILE_WIDTH, 5, 2) == ENDO_OK && t.source.slabs == 1 && t.tiles.n_spare == 0);
    t.source.largest = ENDO_TILE_PIXELS;
    CHECK(fill(&t, 9 * ENDO_TILE_WIDTH, 0, 3, 5, 3) == ENDO_OK && t.source.slabs == 2 && t.tiles.held == 9);
    CHECK(fill(&t, 12 * ENDO_TILE_WIDTH, 0, 2 * ENDO_TILE_WIDTH, 5, 4) == ENDO_ERR_MEMORY && t.tiles.n == 9);
    CHECK(differ(&t) == 0);
    twins_free(&t);
    twins small = twins_create(ENDO_TILE_WIDTH, ENDO_TILE_HEIGHT, 8 * ENDO_TILE_PIXELS); /* never wants more than one */
    small.tiles.source.owner = &small.source;
    CHECK(fill(&small, 0, 0, 5, 5, 1) == ENDO_OK && small.source.bytes == ENDO_TILE_PIXELS);
    twins_free(&small);
}

int main(void) {
    test_numbers();
    test_reach();
    test_projected_reach();
    test_gaps();
    test_far();
    test_walk();
    test_canvas();
    test_memory();
    test_slabs();
    return check_summary("test_tiles");
}
