/* Thread-local message of the last failure, and aligned allocation. */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif
#include <string.h>

static _Thread_local char last_error[256];

const char *endo_last_error(void) { return last_error; }

endo_status endo_fail(endo_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    return status;
}

const char *endo_version(void) { return ENDO_VERSION; }
int endo_abi(void) { return ENDO_ABI; }

size_t endo_pixel_size(endo_pixel type) {
    switch (type) {
    case ENDO_GREY8: return 1;
    case ENDO_GREY16: return 2;
    case ENDO_RGB32: return 4;
    }
    return 0;
}

/* Images are walked by columns of rows, where every row is on another page: large pages, if the system has them, keep
 * the processor's table of pages from running over. */
#define LARGE ((size_t)1 << 21)

static void *alloc_large(size_t bytes) {
    if (bytes > SIZE_MAX - LARGE) return NULL;
    bytes = (bytes + LARGE - 1) & ~(LARGE - 1);
    void *memory = aligned_alloc(LARGE, bytes);
#ifdef MADV_HUGEPAGE
    if (memory) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

void *endo_alloc(size_t n, size_t size) {
    if (size != 0 && n > (SIZE_MAX - 63) / size) return NULL;
    size_t bytes = (n * size + 63) & ~(size_t)63;
    if (bytes >= LARGE) return alloc_large(bytes);
    return aligned_alloc(64, bytes ? bytes : 64);
}

void *endo_alloc_zeroed(size_t n, size_t size) {
    void *memory = endo_alloc(n, size);
    if (memory) memset(memory, 0, n * size);
    return memory;
}

void endo_free(void *memory) { free(memory); }
