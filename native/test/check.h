/* The checks of a small test program: CHECK(condition), CHECK_NEAR(a, b, tolerance), and at the end of
 * main: return check_summary("test_name"); A failure prints its place and values and the program goes on. */
#ifndef ENDO_TEST_CHECK_H
#define ENDO_TEST_CHECK_H

#include <math.h>
#include <stdio.h>

#ifdef __SANITIZE_ADDRESS__
/* Memory may run out with a sanitizer as it may without one: that is a result and no error. Weak, as a program may be made
 * of several files that check. */
__attribute__((visibility("default"), weak)) const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }
#endif

static int check_count, check_failures;

static inline void check_report(int passed, const char *file, int line, const char *what) {
    check_count++;
    if (passed) return;
    check_failures++;
    printf("FAIL %s:%d: %s\n", file, line, what);
}

#define CHECK(condition) check_report(!!(condition), __FILE__, __LINE__, #condition)

#define CHECK_NEAR(a, b, tolerance)                                                                       \
    do {                                                                                                  \
        double check_a = (a), check_b = (b);                                                              \
        char check_text[300];                                                                             \
        snprintf(check_text, sizeof check_text, "%s = %.9g, %s = %.9g, allowed %g apart", #a, check_a, #b, \
                 check_b, (double)(tolerance));                                                           \
        check_report(fabs(check_a - check_b) <= (tolerance), __FILE__, __LINE__, check_text);             \
    } while (0)

static inline int check_summary(const char *name) {
    printf("%s: %d checks, %d failed\n", name, check_count, check_failures);
    return check_failures != 0;
}

#endif
