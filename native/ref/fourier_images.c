/* Levels, values and weights of the images of Fourier registration (rules/fourier_levels.h), as their definition reads. */
#include "ref_fourier.h"

#include <string.h>

void ref_level_free(ref_level *l) {
    endo_free(l->grey);
    endo_free(l->valid);
    l->grey = l->valid = NULL;
}

static endo_status make_empty(int width, int height, ref_level *out) {
    size_t area = (size_t)width * height;
    ref_level made = {width, height, endo_alloc(area, 1), endo_alloc(area, 1)};
    if (made.grey && made.valid) {
        *out = made;
        return ENDO_OK;
    }
    ref_level_free(&made);
    return endo_fail(ENDO_ERR_MEMORY, "no memory for an image of %d x %d", width, height);
}

static void fill_bottom(const ref_store *s, int slot, ref_level *l) {
    const ref_frame *f = &s->frames[slot];
    for (int y = 0; y < l->height; y++)
        for (int x = 0; x < l->width; x++) {
            size_t from = (size_t)y * s->options.width + x, to = (size_t)y * l->width + x;
            l->grey[to] = f->plain[from];
            l->valid[to] = s->field[from] && !f->bright[from];
        }
}

static void halve(const ref_level *in, ref_level *out) {
    for (int y = 0; y < out->height; y++)
        for (int x = 0; x < out->width; x++) {
            size_t a = (size_t)2 * y * in->width + 2 * x, b = a + 1, c = a + in->width, d = c + 1;
            size_t to = (size_t)y * out->width + x;
            out->grey[to] = (uint8_t)endo_fourier_halve(in->grey[a], in->grey[b], in->grey[c], in->grey[d]);
            out->valid[to] = in->valid[a] && in->valid[b] && in->valid[c] && in->valid[d];
        }
}

endo_status ref_level_make(const ref_store *s, int slot, int width, int height, int level, ref_level *out) {
    ref_level below;
    if (level == 0) {
        endo_status status = make_empty(width, height, out);
        if (status == ENDO_OK) fill_bottom(s, slot, out);
        return status;
    }
    endo_status status = ref_level_make(s, slot, width, height, level - 1, &below);
    if (status != ENDO_OK) return status;
    status = make_empty(width >> level, height >> level, out);
    if (status == ENDO_OK) halve(&below, out);
    ref_level_free(&below);
    return status;
}

static int32_t highpass_at(const ref_level *l, int x, int y, int half) {
    int32_t sum = 0, count = 0;
    int across = endo_fourier_reach(x, l->width, half), down = endo_fourier_reach(y, l->height, half);
    for (int v = y - down; v <= y + down; v++)
        for (int u = x - across; u <= x + across; u++) {
            if (!l->valid[(size_t)v * l->width + u]) continue;
            sum += l->grey[(size_t)v * l->width + u];
            count++;
        }
    if (!endo_fourier_has_mean(count, (2 * across + 1) * (2 * down + 1))) return ENDO_FOURIER_INVALID;
    return endo_fourier_highpass(l->grey[(size_t)y * l->width + x], sum, count);
}

static int32_t sobel_at(const ref_level *l, int x, int y) {
    int32_t g[9];
    if (x < 1 || y < 1 || x + 1 >= l->width || y + 1 >= l->height) return ENDO_FOURIER_INVALID;
    for (int i = 0; i < 9; i++) {
        size_t at = (size_t)(y + i / 3 - 1) * l->width + x + i % 3 - 1;
        if (!l->valid[at]) return ENDO_FOURIER_INVALID;
        g[i] = l->grey[at];
    }
    return endo_fourier_sobel(g);
}

void ref_level_source(const ref_level *l, endo_fourier_gradient gradient, int half, int32_t *out) {
    for (int y = 0; y < l->height; y++)
        for (int x = 0; x < l->width; x++) {
            size_t at = (size_t)y * l->width + x;
            out[at] = !l->valid[at]                       ? ENDO_FOURIER_INVALID
                      : gradient == ENDO_GRADIENT_HIGHPASS ? highpass_at(l, x, y, half)
                      : gradient == ENDO_GRADIENT_SOBEL    ? sobel_at(l, x, y)
                                                           : l->grey[at];
        }
}

