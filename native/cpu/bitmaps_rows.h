/* Loops of local bitmaps that each instruction set compiles for itself. */
#ifndef ENDO_CPU_BITMAPS_ROWS_H
#define ENDO_CPU_BITMAPS_ROWS_H

#include "bitmaps_loops.h"

static void add(const uint8_t *restrict enters, const uint8_t *restrict leaves, int n, uint16_t *restrict columns) {
    if (!leaves)
        for (int x = 0; x < n; x++) columns[x] = (uint16_t)(columns[x] + enters[x]);
    else
        for (int x = 0; x < n; x++) columns[x] = (uint16_t)(columns[x] + enters[x] - leaves[x]);
}

/* Sums of 2 neighbours, then of 4, 8 .. of them. */
static void sum(const uint16_t *restrict columns, int n, int side, uint16_t *restrict squares) {
    int more = n + side - 2;
    for (int x = 0; x < more; x++) squares[x] = (uint16_t)(columns[x] + columns[x + 1]);
    for (int apart = 2; apart < side; apart *= 2) {
        more -= apart;
        for (int x = 0; x < more; x++) squares[x] = (uint16_t)(squares[x] + squares[x + apart]);
    }
}

/* 64 pixels from a bit of a word on. */
static inline uint64_t from_bit(const uint64_t *words, int bit) { return words[0] >> bit | words[1] << 1 << (63 - bit); }

static inline void compare_row(cpu_bitmap_rows reference, cpu_bitmap_rows current, const cpu_bitmap_columns *c,
                               endo_bitmap_overlap *o) {
    int last = c->last - c->first;
    for (int k = 0; k <= last; k++) {
        uint64_t mask = (k == 0 ? c->left : ~UINT64_C(0)) & (k == last ? c->right : ~UINT64_C(0));
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

static void compare(cpu_bitmap_rows reference, cpu_bitmap_rows current, ptrdiff_t step, int rows, const cpu_bitmap_columns *c,
                    endo_bitmap_overlap *o) {
    for (int y = 0; y < rows; y++) {
        compare_row(reference, current, c, o);
        reference.seen += step;
        reference.white += step;
        current.seen += step;
        current.white += step;
    }
}

#endif
