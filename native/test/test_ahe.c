/* Adaptive equalization against mathematics: the CPU's divisions against the integer rule, and answers that are known
 * by hand, from the reference and from every instruction set. */
#include "api/testing.h"
#include "rules/ahe.h"
#include "backend/objects.h"
#include "cpu/ahe_groups.h"
#include "cpu/variants.h"
#include "check.h"
#include "scene.h"

#include <string.h>

#define LARGEST 1023

/* --------------------------------------------------------------- divisions */

static int wrong_ranks(const cpu_ahe_loops *loops, const uint32_t *ranks, int n, uint32_t pixels) {
    static uint8_t out[255 * 255 + 1];
    int wrong = 0;
    loops->map8(ranks, n, pixels, out);
    for (int i = 0; i < n; i++) wrong += out[i] != endo_ahe_plain(ranks[i], pixels, 255);
    return wrong;
}

/* Every rank of the windows up to 255; of larger ones random ranks, and those where the level changes. */
static void test_plain_division(const cpu_ahe_loops *loops) {
    static uint32_t ranks[255 * 255 + 1];
    test_random random = {31};
    int wrong = 0;
    for (uint32_t i = 0; i <= 255 * 255; i++) ranks[i] = i;
    for (int window = 3; window <= 255; window += 2)
        wrong += wrong_ranks(loops, ranks, window * window + 1, (uint32_t)(window * window));
    CHECK(wrong == 0);
    for (int window = 257; window <= LARGEST; window += 2) {
        uint32_t pixels = (uint32_t)(window * window), n = 0;
        for (uint32_t level = 1; level <= 255; level++) {
            uint32_t first = (level * pixels + 254) / 255; /* the first rank of the level */
            ranks[n++] = first;
            ranks[n++] = first - 1;
        }
        while (n < 2000) ranks[n++] = (uint32_t)test_between(&random, 0, (int)pixels);
        wrong += wrong_ranks(loops, ranks, (int)n, pixels);
    }
    CHECK(wrong == 0);
}

/* Ranks where the level changes, of some windows. */
static void test_sixteen_division(const cpu_ahe_loops *loops) {
    static uint32_t ranks[65536];
    static uint16_t out[65536];
    int wrong = 0;
    for (int window = 3; window <= LARGEST; window += 102) {
        uint32_t pixels = (uint32_t)(window * window);
        for (uint64_t level = 1; level <= 32768; level++) {
            uint32_t first = (uint32_t)((2 * level * pixels + 65534) / 65535);
            ranks[2 * level - 2] = first;
            ranks[2 * level - 1] = first - 1;
        }
        for (int i = 0; i < 65536; i++)
            if (ranks[i] > pixels) ranks[i] = pixels;
        loops->map16(ranks, 65536, pixels, out);
        for (int i = 0; i < 65536; i++) wrong += out[i] != endo_ahe_plain(ranks[i], pixels, 65535);
    }
    CHECK(wrong == 0);
}

#define BATCH 2048

typedef struct levels {
    int bin_width, top;
} levels;

typedef struct batch {
    cpu_ahe_counts counts[BATCH];
    uint8_t bins[BATCH], parts[BATCH];
    int n;
} batch;

static int wrong_mapped(const cpu_ahe_loops *loops, const batch *b, int pixels, levels l) {
    static uint32_t values[BATCH];
    cpu_ahe_mapping m = {b->counts, b->bins, l.top > 255 ? b->parts : NULL, b->n, pixels, l.bin_width, l.top};
    int wrong = 0;
    loops->map_limited(&m, values);
    for (int i = 0; i < b->n; i++) {
        endo_ahe_bin bin = {.below = (uint64_t)b->counts[i].below,
                            .count = (uint64_t)b->counts[i].own,
                            .cut = (uint64_t)(pixels - b->counts[i].kept),
                            .bin = b->bins[i],
                            .part = l.top > 255 ? b->parts[i] + 1u : 1,
                            .width = (uint32_t)l.bin_width};
        wrong += values[i] != endo_ahe_limited(&bin, (uint64_t)pixels, (uint32_t)l.top);
    }
    return wrong;
}

