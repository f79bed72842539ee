#include "median.h"

#include <stdint.h>
#include <string.h>

static double middle_of_three(double a, double b, double c) {
    double less = a < b ? a : b, more = a < b ? b : a;
    return c < less ? less : c > more ? more : c;
}

/* Moves the values below the pivot to the front, the others into rest; returns how many are below. No branch depends on the
 * values, since it could not be predicted. */
static size_t divide(double *values, size_t n, double pivot, double *rest) {
    size_t below = 0;
    for (size_t i = 0; i < n; i++) {
        double v = values[i];
        int is_below = v < pivot;
        values[below] = v;
        rest[i - below] = v;
        below += (size_t)is_below;
    }
    return below;
}

/* Moves the values above `least` to the front; returns how many there are. */
static size_t drop_least(double *values, size_t n, double least) {
    size_t more = 0;
    for (size_t i = 0; i < n; i++) {
        double v = values[i];
        int is_more = v > least;
        values[more] = v;
        more += (size_t)is_more;
    }
    return more;
}

/* Divides the values in which the median lies until no other value is left. */
double endo_median(double *values, double *rest, size_t n) {
    size_t wanted = n / 2;
    while (n > 1) {
        double pivot = middle_of_three(values[0], values[n / 2], values[n - 1]);
        size_t below = divide(values, n, pivot, rest);
        if (wanted < below) {
            n = below;
            continue;
        }
        double *other = values;
        values = rest;
        rest = other;
        n -= below;
        wanted -= below;
        if (below > 0) continue;
        size_t more = drop_least(values, n, pivot);
        if (wanted < n - more) return pivot;
        wanted -= n - more;
        n = more;
    }
    return values[0];
}

/* ------------------------------------------------------------------ floats */

/* Keys: the highest bits of integers that are in the order of the floats. */
#define KEYS 4096
#define KEY_SHIFT 20

static inline uint32_t key_of(float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (bits >> 31 ? ~bits : bits | 0x80000000u) >> KEY_SHIFT;
}

/* The k-th smallest of n floats, by Hoare's selection; their order is lost. */
static float select_few(float *a, size_t n, size_t k) {
    size_t low = 0, high = n - 1;
    while (low < high) {
        float pivot = a[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            while (a[i] < pivot) i++;
            while (a[j] > pivot) j--;
            if (i >= j) break;
            float swap = a[i];
            a[i++] = a[j];
            a[j--] = swap;
        }
        size_t end = a[j] > pivot ? j - 1 : j;
        if (k <= end) high = end;
        else low = end + 1;
    }
    return a[k];
}

/* Adds how many floats have each key; in two tables, since the same key often comes again at once. */
static void count_keys(const float *a, size_t n, uint32_t counts[KEYS]) {
    uint32_t own[2][KEYS] = {{0}};
    size_t pairs = n / 2;
    for (size_t i = 0; i < pairs; i++) {
        own[0][key_of(a[2 * i])]++;
        own[1][key_of(a[2 * i + 1])]++;
    }
    if (n % 2) own[0][key_of(a[n - 1])]++;
#pragma omp critical(endo_select)
    for (int key = 0; key < KEYS; key++) counts[key] += own[0][key] + own[1][key];
}

/* Copies the floats with a key; returns how many there are. */
static size_t take_key(const float *a, size_t n, uint32_t key, float *out) {
    size_t there = 0;
    for (size_t i = 0; i < n; i++) {
        out[there] = a[i];
        there += key_of(a[i]) == key;
    }
    return there;
}

/* Fewest floats that a thread is woken for, and parts at most. */
#define MANY 16384
#define PARTS 8

static int parts_of(size_t n, int threads) {
    size_t most = n / MANY < PARTS ? n / MANY : PARTS;
    size_t parts = (size_t)threads < most ? (size_t)threads : most;
    return parts > 1 ? (int)parts : 1;
}

/* Counts the keys, and selects among the floats with the key of the k-th smallest, part by part. */
float endo_select(const float *a, size_t n, size_t k, int threads, float *workspace) {
    uint32_t counts[KEYS] = {0};
    uint32_t key = 0;
    size_t there[PARTS];
    size_t before = 0;
    size_t all = 0;
    int parts = parts_of(n, threads);
    size_t size = (n + (size_t)parts - 1) / (size_t)parts;
#pragma omp parallel for num_threads(parts) schedule(static) if (parts > 1)
    for (int i = 0; i < parts; i++) {
        size_t from = (size_t)i * size;
        count_keys(a + from, n - from < size ? n - from : size, counts);
    }
    while (before + counts[key] <= k) before += counts[key++];
#pragma omp parallel for num_threads(parts) schedule(static) if (parts > 1)
    for (int i = 0; i < parts; i++) {
        size_t from = (size_t)i * size;
        there[i] = take_key(a + from, n - from < size ? n - from : size, key, workspace + from);
    }
    for (int i = 0; i < parts; i++) {
        memmove(workspace + all, workspace + (size_t)i * size, there[i] * sizeof *workspace);
        all += there[i];
    }
    return select_few(workspace, all, k - before);
}
