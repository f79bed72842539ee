/* operator new of the library's C++ through the allocator that fails. */
#include "memory_allocator.h"

#include <cstdlib>
#include <new>

void *operator new(std::size_t size) {
    if (memory_fails()) throw std::bad_alloc();
    void *memory = std::malloc(size ? size : 1);
    if (!memory) throw std::bad_alloc();
    __atomic_add_fetch(&memory_alive, 1, __ATOMIC_SEQ_CST);
    return memory;
}

void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
    try {
        return operator new(size);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void operator delete(void *memory) noexcept {
    if (memory) __atomic_sub_fetch(&memory_alive, 1, __ATOMIC_SEQ_CST);
    std::free(memory);
}

void operator delete(void *memory, std::size_t) noexcept { operator delete(memory); }
