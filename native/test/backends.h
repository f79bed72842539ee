/* The reference and every instruction set of the CPU, one after the other:
 *
 *     for (int i = 0; i < TEST_BACKENDS; i++) {
 *         endo_context *context = test_open(i);
 *         if (context) ..., endo_context_destroy(&context);
 *     }
 */
#ifndef ENDO_TEST_BACKENDS_H
#define ENDO_TEST_BACKENDS_H

#include "api/testing.h"
#include "backend/objects.h"
#include "check.h"

#define TEST_BACKENDS 4

/* NULL, and a line that says so, where this machine lacks the instruction set. */
static inline endo_context *test_open(int i) {
    static const endo_cpu sets[TEST_BACKENDS] = {ENDO_CPU_BEST, ENDO_CPU_C, ENDO_CPU_AVX2, ENDO_CPU_AVX512};
    endo_context_options o = endo_context_options_default();
    endo_context *context = NULL;
    o.cpu = sets[i], o.threads = 2;
    endo_status status = endo_context_create_with(i ? &endo_kernels_cpu : &endo_kernels_ref, &o, &context);
    if (status == ENDO_ERR_UNSUPPORTED) printf("SKIP instruction set %d: %s\n", i, endo_last_error());
    CHECK(status == ENDO_OK || (status == ENDO_ERR_UNSUPPORTED && i > 1));
    return context;
}

/* Whether a back end transforms: not the CPU's in a library without FFTW, which a line says then. */
static inline int test_has_transforms(const endo_context *context) {
#ifndef ENDO_HAS_FFTW
    if (context->kernels == &endo_kernels_cpu) {
        printf("SKIP Fourier transforms: this library was built without FFTW\n");
        return 0;
    }
#endif
    return context != NULL;
}

#endif
