/* The table of the CPU back end. */
#include "fft.h"

#include <stdio.h>

/* Bytes for frames that stay with a context. */
#define LARGEST_KEPT ((size_t)32 << 20)

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

static void cpu_close(void *backend) {
    cpu_backend *b = backend;
    cpu_fft_free_all(b->ffts);
    endo_free(b->scratch);
    endo_free(b->frame_scratch);
    endo_free(b->ahe_scratch);
    endo_free(b);
}

void *cpu_scratch(cpu_backend *b, size_t n, size_t size) {
    if (b->scratch_bytes / size >= n) return b->scratch;
    endo_free(b->scratch);
    b->scratch = endo_alloc(n, size);
    b->scratch_bytes = b->scratch ? n * size : 0;
    return b->scratch;
}

void *cpu_frame_scratch(cpu_backend *b, size_t n, size_t size) {
    if (b->frame_scratch_bytes / size >= n) return b->frame_scratch;
    endo_free(b->frame_scratch);
    b->frame_scratch = endo_alloc(n, size);
    b->frame_scratch_bytes = b->frame_scratch ? n * size : 0;
    return b->frame_scratch;
}

void cpu_frame_scratch_end(cpu_backend *b) {
    if (b->frame_scratch_bytes <= LARGEST_KEPT) return;
    endo_free(b->frame_scratch);
    b->frame_scratch = NULL, b->frame_scratch_bytes = 0;
}

static void cpu_describe(const void *backend, char *text, size_t size) {
    const cpu_backend *b = backend;
    snprintf(text, size, "cpu (%s, %d thread%s)", b->variant->name, b->threads, b->threads == 1 ? "" : "s");
}

static const endo_context_kernels cpu_context = {
    .open = cpu_open,
    .close = cpu_close,
    .describe = cpu_describe,
};

static const endo_equalization_kernels cpu_equalization = {
    .ahe = cpu_ahe,
};

#define CPU_BATCH(stem, request, setup, result) .stem = cpu_##stem,

static const endo_batch_kernels cpu_batches = {ENDO_BATCHES(CPU_BATCH)};

const endo_kernels endo_kernels_cpu = {
    .name = "cpu",
    .context = &cpu_context,
    .planes = &cpu_planes,
    .frames = &cpu_frames,
    .batches = &cpu_batches,
    .canvas = &cpu_canvas_kernels,
    .blend = &cpu_blend_kernels,
    .equalization = &cpu_equalization,
    .mutual = &cpu_mutual,
    .lens = &cpu_lens_kernels,
};
