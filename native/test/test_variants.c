/* Loops of the CPU in every instruction set, where a whole sequence does not reach: the largest sums, and rows that run
 * steeply, backwards or far apart. */
#include "cpu/variants.h"
#include "rules/grey.h"

#include "check.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

static const endo_cpu limits[] = {ENDO_CPU_C, ENDO_CPU_AVX2, ENDO_CPU_AVX512};

/* All pixels bright and used: every sum at its largest. */
static void test_bright(int width, int height) {
    size_t stride = (size_t)width + 64, area = stride * (size_t)height;
    uint8_t *pixels = malloc(area), *used = calloc(area, 1);
    int64_t n = (int64_t)width * height;
    CHECK(pixels && used);
    if (pixels && used) {
        memset(pixels, 255, area);
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
            const cpu_variant *v = cpu_variant_choose(limits[i]);
            cpu_masked_window w = {pixels, used, pixels, used, (ptrdiff_t)stride, width, height};
            endo_sums s = {0, 0, 0, 0, 0, 0};
            if (!v) continue;
            v->ncc->masked(&w, &s);
            CHECK(s.n == n && s.x == 255 * n && s.y == 255 * n);
            CHECK(s.xx == 65025 * n && s.yy == 65025 * n && s.xy == 65025 * n);
        }
    }
    free(pixels);
    free(used);
}

/* Some pixels of some windows. */
static void test_masked(void) {
    enum { WIDTH = 200, HEIGHT = 9 };
    static uint8_t images[4][WIDTH * HEIGHT];
    test_random r = {5};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            images[k][i] = (uint8_t)(k % 2 ? (test_between(&r, 0, 3) ? 0 : 255) : test_between(&r, 0, 255));
    for (int width = 0; width < WIDTH; width += 7) {
        cpu_masked_window w = {images[0], images[1], images[2], images[3], WIDTH, width, HEIGHT};
        endo_sums first = {0, 0, 0, 0, 0, 0};
        cpu_variant_choose(ENDO_CPU_C)->ncc->masked(&w, &first);
        for (size_t i = 1; i < sizeof limits / sizeof *limits; i++) {
            const cpu_variant *v = cpu_variant_choose(limits[i]);
            endo_sums s = {0, 0, 0, 0, 0, 0};
            if (v) v->ncc->masked(&w, &s);
            CHECK(!v || memcmp(&s, &first, sizeof s) == 0);
        }
    }
}

/* Colours beside what makes a highlight, grey ones among them, in rows of any length. */
static void test_grey(void) {
    enum { MOST = 200 };
    static const uint32_t some[] = {204, 205, 239, 240};
    static uint32_t rgb[MOST];
    test_random r = {9};
    for (int n = 1; n <= MOST; n++) {
        for (int i = 0; i < n; i++) {
            uint32_t grey = 0x10101 * some[test_between(&r, 0, 3)], any = test_next(&r), kind = test_next(&r) % 4;
            rgb[i] = kind == 0 ? grey : kind == 1 ? grey ^ (any & 0x80808) : kind == 2 ? any : any & 0x7f7f7f;
        }
        for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
            const cpu_variant *v = cpu_variant_choose(limits[k]);
            uint8_t values[MOST + 1] = {0};
            uint32_t highlights[MOST / 32 + 2], wanted[MOST / 32 + 2] = {0};
            int last = (n + 31) / 32, wrong = 0;
            if (!v) continue;
            values[n] = 77, wanted[last] = highlights[last] = 0xabcdef;
            v->pyramid->grey_rgb(rgb, n, values, highlights);
            for (int i = 0; i < n; i++) {
                wrong += values[i] != endo_grey_of_rgb(rgb[i]);
                wanted[i / 32] |= (uint32_t)endo_is_specular_rgb(rgb[i]) << i % 32;
            }
            CHECK(wrong == 0 && values[n] == 77);
            CHECK(memcmp(highlights, wanted, ((size_t)last + 1) * sizeof *wanted) == 0);
        }
    }
}

/* Rows of any length, of any type. */
static void test_copies(void) {
    enum { MOST = 300 };
    static uint8_t from[MOST];
    static _Alignas(64) uint8_t to[MOST + 128];
    for (int i = 0; i < MOST; i++) from[i] = (uint8_t)(i * 37 + 11);
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
        const cpu_variant *v = cpu_variant_choose(limits[k]);
        for (size_t element = 1; v && element <= 4; element *= 2)
            for (size_t bytes = element; bytes <= MOST; bytes += element) {
                size_t room = (bytes + element + 63) & ~(size_t)63;
                memset(to, 99, sizeof to);
                v->pyramid->copy_far(from, bytes, element, to);
                v->pyramid->end_far();
                CHECK(memcmp(to, from, bytes) == 0 && memcmp(to + bytes, from + bytes - element, element) == 0);
                CHECK(to[room] == 99);
            }
    }
}

