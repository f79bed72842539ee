/* Calls that must fail: their status, and a message that holds a text. For small test programs (check.h). */
#ifndef ENDO_TEST_REFUSES_H
#define ENDO_TEST_REFUSES_H

#include "include/endorama/status.h"
#include "check.h"

#include <string.h>

static inline void check_refusal(int as_expected, const char *text, const char *file, int line, const char *what) {
    int is_said = strstr(endo_last_error(), text) != NULL;
    if (!is_said) printf("     message: %s\n     wanted: %s\n", endo_last_error(), text);
    check_report(as_expected, file, line, what);
    check_report(is_said, file, line, what);
}

/* Whether an output was left alone that was filled with a value before. */
static inline int all_bytes(const void *memory, size_t bytes, unsigned char value) {
    const unsigned char *p = memory;
    for (size_t i = 0; i < bytes; i++)
        if (p[i] != value) return 0;
    return 1;
}

#define REFUSES_WITH(call, status, text) check_refusal((call) == (status), text, __FILE__, __LINE__, #call)
#define REFUSES(call, text) REFUSES_WITH(call, ENDO_ERR_ARGUMENT, text)

#endif
