/* Local bitmaps (rules/local_bitmaps.h) as their definition reads: every pixel against the sum of its square. */
#include "ref.h"

#include "rules/local_bitmaps.h"

/* One frame at a scale. */
typedef struct image {
    const ref_store *store;
    const uint8_t *grey;
    endo_bitmap_layout layout;
} image;

/* The level of a pixel; -1: it does not lie in the image, or not all of it in the field. */
static int level_at(const image *m, int x, int y) {
    const endo_bitmap_layout *l = &m->layout;
    int sum = 0;
    if (x < 0 || y < 0 || x >= l->width || y >= l->height) return -1;
    for (int v = y * l->factor; v < (y + 1) * l->factor; v++)
        for (int u = x * l->factor; u < (x + 1) * l->factor; u++) {
            size_t at = (size_t)v * (size_t)m->store->options.width + (size_t)u;
            if (!m->store->field[at]) return -1;
            sum += m->grey[at];
        }
    return endo_bitmap_shrunken(l, sum);
}

/* 1 white, -1 black, 0 neither. */
static int8_t bit_at(const int16_t *levels, const endo_bitmap_layout *l, int x, int y) {
    int sum = 0;
    for (int v = y - l->side / 2; v < y + l->side / 2; v++)
        for (int u = x - l->side / 2; u < x + l->side / 2; u++) {
            if (u < 0 || v < 0 || u >= l->width || v >= l->height || levels[v * l->width + u] < 0) return 0;
            sum += levels[v * l->width + u];
        }
    int mean = endo_bitmap_mean(l, sum);
    int level = levels[y * l->width + x];
    return (int8_t)((level > mean) - (level < mean));
}

static void make_bits(const ref_store *s, int slot, const endo_bitmap_layout *l, int16_t *levels, int8_t *bits) {
    image m = {s, s->frames[slot].plain, *l};
    for (int i = 0; i < l->width * l->height; i++) levels[i] = (int16_t)level_at(&m, i % l->width, i / l->width);
    for (int i = 0; i < l->width * l->height; i++) bits[i] = bit_at(levels, l, i % l->width, i / l->width);
}

static endo_bitmap_overlap compare(const int8_t *reference, const int8_t *current, const endo_bitmap_layout *l, int dx, int dy) {
    endo_bitmap_overlap o = {0, 0, 0, 0, 0};
    for (int y = 0; y < l->height; y += l->step)
        for (int x = 0; x < l->width; x++) {
            if (x + dx < 0 || x + dx >= l->width || y + dy < 0 || y + dy >= l->height) continue;
            int r = reference[(y + dy) * l->width + x + dx];
            int c = current[y * l->width + x];
            o.pixels++;
            o.reference += r != 0;
            o.current += c != 0;
            o.both += r * c != 0;
            o.excess += r * c;
        }
    return o;
}

endo_status ref_bitmaps(void *store, const endo_bitmap_request *requests, size_t n, const endo_bitmap_setup *setup,
                        endo_bitmap_overlap *overlaps) {
    const ref_store *s = store;
    endo_bitmap_layout l = endo_bitmap_layout_of(s->options.width, s->options.height, setup->scale);
    size_t area = (size_t)l.width * (size_t)l.height;
    int16_t *levels = endo_alloc(area, sizeof *levels);
    int8_t *bits = endo_alloc(2 * area, 1);
    endo_status status = levels && bits ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for local bitmaps");
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        const endo_bitmap_request *q = &requests[i];
        if (i == 0 || q->reference != q[-1].reference) make_bits(s, q->reference, &l, levels, bits);
        if (i == 0 || q->current != q[-1].current) make_bits(s, q->current, &l, levels, bits + area);
        overlaps[i] = compare(bits, bits + area, &l, q->dx, q->dy);
    }
    endo_free(levels);
    endo_free(bits);
    return status;
}
