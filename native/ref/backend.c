/* The table of the reference back end. */
#include "ref.h"

#include <stdio.h>

static endo_status ref_open(const endo_context_options *options, void **backend) {
    (void)options;
    *backend = NULL;
    return ENDO_OK;
}

static void ref_close(void *backend) { (void)backend; }

static void ref_describe(const void *backend, char *text, size_t size) {
    (void)backend;
    snprintf(text, size, "ref");
}

static const endo_context_kernels ref_context = {
    .open = ref_open,
    .close = ref_close,
    .describe = ref_describe,
};

static const endo_equalization_kernels ref_equalization = {
    .ahe = ref_ahe,
};

#define REF_BATCH(stem, request, setup, result) .stem = ref_##stem,

static const endo_batch_kernels ref_batches = {ENDO_BATCHES(REF_BATCH)};

const endo_kernels endo_kernels_ref = {
    .name = "ref",
    .context = &ref_context,
    .planes = &ref_planes,
    .frames = &ref_frames,
    .batches = &ref_batches,
    .canvas = &ref_canvas_kernels,
    .blend = &ref_blend_kernels,
    .equalization = &ref_equalization,
    .mutual = &ref_mutual,
    .lens = &ref_lens,
};