/* The mean of the valid values of the part; 0 if there are none. */
static double mean_of(const int32_t *source, int stride, const endo_fourier_part *p) {
    int64_t sum = 0, count = 0;
    for (int y = p->top; y < p->top + p->height; y++)
        for (int x = p->left; x < p->left + p->width; x++) {
            int32_t value = source[(size_t)y * stride + x];
            if (value != ENDO_FOURIER_INVALID) sum += value, count++;
        }
    return count ? (double)sum / (double)count : 0;
}

static double weight_at(const endo_fourier_part *p, const endo_fourier_spectrum *s, int x, int y) {
    double weight = endo_fourier_window_at(s->window, x, p->width) * endo_fourier_window_at(s->window, y, p->height);
    if (!s->tapers || s->window == ENDO_WINDOW_NONE) return weight;
    const endo_fourier_taper *f = &s->tapers[p->level];
    return weight * f->weight[(size_t)(y + p->top) * f->width + x + p->left] / 255;
}

endo_status ref_part_make(const ref_store *s, int slot, int width, int height, const endo_fourier_part *part,
                          const endo_fourier_spectrum *spectrum, double *out) {
    ref_level level;
    endo_status status = ref_level_make(s, slot, width, height, part->level, &level);
    if (status != ENDO_OK) return status;
    int32_t *source = endo_alloc((size_t)level.width * level.height, sizeof *source);
    if (source) {
        ref_level_source(&level, spectrum->gradient, ENDO_FOURIER_HALF, source);
        double mean = mean_of(source, level.width, part);
        for (int y = 0; y < part->height; y++)
            for (int x = 0; x < part->width; x++) {
                int32_t value = source[(size_t)(y + part->top) * level.width + x + part->left];
                out[(size_t)y * part->width + x] =
                    value == ENDO_FOURIER_INVALID ? 0 : (value - mean) * weight_at(part, spectrum, x, y);
            }
    } else {
        status = endo_fail(ENDO_ERR_MEMORY, "no memory for an image of %d x %d", level.width, level.height);
    }
    endo_free(source);
    ref_level_free(&level);
    return status;
}

endo_status ref_part_spectrum(const ref_store *s, int slot, int width, int height, const endo_fourier_part *part,
                              const endo_fourier_spectrum *spectrum, ref_complex *out) {
    size_t side = (size_t)spectrum->side;
    double *values = endo_alloc((size_t)part->width * part->height, sizeof *values);
    if (!values) return endo_fail(ENDO_ERR_MEMORY, "no memory for an image of %d x %d", part->width, part->height);
    endo_status status = ref_part_make(s, slot, width, height, part, spectrum, values);
    memset(out, 0, side * side * sizeof *out);
    for (int y = 0; y < part->height && status == ENDO_OK; y++)
        for (int x = 0; x < part->width; x++) out[(size_t)y * side + x].re = values[(size_t)y * part->width + x];
    endo_free(values);
    return status == ENDO_OK ? ref_fft_plane(out, spectrum->side, spectrum->side, -1) : status;
}

int ref_peaks(const double *heights, int columns, int rows, const uint8_t *allowed, int part, endo_fourier_peak *list,
              int n, int most) {
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
            double middle = heights[(size_t)y * columns + x];
            int highest = !allowed || allowed[(size_t)y * columns + x];
            for (int i = 0; i < 9 && highest; i++) {
                int u = (x + i % 3 - 1 + columns) % columns, v = (y + i / 3 - 1 + rows) % rows;
                double other = heights[(size_t)v * columns + u];
                highest = i == 4 || (i < 4 ? middle > other : middle >= other);
            }
            if (!highest) continue;
            const double *row = heights + (size_t)y * columns;
            endo_fourier_peak p = {x, y, part, (float)middle,
                                   {(float)row[(x + columns - 1) % columns], (float)row[(x + 1) % columns],
                                    (float)heights[(size_t)((y + rows - 1) % rows) * columns + x],
                                    (float)heights[(size_t)((y + 1) % rows) * columns + x]}};
            n = endo_fourier_insert(list, n, most, &p);
        }
    return n;
}
