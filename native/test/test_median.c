/* Selection of numbers by their rank, against sorted ones, by any number of threads. */
#include "base/math/median.h"
#include "check.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 150001 };

static float values[MOST];
static float sorted[MOST];
static float workspace[MOST + 1];
static double numbers[MOST];
static double rest[MOST];

static int rising(const void *a, const void *b) {
    float x = *(const float *)a;
    float y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Numbers of both signs, many of them equal where there are few levels. */
static void draw(size_t n, int levels, test_random *r) {
    for (size_t i = 0; i < n; i++) values[i] = (float)test_between(r, -levels, levels) / 64.0f;
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, rising);
}

static void test_select(size_t n, int levels) {
    static const int threads[] = {1, 2, 3, 8, 20};
    test_random r = {n + (uint64_t)levels};
    draw(n, levels, &r);
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
        for (int k = 0; k < 5; k++) {
            size_t rank = k == 0 ? 0 : k == 1 ? n - 1 : (size_t)test_between(&r, 0, (int)n - 1);
            CHECK(endo_select(values, n, rank, threads[t], workspace) == sorted[rank]);
        }
}

static void test_median(size_t n, int levels) {
    test_random r = {n};
    draw(n, levels, &r);
    for (size_t i = 0; i < n; i++) numbers[i] = values[i];
    CHECK(endo_median(numbers, rest, n) == sorted[n / 2]);
}

int main(void) {
    static const size_t sizes[] = {1, 2, 7, 1000, 32767, 32768, 32769, 65537, MOST};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int levels = 1; levels <= 1000000; levels *= 1000) {
            test_select(sizes[i], levels);
            test_median(sizes[i], levels);
        }
    return check_summary("test_median");
}
