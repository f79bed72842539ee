/* The table of the CPU back end. */
#include "cpu.h"

#include <stdio.h>

static endo_status cpu_open(const endo_context_options *options, void **backend) {
    static const char *const names[] = {"best", "plain C", "AVX2", "AVX-512 VNNI"};
    const cpu_variant *variant = cpu_variant_choose(options->cpu);
    if (!variant)
        return endo_fail(ENDO_ERR_UNSUPPORTED, "cpu %s: this processor lacks it; use a lower one or best",
                         names[options->cpu]);
    cpu_backend *b = endo_alloc_zeroed(1, sizeof *b);
    if (!b) return endo_fail(ENDO_ERR_MEMORY, "no memory for a context");
    b->variant = variant;
    b->threads = options->threads;
    *backend = b;
    return ENDO_OK;
}

static void cpu_close(void *backend) { endo_free(backend); }

static void cpu_describe(const void *backend, char *text, size_t size) {
    const cpu_backend *b = backend;
    snprintf(text, size, "cpu (%s, %d thread%s)", b->variant->name, b->threads, b->threads == 1 ? "" : "s");
}

const endo_kernels endo_kernels_cpu = {
    .name = "cpu",
    .open = cpu_open,
    .close = cpu_close,
    .describe = cpu_describe,
    .store_create = cpu_store_create,
    .store_destroy = cpu_store_destroy,
    .store_put = cpu_store_put,
    .store_get_grey = cpu_store_get_grey,
    .ncc = cpu_ncc,
    .search = cpu_search,
    .flow = cpu_flow,
    .quality = cpu_quality,
    .canvas_create = cpu_canvas_create,
    .canvas_destroy = cpu_canvas_destroy,
    .canvas_resize = cpu_canvas_resize,
    .canvas_clear = cpu_canvas_clear,
    .canvas_paint = cpu_canvas_paint,
    .canvas_read = cpu_canvas_read,
    .ahe = cpu_ahe,
    .exposures = cpu_exposures,
};
