/* Memory by the page (pages.h): fresh pages of the system are zeros already. */
#include "pages.h"

#include "memory.h"

#include <stdint.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

/* Size of a large page, bytes: memory from this size on is aligned to it. */
#define LARGE ((size_t)1 << 21)

#if defined(__linux__)
static size_t rounded(size_t bytes) { return (bytes + LARGE - 1) & ~(LARGE - 1); }

/* Maps more than is needed, and unmaps what lies before the first large page and behind the last. */
static void *map_large(size_t bytes) {
    if (bytes > SIZE_MAX - 2 * LARGE) return NULL;
    bytes = rounded(bytes);
    uint8_t *all = mmap(NULL, bytes + LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return NULL;
    size_t before = rounded((uintptr_t)all) - (uintptr_t)all;
    if (before) munmap(all, before);
    munmap(all + before + bytes, LARGE - before);
#ifdef MADV_HUGEPAGE
    madvise(all + before, bytes, MADV_HUGEPAGE);
#endif
    return all + before;
}
#endif

void *endo_pages_alloc(size_t bytes) {
#if defined(__linux__)
    if (bytes >= LARGE) return map_large(bytes);
#endif
    return endo_alloc_zeroed(bytes, 1);
}

void endo_pages_free(void *pages, size_t bytes) {
#if defined(__linux__)
    if (bytes >= LARGE) {
        if (pages) munmap(pages, rounded(bytes));
        return;
    }
#endif
    (void)bytes;
    endo_free(pages);
}