/* below, own and what was cut off share the pixels of the window. */
static void add_random(batch *b, test_random *random, int pixels, int bin_width) {
    int i = b->n++, kept = test_between(random, 0, pixels), below = test_between(random, 0, kept);
    cpu_ahe_counts counts = {kept, below, test_between(random, 0, kept - below)};
    b->counts[i] = counts;
    b->bins[i] = (uint8_t)test_between(random, 0, 255);
    b->parts[i] = (uint8_t)test_between(random, 0, bin_width - 1);
}

/* Counts that put the quotient on a level exactly, or as little below it as can be: in bin 0, of which nothing is
 * kept, cdf = 256 width below + cut. */
static void add_edge(batch *b, uint64_t cdf, int pixels, int bin_width) {
    uint64_t below = cdf / (256 * (uint64_t)bin_width), cut = cdf % (256 * (uint64_t)bin_width);
    if (below + cut > (uint64_t)pixels) return;
    cpu_ahe_counts counts = {pixels - (int32_t)cut, (int32_t)below, 0};
    b->counts[b->n] = counts;
    b->bins[b->n] = b->parts[b->n] = 0;
    b->n++;
}

/* Half of a batch random, half of it around levels. */
static void fill(batch *b, test_random *random, int pixels, levels l) {
    uint64_t scale = 256 * (uint64_t)pixels * (uint64_t)l.bin_width, top = (uint64_t)l.top;
    for (b->n = 0; b->n < BATCH - 2;) {
        uint64_t level = (uint64_t)test_between(random, 1, l.top), first = (level * scale + top - 1) / top;
        add_edge(b, first, pixels, l.bin_width);
        add_edge(b, first - 1, pixels, l.bin_width);
        if (b->n < BATCH) add_random(b, random, pixels, l.bin_width);
        if (b->n < BATCH) add_random(b, random, pixels, l.bin_width);
    }
}

static void test_limited_division(const cpu_ahe_loops *loops) {
    static const levels all[] = {{1, 255},     {1, 65535},   {2, 65535},  {3, 65535},
                                 {100, 65535}, {255, 65535}, {256, 65535}};
    static batch b;
    test_random random = {32};
    int wrong = 0;
    for (int window = 3; window <= LARGEST; window += window < 255 ? 2 : 16)
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
            fill(&b, &random, window * window, all[i]);
            wrong += wrong_mapped(loops, &b, window * window, all[i]);
        }
    CHECK(wrong == 0);
}

/* Nothing is lost of what is cut off: over the bins of any histogram the mapping climbs, by what each bin kept and its
 * share of the rest, up to the top. */
static void test_conserves(void) {
    test_random random = {33};
    for (int round = 0; round < 200; round++) {
        uint64_t histogram[ENDO_AHE_BINS], n = 0, clip;
        endo_ahe_bin b = {.width = (uint32_t)test_between(&random, 1, 256)};
        for (int i = 0; i < ENDO_AHE_BINS; i++)
            n += histogram[i] = (uint64_t)(test_between(&random, 0, 3) ? test_between(&random, 0, 50)
                                                                      : test_between(&random, 0, 4000));
        clip = (uint64_t)endo_ahe_clip(1.01 + 4 * test_unit(&random), (double)n);
        for (int i = 0; i < ENDO_AHE_BINS; i++) b.cut += histogram[i] > clip ? histogram[i] - clip : 0;
        uint32_t last = 0, top = round % 2 ? 65535 : 255;
        int descents = 0;
        for (b.bin = 0; b.bin < ENDO_AHE_BINS; b.bin++) {
            b.count = histogram[b.bin] < clip ? histogram[b.bin] : clip;
            for (b.part = 1; b.part <= b.width; b.part++) {
                uint32_t value = endo_ahe_limited(&b, n, top);
                descents += value < last;
                last = value;
            }
            b.below += b.count;
        }
        CHECK(b.below + b.cut == n);
        CHECK(last == top && descents == 0);
    }
}

/* ---------------------------------------------------------- known answers */

#define AREA (96 * 80)

