/* Means of shrink x shrink pixels, in integers, some rows at a time. */
#include "blend_shrink.h"

/* Rows of pixels that are blended at a time. */
enum { BAND = 256 };

typedef struct shrinking {
    const endo_blend *blend;
    const endo_blend_view *to;
    endo_blend_view from; /* a band, in pixels that are blended */
} shrinking;

/* Sums over the painted pixels of the blend in one pixel of the view. */
typedef struct sums {
    uint64_t value[3];
    uint32_t n, coverage;
} sums;

static void add_part(const shrinking *s, size_t i, sums *all) {
    if (s->from.coverage[i] > all->coverage) all->coverage = s->from.coverage[i];
    if (!s->from.painted[i]) return;
    all->n++;
    switch (s->blend->setup.type) {
    case ENDO_RGB32:
        for (int c = 0; c < 3; c++) all->value[c] += ((const uint32_t *)s->from.pixels)[i] >> 8 * c & 255;
        break;
    case ENDO_GREY16: all->value[0] += ((const uint16_t *)s->from.pixels)[i]; break;
    case ENDO_GREY8: all->value[0] += ((const uint8_t *)s->from.pixels)[i]; break;
    }
}

/* Sums of the pixel x of a row of the band. */
static sums sum_pixel(const shrinking *s, int x, int row) {
    int k = s->blend->shrink;
    sums all = {{0, 0, 0}, 0, 0};
    for (int v = 0; v < k; v++)
        for (int u = 0; u < k; u++) add_part(s, (size_t)(row * k + v) * (size_t)s->from.width + (size_t)(x * k + u), &all);
    return all;
}

static void write_pixel(const shrinking *s, const sums *all, size_t to) {
    int painted = 2 * all->n >= (uint32_t)(s->blend->shrink * s->blend->shrink);
    uint32_t mean[3] = {0, 0, 0};
    for (int c = 0; c < 3 && painted; c++) mean[c] = (uint32_t)((all->value[c] + all->n / 2) / all->n);
    switch (s->blend->setup.type) {
    case ENDO_RGB32:
        ((uint32_t *)s->to->pixels)[to] = painted ? 0xff000000u | mean[2] << 16 | mean[1] << 8 | mean[0] : 0;
        break;
    case ENDO_GREY16: ((uint16_t *)s->to->pixels)[to] = (uint16_t)mean[0]; break;
    case ENDO_GREY8: ((uint8_t *)s->to->pixels)[to] = (uint8_t)mean[0]; break;
    }
    if (s->to->painted) s->to->painted[to] = painted ? 255 : 0;
    if (s->to->coverage) s->to->coverage[to] = (uint16_t)all->coverage;
}

/* Shrinks a band of rows from `first` of the view on. */
static endo_status shrink_rows(const shrinking *s, int first) {
    int rows = s->from.height / s->blend->shrink;
    ENDO_TRY(s->blend->context->kernels->blend->finish(s->blend->blend, &s->from));
#pragma omp parallel for num_threads(s->blend->context->threads) schedule(static)
    for (int row = 0; row < rows; row++)
        for (int x = 0; x < s->to->width; x++) {
            sums all = sum_pixel(s, x, row);
            write_pixel(s, &all, (size_t)(first + row) * (size_t)s->to->width + (size_t)x);
        }
    return ENDO_OK;
}

static int take_memory(shrinking *s, int rows) {
    size_t area = (size_t)s->from.width * (size_t)(rows * s->blend->shrink);
    s->from.pixels = endo_alloc(area, endo_pixel_size(s->blend->setup.type));
    s->from.painted = endo_alloc(area, 1);
    s->from.coverage = endo_alloc(area, sizeof *s->from.coverage);
    return s->from.pixels && s->from.painted && s->from.coverage;
}

endo_status endo_blend_shrink(const endo_blend *blend, const endo_blend_view *view) {
    int k = blend->shrink, most = BAND / k;
    shrinking s = {.blend = blend, .to = view, .from = {.x = view->x * k, .width = view->width * k}};
    endo_status status = ENDO_OK;
    if (!take_memory(&s, view->height < most ? view->height : most))
        status = endo_fail(ENDO_ERR_MEMORY, "no memory to read %d x %d of a blend", view->width, view->height);
    for (int first = 0; first < view->height && status == ENDO_OK; first += most) {
        int rows = view->height - first < most ? view->height - first : most;
        s.from.y = (view->y + first) * k;
        s.from.height = rows * k;
        status = shrink_rows(&s, first);
    }
    endo_free(s.from.pixels);
    endo_free(s.from.painted);
    endo_free(s.from.coverage);
    return status;
}
