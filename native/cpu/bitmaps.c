/* Local bitmaps (rules/local_bitmaps.h) on the CPU: made once a frame as rows of bits, and compared 64 pixels at a time. */
#include "derived.h"

#include "base/simd.h"
#include "rules/local_bitmaps.h"

#include <omp.h>
#include <string.h>

/* Requests that are worth a thread. */
#define REQUESTS_A_THREAD 16

/* ------------------------------------------------------------------- planes */

/* Pixel x of a row is bit x % 64 of word x / 64; bits beyond the width are 0. */
static size_t row_words(const endo_bitmap_layout *l) { return ((size_t)l->width + 63) / 64; }

static size_t plane_words(const endo_bitmap_layout *l) { return row_words(l) * (size_t)l->height; }

/* The bitmaps of a frame: `seen` is black or white, `white` is white. A word before the first plane of all and one behind the
 * last may be read. */
typedef struct bitmap {
    uint64_t *seen;
    uint64_t *white;
} bitmap;

static bitmap bitmap_of(const cpu_store *s, const endo_bitmap_layout *l, endo_bitmap_scale scale, int slot) {
    uint64_t *first = s->bitmaps[scale].planes + 1 + 2 * plane_words(l) * (size_t)slot;
    return (bitmap){first, first + plane_words(l)};
}

/* ------------------------------------------------------------------- making */

/* One thread's memory: the image at the scale; sums of pixels above each other in a square, then of squares; flags of a
 * row's pixels, 0 or 1, of the bits `seen` and `white`. */
typedef struct workspace {
    uint8_t *image;
    uint16_t *columns, *squares;
    uint8_t *seen, *white;
} workspace;

static size_t workspace_bytes(const endo_bitmap_layout *l) {
    return (size_t)l->width * (size_t)l->height + 64 + 6 * 64 * row_words(l);
}

static workspace lay_out(const endo_bitmap_layout *l, uint8_t *memory) {
    size_t wide = 64 * row_words(l);
    size_t image = ((size_t)l->width * (size_t)l->height + 63) & ~(size_t)63;
    uint16_t *columns = (uint16_t *)(memory + image);
    uint8_t *flags = (uint8_t *)(columns + 2 * wide);
    return (workspace){memory, columns, columns + wide, flags, flags + wide};
}

ENDO_SIMD_INLINE void add_row(const uint8_t *restrict enters, const uint8_t *restrict leaves, int n, uint16_t *restrict columns) {
    if (!leaves)
        for (int x = 0; x < n; x++) columns[x] = (uint16_t)(columns[x] + enters[x]);
    else
        for (int x = 0; x < n; x++) columns[x] = (uint16_t)(columns[x] + enters[x] - leaves[x]);
}

ENDO_SIMD_LOOP(add_rows, add_row, (const uint8_t *enters, const uint8_t *leaves, int n, uint16_t *columns),
               (enters, leaves, n, columns))

/* Sums of `side` neighbours, from those of 2, 4, 8 ..; as many as fit. */
ENDO_SIMD_INLINE void sum_squares(const uint16_t *restrict columns, int n, int side, uint16_t *restrict squares) {
    for (int x = 0; x < n - 1; x++) squares[x] = (uint16_t)(columns[x] + columns[x + 1]);
    for (int apart = 2; apart < side; apart *= 2)
        for (int x = 0; x < n - 2 * apart + 1; x++) squares[x] = (uint16_t)(squares[x] + squares[x + apart]);
}

ENDO_SIMD_LOOP(sum_rows, sum_squares, (const uint16_t *columns, int n, int side, uint16_t *squares),
               (columns, n, side, squares))

/* endo_bitmap_mean, in 16 bits. */
ENDO_SIMD_INLINE void threshold(const uint8_t *restrict grey, const uint16_t *restrict squares, int n, int area_bits,
                                uint8_t *restrict seen, uint8_t *restrict white) {
    int half = 1 << (area_bits - 1);
    for (int x = 0; x < n; x++) {
        int16_t above = (int16_t)(grey[x] - (uint16_t)((uint16_t)(squares[x] + half) >> area_bits));
        seen[x] = above != 0;
        white[x] = above > 0;
    }
}

