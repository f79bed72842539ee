/* Local bitmaps in plain C. */
#include "bitmaps_rows.h"

static void flag(const uint8_t *grey, const uint16_t *squares, int words, int area_bits, uint64_t *seen, uint64_t *white) {
    int half = 1 << (area_bits - 1);
    for (int i = 0; i < words; i++) {
        seen[i] = 0;
        white[i] = 0;
        for (int k = 0; k < 64; k++) {
            int x = 64 * i + k;
            int mean = (squares[x] + half) >> area_bits;
            seen[i] |= (uint64_t)(grey[x] != mean) << k;
            white[i] |= (uint64_t)(grey[x] > mean) << k;
        }
    }
}

const cpu_bitmaps_loops cpu_bitmaps_c = {
    .add = add,
    .sum = sum,
    .flag = flag,
    .compare = compare,
};
