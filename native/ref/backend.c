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

const endo_kernels endo_kernels_ref = {
    .name = "ref",
    .open = ref_open,
    .close = ref_close,
    .describe = ref_describe,
    .store_create = ref_store_create,
    .store_destroy = ref_store_destroy,
    .store_put = ref_store_put,
    .store_get_grey = ref_store_get_grey,
    .ncc = ref_ncc,
    .search = ref_search,
    .flow = ref_flow,
    .quality = ref_quality,
    .canvas_create = ref_canvas_create,
    .canvas_destroy = ref_canvas_destroy,
    .canvas_resize = ref_canvas_resize,
    .canvas_clear = ref_canvas_clear,
    .canvas_paint = ref_canvas_paint,
    .canvas_read = ref_canvas_read,
    .ahe = ref_ahe,
    .exposures = ref_exposures,
};