ENDO_SIMD_LOOP(threshold_rows, threshold,
               (const uint8_t *grey, const uint16_t *squares, int n, int area_bits, uint8_t *seen, uint8_t *white),
               (grey, squares, n, area_bits, seen, white))

/* Eight flags at a time: the product moves the lowest bit of byte i to bit 56 + i. */
static void pack(const uint8_t *flags, size_t words, uint64_t *bits) {
    for (size_t i = 0; i < words; i++) {
        bits[i] = 0;
        for (int k = 0; k < 8; k++) {
            uint64_t eight;
            memcpy(&eight, flags + 64 * i + 8 * (size_t)k, sizeof eight);
            bits[i] |= (eight * UINT64_C(0x0102040810204080) >> 56) << (8 * k);
        }
    }
}

/* Means of factor x factor pixels. */
static void shrink(const endo_bitmap_layout *l, const uint8_t *from, ptrdiff_t stride, uint8_t *out) {
    for (int y = 0; y < l->height; y++)
        for (int x = 0; x < l->width; x++) {
            const uint8_t *first = from + y * l->factor * stride + (ptrdiff_t)x * l->factor;
            int sum = 0;
            for (int v = 0; v < l->factor; v++)
                for (int u = 0; u < l->factor; u++) sum += first[v * stride + u];
            *out++ = (uint8_t)endo_bitmap_shrunken(l, sum);
        }
}

/* An image at the scale; what is as large as the frame stays where it is. */
typedef struct scaled {
    const uint8_t *pixels;
    ptrdiff_t stride;
} scaled;

static scaled scale_image(const cpu_store *s, const endo_bitmap_layout *l, const uint8_t *image, workspace *w) {
    if (l->factor == 1) return (scaled){image, s->stride};
    shrink(l, image, s->stride, w->image);
    return (scaled){w->image, l->width};
}

/* Flags of the row y of squares. */
typedef void (*flag_row)(const endo_bitmap_layout *l, const uint8_t *grey, endo_cpu set, workspace *w);

/* The squares that lie in the image, from row to row: sets their pixels' bits; others are 0. white: NULL, or bits as well.
 * inside: NULL, or the bits that may be set. */
static void make_rows(const endo_bitmap_layout *l, scaled image, endo_cpu set, flag_row flag, const uint64_t *inside,
                      workspace *w, uint64_t *seen, uint64_t *white) {
    size_t words = row_words(l);
    memset(w->columns, 0, 64 * words * sizeof *w->columns);
    memset(w->seen, 0, 64 * words);
    memset(w->white, 0, 64 * words);
    memset(seen, 0, plane_words(l) * sizeof *seen);
    if (white) memset(white, 0, plane_words(l) * sizeof *white);
    for (int y = 0; y < l->height && l->width >= l->side; y++) {
        const uint8_t *enters = image.pixels + y * image.stride;
        size_t at = (size_t)(y + 1 - l->side / 2) * words;
        add_rows[set](enters, y < l->side ? NULL : enters - l->side * image.stride, l->width, w->columns);
        if (y < l->side - 1) continue;
        sum_rows[set](w->columns, l->width, l->side, w->squares);
        flag(l, image.pixels + (y + 1 - l->side / 2) * image.stride, set, w);
        pack(w->seen, words, seen + at);
        for (size_t i = at; inside && i < at + words; i++) seen[i] &= inside[i];
        if (white) pack(w->white, words, white + at);
    }
}

static void flag_levels(const endo_bitmap_layout *l, const uint8_t *grey, endo_cpu set, workspace *w) {
    int first = l->side / 2;
    threshold_rows[set](grey + first, w->squares, l->width - l->side + 1, l->area_bits, w->seen + first, w->white + first);
}