static uint8_t in8[AREA], out8[AREA];
static uint16_t in16[AREA], out16[AREA];

static void equalize(endo_context *context, endo_pixel type, const void *in, int width, int height,
                     const endo_ahe_options *p, void *out) {
    CHECK(endo_ahe_apply(context, &(endo_image){in, type, width, height, width}, NULL, p, out, width) == ENDO_OK);
}

static endo_ahe_options params_of(endo_ahe_method method, int window, double limit) {
    endo_ahe_options p = {method, window, limit, 0, 0};
    return p;
}

/* Every pixel has the highest rank: floor(255 n / n). With a limit of 4 and a window of 3, n = 9: a bin keeps
 * max(1, round(4 * 9 / 256)) = 1, and 8 are spread. At c = 100: 8 * 101 / 256 + 1 of 9, times 255 = 117.8; and in 16
 * bits, where the only value is bin 0 of width 1: (8 / 256 + 1) / 9 * 65535 = 7509.2. */
static void test_constant(endo_context *context, int width, int height) {
    static const int windows[] = {3, 9, 63, 255, 257, 1023};
    uint32_t rgb[2] = {0xff0a141e, 0x050a141e}, out[2]; /* luma 18: 237 more for each channel */
    int wrong = 0, n = width * height;
    memset(in8, 100, AREA);
    for (int i = 0; i < AREA; i++) in16[i] = 4711;
    for (int i = 0; i < 12; i++) {
        endo_ahe_options p = params_of(i < 6 ? ENDO_AHE_WINDOW : ENDO_AHE_GLOBAL, windows[i % 6], 0);
        equalize(context, ENDO_GREY8, in8, width, height, &p, out8);
        equalize(context, ENDO_GREY16, in16, width, height, &p, out16);
        equalize(context, ENDO_RGB32, rgb, 2, 1, &p, out);
        for (int k = 0; k < n; k++) wrong += out8[k] != 255 || out16[k] != 65535;
        wrong += out[0] != 0xfff7ffff || out[1] != 0x05f7ffff;
    }
    endo_ahe_options limited = params_of(ENDO_AHE_WINDOW, 3, 4);
    equalize(context, ENDO_GREY8, in8, width, height, &limited, out8);
    equalize(context, ENDO_GREY16, in16, width, height, &limited, out16);
    for (int k = 0; k < n; k++) wrong += out8[k] != 117 || out16[k] != 7509;
    CHECK(wrong == 0);
}

/* 0..8 in a square of 3. The window of the middle holds them all; that of the first corner, mirrored: 0 0 1, 0 0 1,
 * 3 3 4; of the upper middle: 0 1 2, 0 1 2, 3 4 5. */
static void test_nine(endo_context *context) {
    static const uint8_t ranks[9] = {4, 4, 6, 5, 5, 6, 7, 7, 9};
    endo_ahe_options p = params_of(ENDO_AHE_WINDOW, 3, 0);
    for (int i = 0; i < 9; i++) in8[i] = (uint8_t)i, in16[i] = (uint16_t)(7000 * i);
    equalize(context, ENDO_GREY8, in8, 3, 3, &p, out8);
    equalize(context, ENDO_GREY16, in16, 3, 3, &p, out16);
    for (int i = 0; i < 9; i++) CHECK(out8[i] == 255 * ranks[i] / 9 && out16[i] == 65535 * ranks[i] / 9);
}

static void fill_random(uint64_t seed) {
    test_random random = {seed};
    for (int i = 0; i < AREA; i++) {
        in8[i] = (uint8_t)(test_between(&random, 0, 255) * test_between(&random, 0, 255) / 255);
        in16[i] = (uint16_t)(in8[i] * 250 + test_between(&random, 0, 249));
    }
}

