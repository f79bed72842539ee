/* Frames without the distortion of their lens, pixel by pixel as the definition reads (endorama/lens.h). */
#include "ref.h"

#include "rules/lens.h"

static endo_status create(void *backend, const endo_lens_table *table, void **lens) {
    (void)backend;
    *lens = (void *)table;
    return ENDO_OK;
}

static void destroy(void *lens) { (void)lens; }

/* One colour of a pixel, by its first bit. */
static int32_t colour_of(const endo_lens_job *j, size_t i, int bit) {
    switch (j->type) {
    case ENDO_GREY8: return ((const uint8_t *)j->pixels)[i];
    case ENDO_GREY16: return ((const uint16_t *)j->pixels)[i];
    case ENDO_RGB32: break;
    }
    return (int32_t)(((const uint32_t *)j->pixels)[i] >> bit & 255);
}

static int32_t cubic(const endo_lens_table *t, const endo_lens_job *j, endo_lens_position p, int bit) {
    const int16_t *weights = t->weights + endo_lens_weight(p);
    int32_t sum = 0;
    for (int tap = 0; tap < ENDO_LENS_TAPS; tap++) {
        int x = endo_lens_within(endo_lens_first(p.x) + tap % 4, t->width);
        int y = endo_lens_within(endo_lens_first(p.y) + tap / 4, t->height);
        sum += weights[tap] * colour_of(j, (size_t)y * (size_t)j->stride + (size_t)x, bit);
    }
    return endo_lens_value(sum, j->type == ENDO_GREY16 ? 65535 : 255);
}

static uint32_t colours(const endo_lens_table *t, const endo_lens_job *j, endo_lens_position p) {
    uint32_t rgb = ENDO_LENS_BLACK_RGB;
    for (int bit = 0; bit < 24; bit += 8) rgb |= (uint32_t)cubic(t, j, p, bit) << bit;
    return rgb;
}

static endo_status undistort(void *lens, const endo_lens_job *j) {
    const endo_lens_table *t = lens;
    for (int y = 0; y < t->height; y++)
        for (int x = 0; x < t->width; x++) {
            size_t to = (size_t)y * (size_t)j->out_stride + (size_t)x;
            endo_lens_position p;
            int is_shown = endo_lens_find(t, x, y, &p);
            if (j->type == ENDO_RGB32)
                ((uint32_t *)j->out)[to] = is_shown ? colours(t, j, p) : ENDO_LENS_BLACK_RGB;
            else if (j->type == ENDO_GREY16)
                ((uint16_t *)j->out)[to] = is_shown ? (uint16_t)cubic(t, j, p, 0) : 0;
            else
                ((uint8_t *)j->out)[to] = is_shown ? (uint8_t)cubic(t, j, p, 0) : 0;
        }
    return ENDO_OK;
}

const endo_lens_kernels ref_lens = {
    .create = create,
    .destroy = destroy,
    .undistort = undistort,
};