/* Squares that are 255 throughout. */
static void flag_full(const endo_bitmap_layout *l, const uint8_t *field, endo_cpu set, workspace *w) {
    (void)field;
    (void)set;
    for (int x = 0; x <= l->width - l->side; x++) w->seen[l->side / 2 + x] = w->squares[x] == 255 << l->area_bits;
}

/* The pixels whose squares lie in the field. Of the shrunken field, the rounded mean of 4 or 16 pixels, one of them outside, is
 * 239 at most. */
static void make_inside(cpu_store *s, const endo_bitmap_layout *l, endo_cpu set, uint64_t *inside, workspace *w) {
    make_rows(l, scale_image(s, l, s->field->mask, w), set, flag_full, NULL, w, inside, NULL);
}

/* Memory for every slot, and the field's bits. */
static endo_status begin(cpu_store *s, const endo_bitmap_layout *l, endo_bitmap_scale scale, workspace *w) {
    cpu_local_bits *b = &s->bitmaps[scale];
    void *memory = NULL;
    size_t words = plane_words(l);
    if (b->planes) return ENDO_OK;
    ENDO_TRY(cpu_arena_add(&s->arena, 2 + words * (2 * (size_t)s->options.capacity + 1), sizeof(uint64_t), &memory));
    b->inside = memory;
    b->planes = b->inside + words;
    make_inside(s, l, endo_simd_best(s->backend->variant->cpu), b->inside, w);
    return ENDO_OK;
}

static endo_status build(cpu_store *s, endo_bitmap_scale scale, const int32_t *slots, size_t n) {
    endo_bitmap_layout l = endo_bitmap_layout_of(s->options.width, s->options.height, scale);
    endo_cpu set = endo_simd_best(s->backend->variant->cpu);
    int workers = cpu_threads(s->backend, n);
    size_t bytes = (workspace_bytes(&l) + 63) & ~(size_t)63;
    uint8_t *memory = cpu_frame_scratch(s->backend, (size_t)workers, bytes);
    endo_status status = memory ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for local bitmaps");
    if (memory) {
        workspace w = lay_out(&l, memory);
        status = begin(s, &l, scale, &w);
    }
#pragma omp parallel for num_threads(workers) schedule(dynamic, 1) if (status == ENDO_OK)
    for (size_t i = 0; i < n; i++) {
        if (status != ENDO_OK) continue;
        workspace w = lay_out(&l, memory + bytes * (size_t)omp_get_thread_num());
        bitmap b = bitmap_of(s, &l, scale, slots[i]);
        make_rows(&l, scale_image(s, &l, s->frames[slots[i]].plain, &w), set, flag_levels, s->bitmaps[scale].inside, &w,
                  b.seen, b.white);
    }
    cpu_frame_scratch_end(s->backend);
    return status;
}

static endo_status build_whole(cpu_store *s, const int32_t *slots, size_t n) { return build(s, ENDO_BITMAP_WHOLE, slots, n); }

static endo_status build_small(cpu_store *s, const int32_t *slots, size_t n) { return build(s, ENDO_BITMAP_SMALL, slots, n); }

const cpu_derivation cpu_local_bitmaps = {.from = CPU_GREY, .build = build_whole};
const cpu_derivation cpu_small_bitmaps = {.from = CPU_GREY, .build = build_small};

/* ---------------------------------------------------------------- comparing */

/* The words of a row of the current frame that a shift leaves, and where their pixels lie in the reference. */
typedef struct columns {
    int first, last;         /* words */
    uint64_t left, right;    /* bits of the first and of the last word that take part */
    int word, bit;           /* the first word's first pixel in the reference; word: -1 at least */
} columns;

static columns columns_of(const endo_bitmap_range *r, int dx) {
    columns c;
    c.first = r->left / 64;
    c.last = (r->right - 1) / 64;
    c.left = ~UINT64_C(0) << r->left % 64;
    c.right = ~UINT64_C(0) >> (63 - (r->right - 1) % 64);
    int at = 64 * c.first + dx + 64; /* not negative */
    c.word = at / 64 - 1;
    c.bit = at % 64;
    return c;
}

