/* Alignment on the intensities (rules/fourier_align.h): every pixel of a level, one after the other. */
#include "ref_fourier.h"

#include "rules/fourier_align.h"

typedef struct images {
    ref_level reference, current;
    int32_t *r, *c; /* high-passed */
} images;

static void images_free(images *m) {
    ref_level_free(&m->reference);
    ref_level_free(&m->current);
    endo_free(m->r);
    endo_free(m->c);
}

static endo_status images_make(const ref_store *s, const endo_align_request *request, int reference_level,
                               int current_level, images *out) {
    const endo_fourier_images *q = &request->images;
    images m = {.r = NULL};
    endo_status status =
        ref_level_make(s, q->reference, q->reference_width, q->reference_height, reference_level, &m.reference);
    if (status == ENDO_OK)
        status = ref_level_make(s, q->current, q->current_width, q->current_height, current_level, &m.current);
    if (status == ENDO_OK) {
        m.r = endo_alloc((size_t)m.reference.width * m.reference.height, sizeof *m.r);
        m.c = endo_alloc((size_t)m.current.width * m.current.height, sizeof *m.c);
        if (!m.r || !m.c) status = endo_fail(ENDO_ERR_MEMORY, "no memory for images to align");
    }
    if (status == ENDO_OK) {
        ref_level_source(&m.reference, ENDO_GRADIENT_HIGHPASS, ENDO_FOURIER_HALF, m.r);
        ref_level_source(&m.current, ENDO_GRADIENT_HIGHPASS, request->half, m.c);
        *out = m;
    } else {
        images_free(&m);
    }
    return status;
}

/* 0 where one of the four pixels around is missing, whatever its weight. */
static int sample(const images *m, const endo_fixed_affine *map, int x, int y, int32_t *value) {
    int width = m->current.width, height = m->current.height;
    int64_t px = endo_position8(map->m[0] * x + map->m[1] * y + map->m[2]);
    int64_t py = endo_position8(map->m[3] * x + map->m[4] * y + map->m[5]);
    if (px < 0 || py < 0 || px >> 8 >= width - 1 || py >> 8 >= height - 1) return 0;
    const int32_t *top = m->c + (py >> 8) * width + (px >> 8), *bottom = top + width;
    if (top[0] == ENDO_FOURIER_INVALID || top[1] == ENDO_FOURIER_INVALID || bottom[0] == ENDO_FOURIER_INVALID ||
        bottom[1] == ENDO_FOURIER_INVALID)
        return 0;
    *value = endo_bilinear(top[0], top[1], bottom[0], bottom[1], (int32_t)(px & 255), (int32_t)(py & 255));
    return 1;
}

static endo_align_sums add_up(const images *m, const endo_fixed_affine *map) {
    endo_align_sums s = {0, {0}, {0}};
    int width = m->reference.width, height = m->reference.height, side = width > height ? width : height;
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            const int32_t *p = m->r + (size_t)y * width + x;
            int32_t current, numbers[ENDO_ALIGN_NUMBERS];
            if (p[0] == ENDO_FOURIER_INVALID || p[-1] == ENDO_FOURIER_INVALID || p[1] == ENDO_FOURIER_INVALID ||
                p[-width] == ENDO_FOURIER_INVALID || p[width] == ENDO_FOURIER_INVALID || !sample(m, map, x, y, &current))
                continue;
            endo_align_numbers(p[1] - p[-1], p[width] - p[-width], endo_align_coordinate(x, width, side),
                               endo_align_coordinate(y, height, side), p[0], current, numbers);
            endo_align_add(&s, numbers);
        }
    return s;
}

static endo_status align(const ref_store *s, const endo_align_request *q, endo_transform_class model,
                         endo_align_result *out) {
    endo_align_search search;
    images m;
    int made_for = -1;
    endo_status status = ENDO_OK;
    endo_fixed_affine map;
    for (endo_align_begin(&search, q, model); status == ENDO_OK && endo_align_asks(&search, &map);) {
        if (made_for != search.reference_level) {
            if (made_for >= 0) images_free(&m);
            made_for = -1;
            status = images_make(s, q, search.reference_level, search.current_level, &m);
            if (status != ENDO_OK) break;
            made_for = search.reference_level;
        }
        endo_align_sums sums = add_up(&m, &map);
        endo_align_take(&search, &sums);
    }
    if (made_for >= 0) images_free(&m);
    if (status == ENDO_OK) *out = search.result;
    return status;
}

endo_status ref_align(void *store, const endo_align_request *requests, size_t n, const endo_align_setup *setup,
                      endo_align_result *results) {
    endo_status status = ENDO_OK;
    for (size_t i = 0; i < n && status == ENDO_OK; i++) status = align(store, &requests[i], setup->model, &results[i]);
    return status;
}
