/* Whether two frames show the same, tile by tile (rules/agreement.h). */
#include "ref.h"

#include "rules/agreement.h"

/* A tile of the reference; right and bottom exclusive. */
typedef struct tile {
    int left, top, right, bottom;
} tile;

static endo_tile_sums sums_of(const ref_store *s, const endo_mapped_pair *mapped, const tile *t) {
    const uint8_t *reference = s->frames[mapped->pair.reference].plain;
    endo_tile_sums sums = {0, 0, 0, 0, 0, 0};
    for (int y = t->top; y < t->bottom; y += ENDO_AGREEMENT_STEP)
        for (int x = t->left; x < t->right; x++) {
            uint8_t b;
            if (!ref_warp_pixel(s, mapped, x, y, &b)) continue;
            int32_t a = reference[(size_t)y * s->options.width + x];
            sums.n += 1, sums.x += a, sums.y += b, sums.xx += a * a, sums.yy += b * b, sums.xy += a * b;
        }
    return sums;
}

/* How much the rows of a frame differ in a tile of its pixels, whatever they show. */
static endo_comb_sums combs_of(const ref_store *s, int slot, const tile *t) {
    size_t width = s->options.width;
    endo_comb_sums sums = {0, 0, 0};
    for (int y = t->top; y < t->bottom && y < s->options.height - 2; y += ENDO_AGREEMENT_STEP)
        for (int x = t->left; x < t->right; x++) {
            const uint8_t *p = s->frames[slot].plain + (size_t)y * width + x;
            if (y < 2 || !s->field[(size_t)y * width + x]) continue;
            int32_t one = endo_comb_step(*p, *(p - width), p[width]);
            int32_t two = endo_comb_step(*p, *(p - 2 * width), p[2 * width]);
            sums.n += 1, sums.one += one * one, sums.two += two * two;
        }
    return sums;
}

static int differs(const ref_store *s, const endo_mapped_pair *mapped, const tile *t, const endo_tile_sums *sums) {
    endo_comb_sums reference = combs_of(s, mapped->pair.reference, t);
    endo_comb_sums current = combs_of(s, mapped->pair.current, t);
    return endo_tile_differs(sums, endo_common_noise(&reference, &current)) ||
           endo_is_combed(&reference) != endo_is_combed(&current);
}

endo_status ref_agreement(void *store, const endo_mapped_pair *requests, size_t n, const endo_nothing *nothing,
                          endo_agreement *agreement) {
    (void)nothing;
    const ref_store *s = store;
    int side = ENDO_AGREEMENT_TILE, width = s->options.width, height = s->options.height;
    for (size_t i = 0; i < n; i++) {
        endo_agreement found = {0, 0};
        for (int y = 0; y < height; y += side)
            for (int x = 0; x < width; x += side) {
                tile t = {x, y, x + side < width ? x + side : width, y + side < height ? y + side : height};
                endo_tile_sums sums = sums_of(s, &requests[i], &t);
                if (sums.n < ENDO_AGREEMENT_LEAST) continue;
                found.tiles++;
                found.differing += differs(s, &requests[i], &t, &sums);
            }
        agreement[i] = found;
    }
    return ENDO_OK;
}