/* From (x, y), px, in steps of (dx, dy); all places lie in the image. */
static void check_warp(const uint8_t *pixels, const uint8_t *bilinear, ptrdiff_t stride, const double from[4], int n) {
    enum { MOST = 512 };
    static uint8_t warped[2][MOST], valid[2][MOST];
    const double whole = 4294967296.0;
    cpu_warp_row row = {pixels, bilinear, stride, (int64_t)(from[0] * whole), (int64_t)(from[1] * whole),
                        (int64_t)(from[2] * whole), (int64_t)(from[3] * whole), n};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const cpu_variant *v = cpu_variant_choose(limits[i]);
        memset(warped[i > 0], 7, MOST), memset(valid[i > 0], 7, MOST);
        if (!v) continue;
        v->warp->warp_row(&row, warped[i > 0], valid[i > 0]);
        CHECK(memcmp(warped[i > 0], warped[0], MOST) == 0 && memcmp(valid[i > 0], valid[0], MOST) == 0);
    }
}

static void test_warps(void) {
    enum { WIDTH = 400, HEIGHT = 300, STRIDE = 448 };
    static const double steps[][2] = {{1, 0},      {1, 0.02},   {1, -0.03}, {0.97, 0.3}, {1.9, 0.05},
                                      {2.1, -0.1}, {0.1, 0.99}, {-1, 0.01}, {0, 0},      {0.5, -1.2}};
    static uint8_t pixels[STRIDE * (HEIGHT + 2)], bilinear[STRIDE * (HEIGHT + 2)];
    test_random r = {6};
    for (int i = 0; i < STRIDE * (HEIGHT + 2); i++) {
        pixels[i] = (uint8_t)test_between(&r, 0, 255);
        bilinear[i] = i / STRIDE > 150 && test_between(&r, 0, 9) == 0 ? 0 : 255;
    }
    for (int i = 0; i < 400; i++) {
        const double *step = steps[i % 10];
        int n = test_between(&r, 1, 140);
        double dx = step[0] * n, dy = step[1] * n, left = dx < 0 ? -dx : 0, top = dy < 0 ? -dy : 0;
        double x = left + test_unit(&r) * (WIDTH - 2 - fabs(dx)), y = top + test_unit(&r) * (HEIGHT - 2 - fabs(dy));
        const double from[4] = {x, y, step[0], step[1]};
        check_warp(pixels, bilinear, STRIDE, from, n);
    }
}

/* Rows of narrow and wide images, moved, turned and scaled, in part out of the image; some pixels have no value. */
static void test_flow_rows(void) {
    enum { STRIDE = 128, HEIGHT = 40 };
    static int16_t images[2][STRIDE * (HEIGHT + 1)];
    test_random r = {7};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < STRIDE * (HEIGHT + 1); i++)
            images[k][i] = (int16_t)(test_between(&r, 0, 199) ? test_between(&r, -2500, 2500) : ENDO_FLOW_INVALID);
    for (int i = 0; i < 3000; i++) {
        int width = test_between(&r, 24, 120), y = test_between(&r, 1, HEIGHT - 2), turn = i % 3 * 700;
        int far = i % 5 == 0 ? 40 << 16 : 3 << 16;
        cpu_flow_row row = {images[0] + y * STRIDE, images[1], STRIDE, width, HEIGHT, test_between(&r, -far, far),
                            (y << 16) + test_between(&r, -far, far), 65536 + test_between(&r, -turn, turn),
                            test_between(&r, -turn, turn)};
        cpu_flow_row_sums first[2] = {{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}};
        cpu_variant_choose(ENDO_CPU_C)->flow->flow_row(&row, first);
        for (size_t k = 1; k < sizeof limits / sizeof *limits; k++) {
            const cpu_variant *v = cpu_variant_choose(limits[k]);
            cpu_flow_row_sums sums[2] = {{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}};
            if (v) v->flow->flow_row(&row, sums);
            CHECK(!v || memcmp(sums, first, sizeof sums) == 0);
        }
    }
}

int main(void) {
    test_bright(3000, 350);
    test_bright(64, 20000);
    test_masked();
    test_grey();
    test_copies();
    test_warps();
    test_flow_rows();
    return check_summary("test_variants");
}
