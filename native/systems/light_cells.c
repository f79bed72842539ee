/* A frame's small picture: integer means of its cells. */
#include "../rules/grey.h"
#include "light.h"

/* Of 8 bits: nothing is known of brighter ones. */
#define CLIPPED 250

typedef struct sums {
    uint32_t channels[LIGHT_CHANNELS], n;
} sums;

/* What lies in a cell, every `step` pixels from half a step on. */
typedef struct span {
    int left, top, right, bottom;
} span;

static span span_of(const light_frame *f, const light_grid *g, size_t cell) {
    int x = (int)(cell % (size_t)g->columns) * g->side, y = (int)(cell / (size_t)g->columns) * g->side;
    int half = g->step / 2, right = x + g->side, bottom = y + g->side;
    span s = {x + half, y + half, right < f->width ? right : f->width, bottom < f->height ? bottom : f->height};
    return s;
}

void light_count_inside(const light_frame *f, const light_grid *g, const uint8_t *field, uint16_t *inside) {
    for (size_t i = 0; i < light_cells(g); i++) {
        span s = span_of(f, g, i);
        for (int y = s.top; y < s.bottom; y += g->step)
            for (int x = s.left; x < s.right; x += g->step) inside[i] += field[(size_t)y * (size_t)f->width + x] & 1;
    }
}

/* Without branches: what counts is all ones or zeros. */
static inline void add_rgb(sums *s, uint32_t rgb, uint32_t inside) {
    uint32_t r = (rgb >> 16) & 255, g = (rgb >> 8) & 255, b = rgb & 255;
    uint32_t dark = (r < CLIPPED) & (g < CLIPPED) & (b < CLIPPED), counts = inside & dark & !endo_is_specular_rgb(rgb);
    uint32_t all = 0 - counts;
    s->channels[0] += r & all, s->channels[1] += g & all, s->channels[2] += b & all, s->n += counts;
}

static inline void add_grey(sums *s, uint32_t grey, uint32_t most, uint32_t inside) {
    uint32_t counts = inside & (grey <= most);
    s->channels[0] += grey & (0 - counts), s->n += counts;
}

/* Rows of a cell: pixels every `step` of them, and the field's. */
static void add_row(sums *s, const light_frame *f, const void *row, const uint8_t *field, const span *at, int step) {
    switch (f->type) {
    case ENDO_RGB32:
        for (int x = at->left; x < at->right; x += step) add_rgb(s, ((const uint32_t *)row)[x], field[x] & 1);
        break;
    case ENDO_GREY16:
        for (int x = at->left; x < at->right; x += step)
            add_grey(s, ((const uint16_t *)row)[x], (uint32_t)f->high, field[x] & 1);
        break;
    case ENDO_GREY8:
        for (int x = at->left; x < at->right; x += step) add_grey(s, ((const uint8_t *)row)[x], CLIPPED - 1, field[x] & 1);
        break;
    }
}

static sums add_cell(const endo_light *light, const span *at, const void *pixels, ptrdiff_t stride) {
    const light_frame *f = &light->frame;
    size_t size = endo_pixel_size(f->type);
    sums s = {{0}, 0};
    for (int y = at->top; y < at->bottom; y += light->grid.step)
        add_row(&s, f, (const uint8_t *)pixels + (size_t)y * (size_t)stride * size, light->field + (size_t)y * (size_t)f->width,
                at, light->grid.step);
    return s;
}

void light_shrink(const endo_light *light, const void *pixels, ptrdiff_t stride, light_cell *cells) {
    const light_grid *g = &light->grid;
    int n = (int)light_cells(g), whole = ((g->side + g->step - 1) / g->step) * ((g->side + g->step - 1) / g->step);
    uint32_t unit = light->frame.type == ENDO_GREY16 ? 1 : 256;
    for (int i = 0; i < n; i++) {
        span at = span_of(&light->frame, g, (size_t)i);
        sums s = add_cell(light, &at, pixels, stride);
        light_cell cell = {{0}, 0};
        /* Without its bright pixels a cell would look darker than it is. */
        if (4 * s.n >= 3u * light->inside[i] && 4 * s.n >= (uint32_t)whole) {
            for (int c = 0; c < LIGHT_CHANNELS; c++) cell.mean[c] = (uint16_t)((s.channels[c] * unit + s.n / 2) / s.n);
            cell.share = (uint16_t)(65535u * s.n / (uint32_t)whole);
        }
        cells[i] = cell;
    }
}
