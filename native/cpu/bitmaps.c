/* Local bitmaps (rules/local_bitmaps.h) on the CPU: made once a frame as rows of bits, and compared 64 pixels at a time. */
#include "derived.h"

#include "base/openmp.h"

#include <string.h>

/* Requests that are worth a thread. */
#define REQUESTS_A_THREAD 16

/* ------------------------------------------------------------------- planes */

static size_t row_words(const endo_bitmap_layout *l) { return ((size_t)l->width + 63) / 64; }

static size_t plane_words(const endo_bitmap_layout *l) { return row_words(l) * (size_t)l->height; }

/* The bitmaps of a slot. Rows without a square are never written: memory of the arena is zeros. A word before those of all slots and one behind them may be read. */
static cpu_bitmap_rows rows_of(const cpu_store *s, const endo_bitmap_layout *l, endo_bitmap_scale scale, int slot) {
    uint64_t *first = s->bitmaps[scale].planes + 1 + 2 * plane_words(l) * (size_t)slot;
    return (cpu_bitmap_rows){first, first + plane_words(l)};
}

/* ------------------------------------------------------------------- making */

/* One thread's memory: the shrunken image, whose rows are whole words of pixels; sums of pixels above each other in a square,
 * and, around each pixel, of the square, with as many behind the last one as squares reach */
typedef struct workspace {
    uint8_t *image;
    uint16_t *columns;
    uint16_t *squares;
} workspace;

static size_t image_bytes(const endo_bitmap_layout *l) {
    return l->factor == 1 ? 0 : 64 * row_words(l) * (size_t)l->height;
}

static size_t workspace_bytes(const endo_bitmap_layout *l) {
    size_t sums = 64 * row_words(l) + 2 * 64;
    return image_bytes(l) + 2 * sums * sizeof(uint16_t);
}

static workspace lay_out(const endo_bitmap_layout *l, uint8_t *memory) {
    size_t sums = 64 * row_words(l) + 2 * 64;
    uint16_t *columns = (uint16_t *)(memory + image_bytes(l));
    return (workspace){memory, columns, columns + sums};
}

/* Means of factor x factor pixels. */
static void shrink(const endo_bitmap_layout *l, const uint8_t *from, ptrdiff_t stride, uint8_t *out) {
    size_t wide = 64 * row_words(l);
    for (int y = 0; y < l->height; y++, out += wide) {
        memset(out + l->width, 0, wide - (size_t)l->width);
        for (int x = 0; x < l->width; x++) {
            const uint8_t *first = from + y * l->factor * stride + (ptrdiff_t)x * l->factor;
            int sum = 0;
            for (int v = 0; v < l->factor; v++)
                for (int u = 0; u < l->factor; u++) sum += first[v * stride + u];
            out[x] = (uint8_t)endo_bitmap_shrunken(l, sum);
        }
    }
}

/* An image at the scale. */
typedef struct scaled {
    const uint8_t *pixels;
    ptrdiff_t stride;
} scaled;

static scaled scale_image(const cpu_store *s, const endo_bitmap_layout *l, const uint8_t *image, const workspace *w) {
    if (l->factor == 1) return (scaled){image, s->stride};
    shrink(l, image, s->stride, w->image);
    return (scaled){w->image, (ptrdiff_t)(64 * row_words(l))};
}

/* Calls `row` with the sums of the squares around the pixels of each row whose squares lie in the image; the first of these
 * pixels is side / 2. */
typedef void (*square_row)(const endo_bitmap_layout *l, const uint8_t *grey, size_t first_word, const workspace *w, void *to);

static void walk_squares(const cpu_bitmaps_loops *loops, const endo_bitmap_layout *l, scaled image, const workspace *w,
                         square_row row, void *to) {
    int half = l->side / 2;
    memset(w->columns, 0, 64 * row_words(l) * sizeof *w->columns);
    for (int y = 0; y < l->height && l->width >= l->side; y++) {
        const uint8_t *enters = image.pixels + y * image.stride;
        int middle = y + 1 - half;
        loops->add(enters, y < l->side ? NULL : enters - l->side * image.stride, l->width, w->columns);
        if (y < l->side - 1) continue;
        loops->sum(w->columns, l->width - l->side + 1, l->side, w->squares + half);
        row(l, image.pixels + middle * image.stride, row_words(l) * (size_t)middle, w, to);
    }
}

/* Where the bits of a frame go, and those of the field. */
typedef struct frame_rows {
    const cpu_bitmaps_loops *loops;
    cpu_bitmap_rows rows;
    const uint64_t *inside;
} frame_rows;

static void flag_row(const endo_bitmap_layout *l, const uint8_t *grey, size_t first_word, const workspace *w, void *to) {
    const frame_rows *f = to;
    uint64_t *seen = f->rows.seen + first_word;
    size_t words = row_words(l);
    f->loops->flag(grey, w->squares, (int)words, l->area_bits, seen, f->rows.white + first_word);
    for (size_t i = 0; i < words; i++) seen[i] &= f->inside[first_word + i];
}

static void make_frame(const cpu_store *s, const endo_bitmap_layout *l, endo_bitmap_scale scale, int slot, const workspace *w) {
    frame_rows f = {s->backend->variant->bitmaps, rows_of(s, l, scale, slot), s->bitmaps[scale].inside};
    walk_squares(f.loops, l, scale_image(s, l, s->frames[slot].plain, w), w, flag_row, &f);
}

