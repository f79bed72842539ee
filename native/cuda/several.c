/* The table of several CUDA devices (several.h). */
#include "several.h"

#include "multi/multi.h"

static endo_status several_open(const endo_context_options *options, void **backend) {
    return endo_multi_open(&endo_kernels_cuda, options, backend);
}

static const endo_context_kernels several_context = {
    .open = several_open,
    .close = endo_multi_close,
    .describe = endo_multi_describe,
};

const endo_kernels endo_kernels_multi = ENDO_MULTI_TABLE("cuda", &several_context);
