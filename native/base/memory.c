/* Aligned allocation that checks sizes for overflow. */
#include "memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#include <sys/sysinfo.h>
#elif defined(_WIN32)
#include <malloc.h>
#include <windows.h>
#endif

/* Windows needs separate functions for aligned memory. */
#ifdef _WIN32
static void *take(size_t alignment, size_t bytes) { return _aligned_malloc(bytes, alignment); }
static void give_back(void *memory) { _aligned_free(memory); }
#else
static void *take(size_t alignment, size_t bytes) { return aligned_alloc(alignment, bytes); }
static void give_back(void *memory) { free(memory); }
#endif

/* Size of a large page, bytes. Code that goes down an image touches another page in every row: large pages, where the system
 * has them, keep the processor's table of pages from overflowing. */
#define LARGE ((size_t)1 << 21)

static void *alloc_large(size_t bytes) {
    if (bytes > SIZE_MAX - LARGE) return NULL;
    bytes = (bytes + LARGE - 1) & ~(LARGE - 1);
    void *memory = take(LARGE, bytes);
#ifdef MADV_HUGEPAGE
    if (memory) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

void *endo_alloc(size_t n, size_t size) {
    if (size != 0 && n > (SIZE_MAX - 63) / size) return NULL;
    size_t bytes = (n * size + 63) & ~(size_t)63;
    if (bytes >= LARGE) return alloc_large(bytes);
    return take(64, bytes ? bytes : 64);
}

void *endo_alloc_zeroed(size_t n, size_t size) {
    void *memory = endo_alloc(n, size);
    if (memory) memset(memory, 0, n * size);
    return memory;
}

void endo_free(void *memory) { give_back(memory); }

int endo_memory_can_hold(size_t bytes) {
#if defined(__linux__)
    struct sysinfo all;
    if (sysinfo(&all) == 0) return bytes / all.mem_unit <= (size_t)all.totalram + all.totalswap;
#endif
#if defined(_WIN32)
    MEMORYSTATUSEX all = {.dwLength = sizeof all};
    if (GlobalMemoryStatusEx(&all)) return bytes <= all.ullTotalPageFile;
#endif
    (void)bytes;
    return 1;
}
