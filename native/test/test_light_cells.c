/* Small pictures of frames against plain loops over their cells; and how many places of them are sampled. */
#include "systems/light/light.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1300 * 50 };

static uint32_t numbers[MOST];
static uint8_t field[MOST];
static endo_context *context;

static uint32_t next(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Some of them bright, some white and some a bright grey; a field with holes. */
static void make_pixels(uint32_t seed) {
    for (int i = 0; i < MOST; i++) {
        uint32_t kind = next(&seed) % 16, rgb = next(&seed) ^ next(&seed) << 12;
        numbers[i] = kind == 0 ? rgb | 0xfafafa : kind == 1 ? (rgb & 0x1f1f1f) + 0xbebebe : rgb;
        if (kind == 2) numbers[i] = (rgb & 0xf) * 0x010101 + 0xdedede;
        field[i] = next(&seed) % 9 ? 255 : 0;
    }
}

/* A pixel's channels; 0: it does not count. */
static int channels_of(const light_frame *f, const void *row, int x, uint32_t out[LIGHT_CHANNELS]) {
    out[1] = out[2] = 0;
    if (f->type == ENDO_GREY8) out[0] = ((const uint8_t *)row)[x];
    if (f->type == ENDO_GREY16) out[0] = ((const uint16_t *)row)[x];
    if (f->type != ENDO_RGB32) return out[0] <= (uint32_t)(f->type == ENDO_GREY8 ? 249 : f->high);
    int white = 1;
    for (int c = 0; c < LIGHT_CHANNELS; c++) {
        out[c] = ((const uint32_t *)row)[x] >> (16 - 8 * c) & 255;
        white &= out[c] >= 205;
        if (out[c] >= 250) return 0;
    }
    return !white || (out[0] == out[1] && out[1] == out[2]);
}

static light_cell plain_cell(const endo_light *light, int column, int row, int stride) {
    const light_frame *f = &light->frame;
    const light_grid *g = &light->grid;
    uint32_t sums[LIGHT_CHANNELS] = {0}, channels[LIGHT_CHANNELS], n = 0, inside = 0, whole = 0;
    for (int y = g->step / 2; y < g->side; y += g->step)
        for (int x = g->step / 2; x < g->side; x += g->step) {
            int px = column * g->side + x, py = row * g->side + y;
            if (px >= f->width || py >= f->height || !field[py * f->width + px]) continue;
            inside++;
            if (!channels_of(f, (const uint8_t *)numbers + (size_t)(py * stride) * endo_pixel_size(f->type), px, channels))
                continue;
            for (int c = 0; c < LIGHT_CHANNELS; c++) sums[c] += channels[c];
            n++;
        }
    for (int k = 0; k < g->side; k += g->step) whole++;
    light_cell cell = {{0}, 0};
    if (4 * n < 3 * inside || 4 * n < whole * whole) return cell;
    uint32_t unit = f->type == ENDO_GREY16 ? 1 : 256;
    for (int c = 0; c < LIGHT_CHANNELS; c++) cell.mean[c] = (uint16_t)((sums[c] * unit + n / 2) / n);
    cell.share = (uint16_t)(65535u * n / (whole * whole));
    return cell;
}

static void test_frames(endo_pixel type, int width, int height, int stride) {
    light_frame like = {type, width, height, type == ENDO_GREY16 ? 58000 : 255};
    endo_light *light = NULL;
    int wrong = 0, known = 0;
    CHECK(light_make(context, &like, field, &light) == ENDO_OK);
    CHECK(light_take(light, 3, numbers, stride) == ENDO_OK);
    for (int i = 0; i < (int)light_cells(&light->grid); i++) {
        light_cell cell = plain_cell(light, i % light->grid.columns, i / light->grid.columns, stride);
        wrong += memcmp(&cell, &light->pictures[3][i], sizeof cell) != 0;
        known += cell.share > 0;
    }
    CHECK(wrong == 0);
    CHECK(width < 24 || known > 0);
    light_free(light);
}

/* The more views, the fewer places are sampled, 150 a view from some number on, and the fewer of them are alike. */
static void test_many_views(void) {
    static const int cases[][2] = {{400, 432}, {1000, 200}, {2000, 150}, {20000, 75}};
    light_frame like = {ENDO_GREY8, 240, 180, 255};
    endo_light *light = NULL;
    memset(numbers, 100, 240 * 180);
    CHECK(light_make(context, &like, NULL, &light) == ENDO_OK && light_take(light, 0, numbers, 240) == ENDO_OK);
    for (int k = 0; k < 4; k++) {
        size_t n = (size_t)cases[k][0];
        endo_light_view *views = calloc(n, sizeof *views);
        light_samples s;
        for (size_t i = 0; views && i < n; i++) views[i].transform = endo_transform_identity();
        CHECK(views && light_samples_make(light, views, n, &s) == ENDO_OK);
        CHECK_NEAR(s.alike, fmax(10 * cases[k][1] / 432.0, 1), 1e-9);
        CHECK_NEAR((double)s.n / (double)n / cases[k][1], 1, 0.08);
        light_samples_free(&s);
        free(views);
    }
    light_free(light);
}

/* Cells of 1 to 54 px, of which every pixel is read, or every second to fourth; at the right and below they are cut. */
int main(void) {
    static const int sizes[][3] = {{1, 1, 1}, {23, 9, 30}, {25, 31, 25}, {383, 100, 385}, {384, 50, 384}, {397, 64, 397},
                                   {720, 62, 720}, {717, 90, 718}, {1280, 50, 1280}, {1000, 60, 1001}};
    CHECK(endo_context_create(NULL, &context) == ENDO_OK);
    for (int k = 0; k < 10; k++) {
        make_pixels((uint32_t)k + 1);
        test_frames(ENDO_RGB32, sizes[k][0], sizes[k][1], sizes[k][2]);
        test_frames(ENDO_GREY8, sizes[k][0], sizes[k][1], sizes[k][2]);
        test_frames(ENDO_GREY16, sizes[k][0], sizes[k][1], sizes[k][2]);
    }
    test_many_views();
    endo_context_destroy(&context);
    return check_summary("test_light_cells");
}
