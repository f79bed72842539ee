/* The 5 x 5 measure of [S] section 3.3.1 on a registered pair. */
#include "ref.h"

#define TILES 5

int ref_locate(const endo_fixed_affine *map, int x, int y, int width, int height, ref_sample *out) {
    int64_t px = endo_position8(map->m[0] * x + map->m[1] * y + map->m[2]);
    int64_t py = endo_position8(map->m[3] * x + map->m[4] * y + map->m[5]);
    if (px < 0 || py < 0 || px > (int64_t)(width - 1) * 256 || py > (int64_t)(height - 1) * 256) return 0;
    out->x = (int)(px >> 8), out->fx = (int)(px & 255);
    out->y = (int)(py >> 8), out->fy = (int)(py & 255);
    out->x1 = out->x + 1 < width ? out->x + 1 : out->x;
    out->y1 = out->y + 1 < height ? out->y + 1 : out->y;
    return 1;
}

static int in_field(const ref_store *s, const ref_sample *p) {
    const uint8_t *top = s->field + (size_t)p->y * s->options.width;
    const uint8_t *bottom = s->field + (size_t)p->y1 * s->options.width;
    return top[p->x] && top[p->x1] && bottom[p->x] && bottom[p->x1];
}

int ref_warp_pixel(const ref_store *s, const endo_mapped_pair *mapped, int x, int y, uint8_t *warped) {
    int width = s->options.width, height = s->options.height;
    const uint8_t *grey = s->frames[mapped->pair.current].plain;
    ref_sample p;
    if (!s->field[(size_t)y * width + x] || !ref_locate(&mapped->map, x, y, width, height, &p) || !in_field(s, &p)) return 0;
    const uint8_t *top = grey + (size_t)p.y * width, *bottom = grey + (size_t)p.y1 * width;
    *warped = (uint8_t)endo_bilinear(top[p.x], top[p.x1], bottom[p.x], bottom[p.x1], p.fx, p.fy);
    return 1;
}

/* The current frame in the reference's coordinates; valid where both frames show something. */
static void warp(const ref_store *s, const endo_mapped_pair *mapped, uint8_t *warped, uint8_t *valid) {
    int width = s->options.width, height = s->options.height;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            size_t i = (size_t)y * width + x;
            valid[i] = ref_warp_pixel(s, mapped, x, y, &warped[i]) ? 255 : 0;
        }
}

static double tile_coefficient(const uint8_t *reference, const uint8_t *warped, const uint8_t *valid, int width,
                               int x0, int y0, int x1, int y1) {
    endo_sums s = {0, 0, 0, 0, 0, 0};
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++) {
            size_t i = (size_t)y * width + x;
            if (!valid[i]) continue;
            int64_t a = reference[i], b = warped[i];
            s.n += 1, s.x += a, s.y += b, s.xx += a * a, s.yy += b * b, s.xy += a * b;
        }
    if (2 * s.n < (int64_t)(x1 - x0) * (y1 - y0)) return NAN;
    return endo_coefficient(&s);
}

static double mean_of_tiles(const uint8_t *reference, const uint8_t *warped, const uint8_t *valid, int width,
                            int height) {
    int left = width, top = height, right = -1, bottom = -1;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            if (valid[(size_t)y * width + x]) {
                left = x < left ? x : left, right = x > right ? x : right;
                top = y < top ? y : top, bottom = y;
            }
    int w = right - left + 1, h = bottom - top + 1, count = 0;
    double sum = 0;
    for (int j = 0; right >= 0 && j < TILES; j++)
        for (int i = 0; i < TILES; i++) {
            double c = tile_coefficient(reference, warped, valid, width, left + w * i / TILES, top + h * j / TILES,
                                        left + w * (i + 1) / TILES, top + h * (j + 1) / TILES);
            if (c == c) sum += c, count++;
        }
    return count ? sum / count : NAN;
}

endo_status ref_quality(void *store, const endo_mapped_pair *requests, size_t n, const endo_nothing *nothing,
                        double *quality) {
    (void)nothing;
    const ref_store *s = store;
    size_t area = (size_t)s->options.width * s->options.height;
    uint8_t *warped = endo_alloc(area, 1), *valid = endo_alloc(area, 1);
    if (!warped || !valid) {
        endo_free(warped);
        endo_free(valid);
        return endo_fail(ENDO_ERR_MEMORY, "no memory to warp a frame");
    }
    for (size_t i = 0; i < n; i++) {
        warp(s, &requests[i], warped, valid);
        quality[i] = mean_of_tiles(s->frames[requests[i].pair.reference].plain, warped, valid, s->options.width,
                                   s->options.height);
    }
    endo_free(warped);
    endo_free(valid);
    return ENDO_OK;
}
