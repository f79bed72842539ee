/* Bytes at the ends of rows that are all alike: against a look at each of them. */
#include "base/run_skipping.h"

#include "check.h"
#include "scene.h"

enum { MOST = 70 };

static int plain_forward(const uint8_t *row, int from, int to, uint8_t value) {
    while (from < to && row[from] == value) from++;
    return from;
}

static int plain_backward(const uint8_t *row, int from, int to, uint8_t value) {
    while (from < to && row[to - 1] == value) to--;
    return to;
}

int main(void) {
    test_random r = {12};
    for (int i = 0; i < 20000; i++) {
        uint8_t row[MOST], value = (uint8_t)(i % 2 ? 255 : test_between(&r, 0, 255));
        int from = test_between(&r, 0, MOST), to = test_between(&r, 0, MOST), others = i % 4;
        for (int k = 0; k < MOST; k++) row[k] = value;
        /* Bytes that differ from `value` by one bit, at places that may be the ends. */
        for (int k = 0; k < others; k++) row[test_between(&r, 0, MOST - 1)] = (uint8_t)(value ^ 1 << test_between(&r, 0, 7));
        CHECK(endo_skip_forward(row, from, to, value) == plain_forward(row, from, to, value));
        CHECK(endo_skip_backward(row, from, to, value) == plain_backward(row, from, to, value));
    }
    return check_summary("test_run_skipping");
}
