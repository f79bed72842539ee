/* The values of a level that are compared: high-passed ones, and parts of the image with their weights. */
#include "fourier.h"

#include "base/openmp.h"

#include <string.h>

/* --------------------------------------------------------------- high-pass */

/* Running sums of one thread: of the square's rows by column, and of those from the left. */
typedef struct sums {
    int32_t *values, *counts;             /* by column */
    int32_t *values_before, *counts_before; /* all columns left of x: width + 1 */
} sums;

static void add_row(const cpu_fourier_loops *loops, const cpu_fourier_level *l, int y, int sign, sums *s) {
    loops->add_row(l->grey + y * l->stride, l->valid ? l->valid + y * l->stride : NULL, sign, l->width, s->values, s->counts);
}

static void sum_up(int width, sums *s) {
    int32_t value = 0, count = 0;
    for (int x = 0; x < width; x++) {
        s->values_before[x] = value, s->counts_before[x] = count;
        value += s->values[x], count += s->counts[x];
    }
    s->values_before[width] = value, s->counts_before[width] = count;
}

/* The row y where not all pixels are valid, whose rectangles are of 2 * down + 1 rows; near the left and right border they are
 * narrower. */
static void write_row(const cpu_fourier_loops *loops, const cpu_fourier_level *l, int half, int y, int down, const sums *s,
                      int16_t *out) {
    const uint8_t *grey = l->grey + y * l->stride, *valid = l->valid + y * l->stride;
    int width = l->width, rows = 2 * down + 1, left = half < width - half ? half : width, right = width - half;
    if (right < left) right = left;
    for (int x = 0; x < width; x += x == left - 1 && right > left ? right - left + 1 : 1) {
        int reach = endo_fourier_reach(x, width, half);
        loops->highpass(grey, s->values_before, s->counts_before, reach, (2 * reach + 1) * rows, x, x + 1, out);
    }
    loops->highpass(grey, s->values_before, s->counts_before, half, (2 * half + 1) * rows, left, right, out);
    for (int x = 0; x < width; x++) out[x] = valid[x] ? out[x] : ENDO_FOURIER_INVALID;
}

/* The n pixels that lie next to a border, from it on, whose rectangles are narrower; step: 1 from the left one, -1 from the
 * right one. All are at the place of the border's pixel. */
static void write_near(const uint8_t *grey, const int32_t *values, int rows, int n, int step, int16_t *out) {
    int32_t sum = 0;
    for (int x = 0; x < n; x++) {
        int area = (2 * x + 1) * rows;
        sum += values[2 * x * step] + (x ? values[(2 * x - 1) * step] : 0);
        out[x * step] = (int16_t)endo_fourier_highpass_by(grey[x * step], sum, area, 1.0f / (float)(2 * area));
    }
}

/* The row y where all pixels are valid. */
static void write_whole_row(const cpu_fourier_loops *loops, const cpu_fourier_level *l, int half, int y, int down,
                            const sums *s, int16_t *out) {
    const uint8_t *grey = l->grey + y * l->stride;
    int width = l->width, last = width - 1, rows = 2 * down + 1, side = 2 * half + 1, inner = width - 2 * half;
    int narrow = inner > 0 ? half : (width + 1) / 2;
    int32_t *window = s->counts_before;
    write_near(grey, s->values, rows, narrow, 1, out);
    write_near(grey + last, s->values + last, rows, narrow, -1, out + last);
    if (inner <= 0) return;
    loops->window_sums(s->values, side, inner, s->values_before, window);
    loops->highpass_whole(grey + half, window, side * rows, inner, out + half);
}

