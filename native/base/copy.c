/* Copies by shares of rows, and copies past the caches (copy.h). */
#include "copy.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Bytes that a worker of the pool copies at once: many, so that asking for more costs little; few, so that all end together. */
#define SHARE ((size_t)256 << 10)

typedef struct copy {
    uint8_t *to;
    const uint8_t *from;
    size_t to_pitch, from_pitch, row;
    int height; /* rows of the image */
    int rows;   /* rows of a share */
} copy;

static void copy_share(void *job, size_t share, int worker) {
    const copy *c = job;
    int first = (int)share * c->rows, end = c->height - first > c->rows ? first + c->rows : c->height;
    (void)worker;
    for (int y = first; y < end; y++)
        memcpy(c->to + (size_t)y * c->to_pitch, c->from + (size_t)y * c->from_pitch, c->row);
}

void endo_copy_rows(endo_thread_pool *pool, uint8_t *to, size_t to_pitch, const uint8_t *from, size_t from_pitch, size_t row,
                    int height) {
    int rows = row < SHARE ? (int)(SHARE / (row ? row : 1)) : 1;
    copy c = {to, from, to_pitch, from_pitch, row, height, rows < height ? rows : height};
    if (height > 0) endo_thread_pool_run(pool, (size_t)((height + c.rows - 1) / c.rows), copy_share, &c);
}

#ifdef __SSE2__
#define LINE ((size_t)64)

/* Copies whole cache lines: the processor combines the four 16-byte stores of each. */
static void stream_lines(uint8_t *to, const uint8_t *from, size_t lines) {
    for (size_t i = 0; i < lines * LINE; i += LINE)
        for (size_t k = i; k < i + LINE; k += sizeof(__m128i))
            _mm_stream_si128((__m128i *)(to + k), _mm_loadu_si128((const __m128i *)(from + k)));
    _mm_sfence();
}

void endo_copy_away(void *to, const void *from, size_t n) {
    size_t before = (LINE - (uintptr_t)to % LINE) % LINE;
    if (before > n) before = n;
    size_t whole = (n - before) / LINE * LINE;
    memcpy(to, from, before);
    stream_lines((uint8_t *)to + before, (const uint8_t *)from + before, whole / LINE);
    memcpy((uint8_t *)to + before + whole, (const uint8_t *)from + before + whole, n - before - whole);
}
#else
void endo_copy_away(void *to, const void *from, size_t n) { memcpy(to, from, n); }
#endif
