/* Contexts: options, choice of the back end, description. */
#include "checks.h"
#include "testing.h"

#include "backend/objects.h"
#include "base/openmp.h"
#include "base/threads.h"

#ifdef ENDO_HAS_CUDA
#include "cuda/several.h"
#endif

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void endo_context_options_init(endo_context_options *options) {
    const endo_context_options defaults = {.backend = ENDO_BACKEND_AUTO, .threads = 0, .cpu = ENDO_CPU_BEST};
    if (options) *options = defaults;
}

static endo_status check_options(const endo_context_options *o) {
    if (o->threads < 0 || o->threads > 256)
        return endo_fail(ENDO_ERR_ARGUMENT, "threads %d: must be 0 (all) .. 256", o->threads);
    if ((int)o->cpu < ENDO_CPU_BEST || o->cpu > ENDO_CPU_AVX512)
        return endo_fail(ENDO_ERR_ARGUMENT, "cpu %d: must be 0..3", (int)o->cpu);
    if (o->device < 0) return endo_fail(ENDO_ERR_ARGUMENT, "device %d: must be 0 or more", o->device);
    if (o->n_devices < 0 || o->n_devices > ENDO_MAX_DEVICES)
        return endo_fail(ENDO_ERR_ARGUMENT, "%d devices: must be 0..%d", o->n_devices, ENDO_MAX_DEVICES);
    for (int i = 0; i < o->n_devices; i++)
        for (int k = 0; k < i; k++)
            if (o->devices[i] == o->devices[k])
                return endo_fail(ENDO_ERR_ARGUMENT, "device %d: named twice", o->devices[i]);
    return ENDO_OK;
}

/* Adds a message to a context's note. */
static void note(endo_context *c, const char *format, ...) {
    size_t said = strlen(c->note);
    if (said) said += (size_t)snprintf(c->note + said, sizeof c->note - said, "; ");
    if (said >= sizeof c->note) return;
    va_list values;
    va_start(values, format);
    vsnprintf(c->note + said, sizeof c->note - said, format, values);
    va_end(values);
}

/* Most threads beside a device: they share the little work that is left to the processors, and more would mostly wait for each
 * other. */
#define BESIDE_DEVICE 8
static int threads_of(const endo_kernels *kernels, int asked, int threads) {
    return asked == 0 && kernels->takes_many && threads > BESIDE_DEVICE ? BESIDE_DEVICE : threads;
}

endo_status endo_context_create_with(const endo_kernels *kernels, const endo_context_options *options,
                                     endo_context **out) {
    endo_status status = check_options(options);
    if (status != ENDO_OK) return status;
    endo_context *c = endo_alloc_zeroed(1, sizeof *c);
    if (!c) return endo_fail(ENDO_ERR_MEMORY, "no memory for a context");
    endo_context_options resolved = *options;
    if (resolved.threads == 0) resolved.threads = omp_get_num_procs();
    int wanted = resolved.threads;
    resolved.threads = endo_threads_obtainable(wanted);
    c->kernels = kernels;
    c->users = 1;
    c->cpu = options->cpu;
    c->threads = threads_of(kernels, options->threads, resolved.threads);
    if (resolved.threads < wanted) note(c, "threads %d: the system lets this process have %d", wanted, resolved.threads);
    status = kernels->context->open(&resolved, &c->backend);
    if (status != ENDO_OK) {
        endo_free(c);
        return status;
    }
    kernels->context->describe(c->backend, c->description, sizeof c->description);
    endo_openmp_open();
    *out = c;
    return ENDO_OK;
}

void endo_context_fail_after(endo_context *context, int calls) { context->fail_after = calls; }

void endo_context_set_cancel(endo_context *context, endo_cancel_hook hook, void *user) {
    if (!context) return;
    context->cancel = hook;
    context->cancel_user = user;
}

static endo_status create_cuda(const endo_context_options *options, endo_context **out) {
#ifdef ENDO_HAS_CUDA
    endo_context_options one = *options;
    if (options->n_devices > 1) return endo_context_create_with(&endo_kernels_multi, options, out);
    if (options->n_devices == 1) one.device = options->devices[0];
    return endo_context_create_with(&endo_kernels_cuda, &one, out);
#else
    (void)options, (void)out;
    return endo_fail(ENDO_ERR_UNSUPPORTED, "CUDA: this build has none; use Auto or CPU");
#endif
}

/* Starts CUDA, or the CPU where CUDA does not start, with a note that says why. */
static endo_status create_auto(const endo_context_options *options, endo_context **out) {
    if (create_cuda(options, out) == ENDO_OK) return ENDO_OK;
    char why[200];
    snprintf(why, sizeof why, "%s", endo_last_error());
    endo_status status = endo_context_create_with(&endo_kernels_cpu, options, out);
    if (status == ENDO_OK) note(*out, "%s%s", strncmp(why, "CUDA", 4) ? "CUDA: " : "", why);
    return status;
}

endo_status endo_context_create_abi(const endo_context_options *options, int abi, endo_context **out) {
    endo_context_options defaults = endo_context_options_default();
    ENDO_TRY(endo_check_abi(abi));
    if (!out) return endo_fail(ENDO_ERR_ARGUMENT, "context: out is NULL");
    if (!options) options = &defaults;
    ENDO_TRY(check_options(options));
    switch (options->backend) {
    case ENDO_BACKEND_CUDA: return create_cuda(options, out);
    case ENDO_BACKEND_AUTO: return create_auto(options, out);
    case ENDO_BACKEND_CPU: return endo_context_create_with(&endo_kernels_cpu, options, out);
    }
    return endo_fail(ENDO_ERR_ARGUMENT, "backend %d: must be 0 (auto), 1 (CPU) or 2 (CUDA)",
                     (int)options->backend);
}

void endo_context_destroy(endo_context **context) {
    if (!context || !*context) return;
    endo_context_set_cancel(*context, NULL, NULL); /* objects keep the context, but the hook's owner may be gone */
    endo_context_let_go(*context);
    *context = NULL;
}

int endo_context_threads(const endo_context *context) { return context ? context->threads : 0; }

const char *endo_context_note(const endo_context *context) { return context ? context->note : ""; }

const char *endo_context_description(const endo_context *context) {
    return context ? context->description : "";
}