static void highpass(const cpu_fourier_loops *loops, const cpu_fourier_level *l, int half, int16_t *out, int32_t *memory) {
    sums s = {memory, memory + l->width, memory + 2 * l->width, memory + 3 * l->width + 1};
    int top = 0, bottom = 0; /* rows top .. bottom - 1 are in the sums */
    memset(memory, 0, (size_t)l->width * 2 * sizeof *memory);
    for (int y = 0; y < l->height; y++) {
        int down = endo_fourier_reach(y, l->height, half);
        int16_t *row = out + y * l->stride;
        while (bottom <= y + down) add_row(loops, l, bottom++, 1, &s);
        while (top < y - down) add_row(loops, l, top++, -1, &s);
        if (l->valid) {
            sum_up(l->width, &s);
            write_row(loops, l, half, y, down, &s, row);
        } else {
            write_whole_row(loops, l, half, y, down, &s, row);
        }
    }
}

/* Gives memory to those that lack; lists them. *failed: there is none for the last. */
static size_t list_missing(cpu_store *s, const cpu_fourier_wanted *wanted, size_t n, cpu_fourier_wanted *missing,
                           int *failed) {
    size_t count = 0;
    for (size_t i = 0; i < n && !*failed; i++) {
        cpu_fourier_level *l = &s->fourier[wanted[i].slot].levels[wanted[i].level];
        int16_t **values = &l->highpass[wanted[i].half];
        if (l->highpassed >> wanted[i].half & 1) continue;
        if (!*values) *values = endo_alloc((size_t)l->stride * l->height, sizeof **values);
        l->highpassed |= 1u << wanted[i].half;
        *failed = !*values;
        missing[count++] = wanted[i];
    }
    return count;
}

endo_status cpu_fourier_highpass(cpu_store *s, const cpu_fourier_wanted *wanted, size_t n) {
    const cpu_fourier_loops *loops = s->backend->variant->fourier;
    cpu_fourier_wanted *missing = endo_alloc(n, sizeof *missing);
    int failed = !missing;
    size_t count = missing ? list_missing(s, wanted, n, missing, &failed) : 0;
    int useless = failed;
#pragma omp parallel for num_threads(cpu_threads(s->backend, count)) schedule(dynamic, 1) reduction(| : failed)
    for (size_t i = 0; i < count; i++) {
        const cpu_fourier_level *l = &s->fourier[missing[i].slot].levels[missing[i].level];
        int32_t *memory = useless ? NULL : endo_alloc(4 * (size_t)l->width + 2, sizeof *memory);
        if (memory) highpass(loops, l, missing[i].half, l->highpass[missing[i].half], memory);
        failed |= !memory;
        endo_free(memory);
    }
    for (size_t i = 0; i < count && failed; i++) {
        s->fourier[missing[i].slot].levels[missing[i].level].highpassed &= ~(1u << missing[i].half);
    }
    endo_free(missing);
    return failed ? endo_fail(ENDO_ERR_MEMORY, "no memory for the images of a pair") : ENDO_OK;
}

/* ------------------------------------------------------------------- parts */

size_t cpu_fourier_scratch(int width, int height) {
    return (size_t)width * (size_t)height * sizeof(int16_t) + ((size_t)width + 64) * sizeof(float);
}

/* Rows of an image that all have the pixels to their left and right. */
static void sobel_row(const cpu_fourier_loops *loops, const cpu_fourier_level *l, int y, int left, int width, int16_t *out) {
    const uint8_t *b = l->grey + y * l->stride + left, *a = b - l->stride, *c = b + l->stride;
    int from = left == 0, to = left + width == l->width ? width - 1 : width;
    for (int x = 0; x < width; x++) out[x] = ENDO_FOURIER_INVALID;
    if (y == 0 || y == l->height - 1) return;
    if (to > from) loops->sobel(a + from, b + from, c + from, to - from, out + from);
    if (!l->valid) return;
    const uint8_t *v = l->valid + y * l->stride + left, *u = v - l->stride, *w = v + l->stride;
    for (int x = from; x < to; x++) {
        int all = u[x - 1] & u[x] & u[x + 1] & v[x - 1] & v[x] & v[x + 1] & w[x - 1] & w[x] & w[x + 1];
        out[x] = all ? out[x] : ENDO_FOURIER_INVALID;
    }
}