/* The highest level stays the highest whatever is cut off; and a limit that cuts nothing off is none. */
static void test_limits(endo_context *context) {
    static const double limits[] = {1.01, 2, 3.5, 40};
    int wrong = 0;
    fill_random(34);
    for (int i = 0; i < AREA; i += 7) in8[i] = 255, in16[i] = 65535;
    for (int i = 0; i < 12; i++) {
        endo_ahe_options p = params_of(i < 8 ? ENDO_AHE_WINDOW : ENDO_AHE_GLOBAL, i < 4 ? 15 : 301, limits[i % 4]);
        p.high = 65535;
        equalize(context, ENDO_GREY8, in8, 96, 10, &p, out8);
        equalize(context, ENDO_GREY16, in16, 96, 10, &p, out16);
        for (int k = 0; k < 960; k += 7) wrong += out8[k] != 255 || out16[k] != 65535;
    }
    CHECK(wrong == 0);
    static uint8_t unlimited[AREA];
    endo_ahe_options none = params_of(ENDO_AHE_WINDOW, 31, 0), all = params_of(ENDO_AHE_WINDOW, 31, 256);
    equalize(context, ENDO_GREY8, in8, 96, 20, &none, unlimited);
    equalize(context, ENDO_GREY8, in8, 96, 20, &all, out8);
    CHECK(!memcmp(unlimited, out8, 96 * 20));
}

/* The global method is histogram equalization; 256 different levels are spread as they can be already. */
static void test_global(endo_context *context) {
    endo_ahe_options p = params_of(ENDO_AHE_GLOBAL, 3, 0);
    int wrong = 0;
    fill_random(35);
    equalize(context, ENDO_GREY8, in8, 60, 50, &p, out8);
    equalize(context, ENDO_GREY16, in16, 60, 50, &p, out16);
    for (int i = 0; i < 3000; i++) {
        uint64_t rank8 = 0, rank16 = 0;
        for (int k = 0; k < 3000; k++) rank8 += in8[k] <= in8[i], rank16 += in16[k] <= in16[i];
        wrong += out8[i] != 255 * rank8 / 3000 || out16[i] != 65535 * rank16 / 3000;
    }
    CHECK(wrong == 0);
    for (int i = 0; i < 256; i++) in8[i] = (uint8_t)(i * 37);
    equalize(context, ENDO_GREY8, in8, 16, 16, &p, out8);
    CHECK(!memcmp(in8, out8, 256));
}

/* ----------------------------------------------------------------- groups */

/* Many levels or few, alike or not: the heaviest have about twice the share of a group. */
static void fill_counts(uint32_t *counts, int kind, test_random *random) {
    for (int v = 0; v < CPU_AHE_LEVELS; v++) {
        int none = test_between(random, 0, kind % 3 ? 9 : 255), heavy = kind % 2 && !test_between(random, 0, 199);
        counts[v] = none ? 0 : (uint32_t)test_between(random, 1, heavy ? 400 * (kind + 1) : 40);
    }
    counts[test_between(random, 0, CPU_AHE_LEVELS - 1)] = 1;
}

/* A group of more than one level has fewer than three times its share of the pixels, which memory is taken for; and members
 * are placed by level: each has those below it in its group before it. */
static void test_groups(void) {
    static uint32_t counts[CPU_AHE_LEVELS], before[CPU_AHE_LEVELS];
    static cpu_ahe_groups groups;
    test_random random = {37};
    int large = 0, misplaced = 0, unlike = 0;
    for (int kind = 0; kind < 40; kind++) {
        uint32_t members[CPU_AHE_GROUPS] = {0}, levels[CPU_AHE_GROUPS] = {0};
        uint64_t all = 0;
        fill_counts(counts, kind, &random);
        memcpy(before, counts, sizeof before);
        cpu_ahe_groups_make(counts, &groups);
        for (int v = 0; v < CPU_AHE_LEVELS; v++) {
            if (!before[v]) continue;
            misplaced += counts[v] != members[groups.of[v]];
            members[groups.of[v]] += before[v], levels[groups.of[v]]++;
            all += before[v];
        }
        for (int g = 0; g < CPU_AHE_GROUPS; g++) {
            unlike += members[g] != groups.members[g] || (levels[g] == 1) != groups.single[g];
            large += levels[g] > 1 && (uint64_t)members[g] * CPU_AHE_GROUPS >= 3 * all;
        }
    }
    CHECK(misplaced == 0);
    CHECK(unlike == 0);
    CHECK(large == 0);
}