/* 64 pixels from a bit of a word on. */
ENDO_SIMD_INLINE uint64_t from_bit(const uint64_t *words, int bit) {
    return words[0] >> bit | words[1] << 1 << (63 - bit);
}

ENDO_SIMD_INLINE void compare_row(bitmap reference, bitmap current, const columns *c, endo_bitmap_overlap *o) {
    for (int k = 0; k <= c->last - c->first; k++) {
        uint64_t mask = (k == 0 ? c->left : ~UINT64_C(0)) & (k == c->last - c->first ? c->right : ~UINT64_C(0));
        uint64_t in_reference = from_bit(reference.seen + c->word + k, c->bit) & mask;
        uint64_t in_current = current.seen[c->first + k] & mask;
        uint64_t both = in_reference & in_current;
        uint64_t unlike = (from_bit(reference.white + c->word + k, c->bit) ^ current.white[c->first + k]) & both;
        int in_both = __builtin_popcountll(both);
        o->reference += __builtin_popcountll(in_reference);
        o->current += __builtin_popcountll(in_current);
        o->both += in_both;
        o->excess += in_both - 2 * __builtin_popcountll(unlike);
    }
}

ENDO_SIMD_INLINE void compare_rows(bitmap reference, bitmap current, ptrdiff_t step, int rows, const columns *c,
                                   endo_bitmap_overlap *o) {
    for (int y = 0; y < rows; y++) {
        compare_row(reference, current, c, o);
        reference.seen += step;
        reference.white += step;
        current.seen += step;
        current.white += step;
    }
}

ENDO_SIMD_LOOP(compare_all, compare_rows,
               (bitmap reference, bitmap current, ptrdiff_t step, int rows, const columns *c, endo_bitmap_overlap *o),
               (reference, current, step, rows, c, o))

static endo_bitmap_overlap compare(const cpu_store *s, const endo_bitmap_layout *l, endo_bitmap_scale scale, endo_cpu set,
                                   const endo_bitmap_request *q) {
    endo_bitmap_overlap o = {0, 0, 0, 0, 0};
    endo_bitmap_range range = endo_bitmap_range_of(l, q->dx, q->dy);
    int rows = endo_bitmap_rows(l, &range);
    if (rows == 0) return o;
    columns c = columns_of(&range, q->dx);
    bitmap reference = bitmap_of(s, l, scale, q->reference);
    bitmap current = bitmap_of(s, l, scale, q->current);
    ptrdiff_t words = (ptrdiff_t)row_words(l);
    reference.seen += words * (range.top + q->dy);
    reference.white += words * (range.top + q->dy);
    current.seen += words * range.top;
    current.white += words * range.top;
    compare_all[set](reference, current, words * l->step, rows, &c, &o);
    o.pixels = rows * (range.right - range.left);
    return o;
}

endo_status cpu_bitmaps(void *store, const endo_bitmap_request *requests, size_t n, const endo_bitmap_setup *setup,
                        endo_bitmap_overlap *overlaps) {
    cpu_store *s = store;
    endo_bitmap_layout l = endo_bitmap_layout_of(s->options.width, s->options.height, setup->scale);
    endo_cpu set = endo_simd_best(s->backend->variant->cpu);
    cpu_derived kind = setup->scale == ENDO_BITMAP_SMALL ? CPU_SMALL_BITMAPS : CPU_BITMAPS;
    ENDO_TRY(cpu_derive(s, kind, requests, n, sizeof *requests));
#pragma omp parallel for num_threads(cpu_threads(s->backend, n / REQUESTS_A_THREAD)) schedule(dynamic, REQUESTS_A_THREAD)
    for (size_t i = 0; i < n; i++) overlaps[i] = compare(s, &l, setup->scale, set, &requests[i]);
    return ENDO_OK;
}
