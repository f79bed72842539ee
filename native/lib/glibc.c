/* What the static C++ library asks of a C library that is newer than RHEL 8's (glibc.cmake). */
#include <stdint.h>
#include <unistd.h>

/* Never set: "there may be other threads" (glibc 2.32). */
char __libc_single_threaded;

/* For std::random_device, which nobody here uses (glibc 2.36). */
uint32_t arc4random(void) {
    uint32_t number = 0;
    if (getentropy(&number, sizeof number) != 0) return 0;
    return number;
}
