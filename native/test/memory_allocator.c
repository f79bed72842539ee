#include "memory_allocator.h"

int memory_failures, memory_alive;

/* fail_at: 0: none fails. lasting: nor does any after it succeed. Threads allocate, too. */
static int calls, fail_at, lasting;

int memory_fails(void) {
    int call = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    int failed = fail_at && (call == fail_at || (lasting && call > fail_at));
    __atomic_add_fetch(&memory_failures, failed, __ATOMIC_SEQ_CST);
    return failed;
}

static void *counted(void *memory) {
    if (memory) __atomic_add_fetch(&memory_alive, 1, __ATOMIC_SEQ_CST);
    return memory;
}

void *__wrap_endo_alloc(size_t n, size_t size) { return memory_fails() ? NULL : counted(__real_endo_alloc(n, size)); }

void *__wrap_endo_alloc_zeroed(size_t n, size_t size) {
    return memory_fails() ? NULL : counted(__real_endo_alloc_zeroed(n, size));
}

void __wrap_endo_free(void *memory) {
    if (memory) __atomic_sub_fetch(&memory_alive, 1, __ATOMIC_SEQ_CST);
    __real_endo_free(memory);
}

void memory_arm(int at, int all_after) {
    calls = memory_failures = 0;
    fail_at = at;
    lasting = all_after;
}
