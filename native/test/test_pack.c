/* Every instruction set packs the same bytes, from and to any place, and touches none around them. */
#include "base/pack.h"
#include "base/simd.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

#define MOST 5000
#define AROUND 300

static uint8_t pixels[ENDO_PACK_FROM * MOST + 64];
static uint8_t to[ENDO_PACK_TO * MOST + 64 + AROUND];

/* Packs what lies from from_at on in memory that ends with the last pixel: sanitizers see what is read behind it. */
static int packs(endo_cpu limit, size_t from_at, size_t to_at, size_t n, int away) {
    const size_t end = to_at + ENDO_PACK_TO * n;
    uint8_t *source = malloc(from_at + ENDO_PACK_FROM * n + (n == 0));
    if (!source) return 0;
    memcpy(source, pixels, from_at + ENDO_PACK_FROM * n);
    memset(to, 7, sizeof to);
    endo_pack(limit, to + to_at, source + from_at, n, away);
    free(source);
    for (size_t i = 0; i < n; i++)
        if (memcmp(to + to_at + ENDO_PACK_TO * i, pixels + from_at + ENDO_PACK_FROM * i, ENDO_PACK_TO)) return 0;
    for (size_t i = 0; i < to_at; i++)
        if (to[i] != 7) return 0;
    for (size_t i = end; i < end + AROUND; i++)
        if (to[i] != 7) return 0;
    return 1;
}

static void test_set(endo_cpu limit) {
    int right = 1;
    for (int away = 0; away <= 1; away++) {
        for (size_t to_at = 0; to_at < 64; to_at++)
            for (size_t n = 0; n < 200; n += 1 + to_at % 3) right &= packs(limit, n % 7, to_at, n, away);
        right &= packs(limit, 1, 3, MOST, away) && packs(limit, 0, 0, MOST, away);
    }
    CHECK(right);
}

int main(void) {
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (uint8_t)(i * 2654435761u >> 24);
    for (int limit = ENDO_CPU_BEST; limit <= ENDO_CPU_AVX512; limit++)
        if (endo_simd_runs((endo_cpu)limit)) test_set((endo_cpu)limit);
    return check_summary("test_pack");
}
