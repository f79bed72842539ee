/* Memory by the page: zeros, aligned, without cost where it is not touched, and given back whole. */
#include "base/pages.h"
#include "check.h"

#include <stdint.h>
#include <string.h>

#define LARGE ((size_t)1 << 21)

static const size_t SIZES[] = {1, 63, 4096, LARGE - 1, LARGE, LARGE + 1, 3 * LARGE, 5 * LARGE - 7};

enum { N_SIZES = sizeof SIZES / sizeof SIZES[0] };

static int is_zero(const uint8_t *bytes, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (bytes[i]) return 0;
    return 1;
}

/* New pieces are zeros, also where an earlier piece was written to. */
static void test_zeros(void) {
    for (int i = 0; i < N_SIZES; i++)
        for (int pass = 0; pass < 2; pass++) {
            uint8_t *piece = endo_pages_alloc(SIZES[i]);
            CHECK(piece != NULL && (uintptr_t)piece % 64 == 0);
            CHECK(is_zero(piece, SIZES[i]));
            memset(piece, 0xa5, SIZES[i]);
            endo_pages_free(piece, SIZES[i]);
        }
}

static void test_limits(void) {
    CHECK(endo_pages_alloc(SIZE_MAX) == NULL);
    CHECK(endo_pages_alloc(SIZE_MAX - 2 * LARGE) == NULL);
    CHECK(endo_pages_alloc(SIZE_MAX / 2) == NULL);
    endo_pages_free(NULL, 1);
    endo_pages_free(NULL, LARGE);
}

#if defined(__linux__)
#include <unistd.h>

/* Memory of the process, bytes: what it has mapped, and what of that is resident. */
typedef struct usage {
    int64_t mapped, resident;
} usage;

static usage usage_now(void) {
    long long mapped = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL);
    if (file) {
        CHECK(fscanf(file, "%lld %lld", &mapped, &resident) == 2);
        fclose(file);
    }
    int64_t page = sysconf(_SC_PAGESIZE);
    return (usage){mapped * page, resident * page};
}

static void test_large_pages(void) {
    for (int i = 0; i < N_SIZES; i++) {
        if (SIZES[i] < LARGE) continue;
        uint8_t *pieces[3];
        for (int k = 0; k < 3; k++) {
            pieces[k] = endo_pages_alloc(SIZES[i]);
            CHECK(pieces[k] != NULL && (uintptr_t)pieces[k] % LARGE == 0);
        }
        for (int k = 0; k < 3; k++) endo_pages_free(pieces[k], SIZES[i]);
    }
}

/* A gigabyte of which a byte is used. */
static void test_untouched(void) {
    const size_t bytes = (size_t)1 << 30;
    usage before = usage_now();
    uint8_t *piece = endo_pages_alloc(bytes);
    CHECK(piece != NULL);
    if (!piece) return;
    piece[bytes / 2] = 1;
    CHECK(usage_now().resident - before.resident < (int64_t)(4 * LARGE));
    endo_pages_free(piece, bytes);
}

/* Nothing stays of a hundred pieces, neither what was taken to align them nor their last, partly used page. */
static void test_given_back(void) {
    const size_t bytes = 3 * LARGE + 5;
    endo_pages_free(endo_pages_alloc(bytes), bytes);
    usage before = usage_now();
    for (int i = 0; i < 100; i++) endo_pages_free(endo_pages_alloc(bytes), bytes);
    CHECK(usage_now().mapped - before.mapped < (int64_t)LARGE);
    uint8_t *piece = endo_pages_alloc(bytes);
    CHECK(usage_now().mapped - before.mapped <= (int64_t)(4 * LARGE));
    endo_pages_free(piece, bytes);
}
#endif

int main(void) {
    test_zeros();
    test_limits();
#if defined(__linux__)
    test_large_pages();
    test_untouched();
    test_given_back();
#endif
    return check_summary("test_pages");
}