/* Pixels whose squares are 255 throughout. */
static void mark_row(const endo_bitmap_layout *l, const uint8_t *field, size_t first_word, const workspace *w, void *to) {
    uint64_t *inside = (uint64_t *)to + first_word;
    int end = l->width - l->side / 2;
    (void)field;
    for (int x = l->side / 2; x <= end; x++)
        inside[x / 64] |= (uint64_t)(w->squares[x] == 255 << l->area_bits) << x % 64;
}

/* Memory for every slot, and the bits of the field. Of the shrunken field, the rounded mean of 4 or 16 pixels, one of them
 * outside, is 239 at most. */
static endo_status begin(cpu_store *s, const endo_bitmap_layout *l, endo_bitmap_scale scale, const workspace *w) {
    cpu_local_bits *b = &s->bitmaps[scale];
    void *memory = NULL;
    size_t words = plane_words(l);
    if (b->planes) return ENDO_OK;
    ENDO_TRY(cpu_arena_add(&s->arena, 2 + words * (2 * (size_t)s->options.capacity + 1), sizeof(uint64_t), &memory));
    b->inside = memory;
    b->planes = b->inside + words;
    walk_squares(s->backend->variant->bitmaps, l, scale_image(s, l, s->field->mask, w), w, mark_row, b->inside);
    return ENDO_OK;
}

static endo_status build(cpu_store *s, endo_bitmap_scale scale, const int32_t *slots, size_t n) {
    endo_bitmap_layout l = endo_bitmap_layout_of(s->options.width, s->options.height, scale);
    int workers = cpu_threads(s->backend, n);
    size_t bytes = workspace_bytes(&l);
    uint8_t *memory = cpu_frame_scratch(s->backend, (size_t)workers, bytes);
    endo_status status = memory ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for local bitmaps");
    if (memory) {
        workspace w = lay_out(&l, memory);
        status = begin(s, &l, scale, &w);
    }
    if (status == ENDO_OK) {
#pragma omp parallel for num_threads(workers) schedule(dynamic, 1)
        for (size_t i = 0; i < n; i++) {
            workspace w = lay_out(&l, memory + bytes * (size_t)omp_get_thread_num());
            make_frame(s, &l, scale, slots[i], &w);
        }
    }
    cpu_frame_scratch_end(s->backend);
    return status;
}

static endo_status build_whole(cpu_store *s, const int32_t *slots, size_t n) { return build(s, ENDO_BITMAP_WHOLE, slots, n); }

static endo_status build_small(cpu_store *s, const int32_t *slots, size_t n) { return build(s, ENDO_BITMAP_SMALL, slots, n); }

const cpu_derivation cpu_local_bitmaps = {.from = CPU_GREY, .build = build_whole};
const cpu_derivation cpu_small_bitmaps = {.from = CPU_GREY, .build = build_small};

/* ---------------------------------------------------------------- comparing */

static cpu_bitmap_columns columns_of(const endo_bitmap_range *r, int dx) {
    cpu_bitmap_columns c;
    c.first = r->left / 64;
    c.last = (r->right - 1) / 64;
    c.left = ~UINT64_C(0) << r->left % 64;
    c.right = ~UINT64_C(0) >> (63 - (r->right - 1) % 64);
    int at = 64 * c.first + dx + 64; /* not negative */
    c.word = at / 64 - 1;
    c.bit = at % 64;
    return c;
}

/* From row `row` on. */
static cpu_bitmap_rows from_row(cpu_bitmap_rows b, const endo_bitmap_layout *l, int row) {
    size_t words = row_words(l) * (size_t)row;
    return (cpu_bitmap_rows){b.seen + words, b.white + words};
}

static endo_bitmap_overlap compare(const cpu_store *s, const endo_bitmap_layout *l, endo_bitmap_scale scale,
                                   const endo_bitmap_request *q) {
    endo_bitmap_overlap o = {0, 0, 0, 0, 0};
    endo_bitmap_range range = endo_bitmap_range_of(l, q->dx, q->dy);
    int rows = endo_bitmap_rows(l, &range);
    if (rows == 0) return o;
    cpu_bitmap_columns c = columns_of(&range, q->dx);
    cpu_bitmap_rows reference = from_row(rows_of(s, l, scale, q->reference), l, range.top + q->dy);
    cpu_bitmap_rows current = from_row(rows_of(s, l, scale, q->current), l, range.top);
    s->backend->variant->bitmaps->compare(reference, current, (ptrdiff_t)row_words(l) * l->step, rows, &c, &o);
    o.pixels = rows * (range.right - range.left);
    return o;
}

endo_status cpu_bitmaps(void *store, const endo_bitmap_request *requests, size_t n, const endo_bitmap_setup *setup,
                        endo_bitmap_overlap *overlaps) {
    cpu_store *s = store;
    endo_bitmap_layout l = endo_bitmap_layout_of(s->options.width, s->options.height, setup->scale);
    cpu_derived kind = setup->scale == ENDO_BITMAP_SMALL ? CPU_SMALL_BITMAPS : CPU_BITMAPS;
    ENDO_TRY(cpu_derive(s, kind, requests, n, sizeof *requests));
#pragma omp parallel for num_threads(cpu_threads(s->backend, n / REQUESTS_A_THREAD)) schedule(dynamic, REQUESTS_A_THREAD)
    for (size_t i = 0; i < n; i++) overlaps[i] = compare(s, &l, setup->scale, &requests[i]);
    return ENDO_OK;
}
