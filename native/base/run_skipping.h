/* Skips equal bytes at the ends of a row, eight at a time: around a field of view most bytes are equal. */
#ifndef ENDO_BASE_RUN_SKIPPING_H
#define ENDO_BASE_RUN_SKIPPING_H

#include <stdint.h>
#include <string.h>

static inline int endo_are_eight(const uint8_t *p, uint8_t value) {
    uint64_t eight;
    memcpy(&eight, p, sizeof eight);
    return eight == 0x0101010101010101u * value;
}

/* The first of from .. to - 1 whose byte differs from value; if none does, the larger of from and to. */
static inline int endo_skip_forward(const uint8_t *row, int from, int to, uint8_t value) {
    while (to - from >= 8 && endo_are_eight(row + from, value)) from += 8;
    while (from < to && row[from] == value) from++;
    return from;
}

/* One behind the last of from .. to - 1 whose byte differs from value; if none does, the smaller of from and to. */
static inline int endo_skip_backward(const uint8_t *row, int from, int to, uint8_t value) {
    while (to - from >= 8 && endo_are_eight(row + to - 8, value)) to -= 8;
    while (from < to && row[to - 1] == value) to--;
    return to;
}

#endif