static void value_row(const cpu_fourier_loops *loops, const cpu_fourier_level *l, endo_fourier_gradient gradient, int y,
                      int left, int width, int16_t *out) {
    if (gradient == ENDO_GRADIENT_HIGHPASS) {
        memcpy(out, l->highpass[ENDO_FOURIER_HALF] + y * l->stride + left, (size_t)width * sizeof *out);
    } else if (gradient == ENDO_GRADIENT_SOBEL) {
        sobel_row(loops, l, y, left, width, out);
    } else {
        const uint8_t *grey = l->grey + y * l->stride + left, *valid = l->valid ? l->valid + y * l->stride + left : NULL;
        for (int x = 0; x < width; x++) out[x] = valid && !valid[x] ? ENDO_FOURIER_INVALID : grey[x];
    }
}

void cpu_fourier_part(const cpu_fourier_loops *loops, const cpu_fourier_frame *f, const endo_fourier_part *p,
                      const endo_fourier_spectrum *s, void *scratch, float *out, ptrdiff_t stride) {
    const cpu_fourier_level *l = &f->levels[p->level];
    float *across = scratch;
    int16_t *values = (int16_t *)(across + p->width);
    int64_t sum = 0, count = 0;
    for (int y = 0; y < p->height; y++) {
        int16_t *row = values + (size_t)y * p->width;
        int32_t row_sum = 0, row_count = 0;
        value_row(loops, l, s->gradient, y + p->top, p->left, p->width, row);
        for (int x = 0; x < p->width; x++) {
            int is = row[x] != ENDO_FOURIER_INVALID;
            row_sum += is ? row[x] : 0, row_count += is;
        }
        sum += row_sum, count += row_count;
    }
    float mean = count ? (float)((double)sum / (double)count) : 0;
    for (int x = 0; x < p->width; x++) across[x] = (float)endo_fourier_window_at(s->window, x, p->width);
    for (int y = 0; y < p->height; y++) {
        const int16_t *row = values + (size_t)y * p->width;
        float *to = out + y * stride, down = (float)endo_fourier_window_at(s->window, y, p->height);
        loops->weigh(row, across, down, mean, p->width, to);
        if (!s->tapers || s->window == ENDO_WINDOW_NONE) continue;
        const endo_fourier_taper *taper = &s->tapers[p->level];
        const uint8_t *weight = taper->weight + (size_t)(y + p->top) * taper->width + p->left;
        for (int x = 0; x < p->width; x++) to[x] *= weight[x] * (1 / 255.0f);
    }
}

/* ------------------------------------------------------------------- peaks */

static int is_highest(const float *h, ptrdiff_t stride, int columns, int rows, int x, int y) {
    float middle = h[y * stride + x];
    for (int i = 0; i < 9; i++) {
        int u = (x + i % 3 - 1 + columns) % columns, v = (y + i / 3 - 1 + rows) % rows;
        float other = h[v * stride + u];
        if (i < 4 ? other >= middle : i > 4 && other > middle) return 0;
    }
    return 1;
}

int cpu_fourier_peaks(const cpu_fourier_loops *loops, const float *h, ptrdiff_t stride, int columns, int rows,
                      const uint8_t *skip, int part, endo_fourier_peak *list, int n, int most) {
    for (int y = 0; y < rows; y++) {
        const float *row = h + y * stride, *above = h + (y + rows - 1) % rows * stride, *below = h + (y + 1) % rows * stride;
        /* Most rows, and most places, are lower than the last of the list, and need no look at their neighbours. */
        if (n == most && !(loops->largest(row, columns) > list[most - 1].height)) continue;
        for (int x = 0; x < columns; x++) {
            if (n == most && !(row[x] > list[most - 1].height)) continue;
            if ((skip && skip[(size_t)y * columns + x]) || !is_highest(h, stride, columns, rows, x, y)) continue;
            endo_fourier_peak p = {x, y, part, row[x],
                                   {row[(x + columns - 1) % columns], row[(x + 1) % columns], above[x], below[x]}};
            n = endo_fourier_insert(list, n, most, &p);
        }
    }
    return n;
}
