/* Bytes at the ends of a row that are all alike, eight at a time: most of what lies around a field of view is. */
#ifndef ENDO_BASE_RUN_SKIPPING_H
#define ENDO_BASE_RUN_SKIPPING_H

#include <stdint.h>
#include <string.h>

static inline int endo_are_eight(const uint8_t *p, uint8_t value) {
    uint64_t eight;
    memcpy(&eight, p, sizeof eight);
    return eight == 0x0101010101010101u * value;
}

/* The first of from .. to - 1 whose byte is another one; to, or from where that is larger: none. */
static inline int endo_skip_forward(const uint8_t *row, int from, int to, uint8_t value) {
    while (to - from >= 8 && endo_are_eight(row + from, value)) from += 8;
    while (from < to && row[from] == value) from++;
    return from;
}

/* One behind the last of from .. to - 1 whose byte is another one; from, or to where that is smaller: none. */
static inline int endo_skip_backward(const uint8_t *row, int from, int to, uint8_t value) {
    while (to - from >= 8 && endo_are_eight(row + to - 8, value)) to -= 8;
    while (from < to && row[to - 1] == value) to--;
    return to;
}

#endif
