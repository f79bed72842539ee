#include "status.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last_error[256];

const char *endo_last_error(void) { return last_error; }

endo_status endo_fail(endo_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    return status;
}