/* -------------------------------------------------------- 16 bits in tiles */

#define WIDE 600
#define TALL 1100

/* Levels of all kinds: one, two, bytes in words, a slope with noise, noise where half of all pixels are the same. */
static uint16_t level_of(int kind, int x, int y, test_random *random) {
    switch (kind) {
    case 0: return 4711;
    case 1: return (x / 9 + y / 7) % 2 ? 60000 : 3;
    case 2: return (uint16_t)(257 * ((x + y) % 256));
    case 3: return (uint16_t)(60 * x + 80 * y + test_between(random, 0, 999));
    default: return test_between(random, 0, 1) ? 1000 : (uint16_t)test_between(random, 0, 65535);
    }
}

/* Equalizes a pixel by counting its window, whose pixels beyond the borders are those of the mirrored image. */
static uint16_t level_by_definition(const uint16_t *image, int window, int x, int y) {
    uint64_t rank = 0;
    for (int v = y - window / 2; v <= y + window / 2; v++) {
        const uint16_t *row = image + (size_t)endo_ahe_mirror(v, TALL) * WIDE;
        for (int u = x - window / 2; u <= x + window / 2; u++) rank += row[endo_ahe_mirror(u, WIDE)] <= image[y * WIDE + x];
    }
    return (uint16_t)(rank * 65535 / (uint64_t)(window * window));
}

/* Larger than a tile both ways. Some pixels of all, and those beside the borders of tiles. */
static void test_sixteen(endo_context *context) {
    static uint16_t image[WIDE * TALL], out[WIDE * TALL];
    test_random random = {36};
    int wrong = 0;
    for (int kind = 0; kind < 5; kind++) {
        endo_ahe_options p = params_of(ENDO_AHE_WINDOW, kind % 2 ? 61 : 303, 0);
        for (int i = 0; i < WIDE * TALL; i++) image[i] = level_of(kind, i % WIDE, i / WIDE, &random);
        equalize(context, ENDO_GREY16, image, WIDE, TALL, &p, out);
        for (int i = 0; i < 60; i++) {
            int x = i % 3 ? test_between(&random, 0, WIDE - 1) : test_between(&random, 510, 513);
            int y = i % 4 ? test_between(&random, 0, TALL - 1) : test_between(&random, 1022, 1025);
            wrong += out[y * WIDE + x] != level_by_definition(image, p.window, x, y);
        }
    }
    CHECK(wrong == 0);
}

static void test_answers(const endo_kernels *kernels, endo_cpu cpu) {
    endo_context_options o = endo_context_options_default();
    endo_context *context = NULL;
    o.cpu = cpu;
    CHECK(endo_context_create_with(kernels, &o, &context) == ENDO_OK);
    test_constant(context, 1, 1);
    test_constant(context, 7, 5);
    test_nine(context);
    test_limits(context);
    test_global(context);
    endo_context_destroy(&context);
}

static void test_tiles(endo_cpu cpu) {
    endo_context_options o = endo_context_options_default();
    endo_context *context = NULL;
    o.cpu = cpu;
    CHECK(endo_context_create_with(&endo_kernels_cpu, &o, &context) == ENDO_OK);
    test_sixteen(context);
    endo_context_destroy(&context);
}

int main(void) {
    static const endo_cpu sets[] = {ENDO_CPU_C, ENDO_CPU_AVX2, ENDO_CPU_AVX512};
    test_conserves();
    test_groups();
    test_answers(&endo_kernels_ref, ENDO_CPU_BEST);
    for (int i = 0; i < 3; i++) {
        const cpu_variant *variant = cpu_variant_choose(sets[i]);
        if (!variant) {
            printf("SKIP instruction set %d: this machine lacks it\n", i);
            continue;
        }
        test_plain_division(variant->ahe);
        test_limited_division(variant->ahe);
        test_sixteen_division(variant->ahe);
        test_answers(&endo_kernels_cpu, sets[i]);
        test_tiles(sets[i]);
    }
    return check_summary("test_ahe");
}
