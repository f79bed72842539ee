/* Adaptive equalization around the kernel: limits into counts, 16-bit values into bins, colour through its luma.
 *
 * Colour: red, green and blue are a linear function of luma and chroma, so that changing the luma by d at
 * constant chroma adds d to each of the three ([P] section 1.1: only Y is equalized). */
#include "ahe.h"

#include "../ahe_math.h"

#include <math.h>

int endo_ahe_clip(double limit, double n) {
    if (limit == 0) return 0;
    double clip = floor(limit * n / ENDO_AHE_BINS + 0.5);
    return clip < 1 ? 1 : clip > n ? (int)n : (int)clip;
}

static int threads_for(const endo_context *context, const endo_ahe_image *image) {
    int worth = (int)((size_t)image->width * image->height >> 17);
    return worth < 1 ? 1 : worth < context->threads ? worth : context->threads;
}

static void find_range(const endo_ahe_image *image, int threads, int *low, int *high) {
    int least = 65535, most = 0;
#pragma omp parallel for num_threads(threads) reduction(min : least) reduction(max : most) schedule(static)
    for (int y = 0; y < image->height; y++) {
        const uint16_t *row = (const uint16_t *)image->pixels + (size_t)y * image->stride;
        for (int x = 0; x < image->width; x++) {
            if (row[x] < least) least = row[x];
            if (row[x] > most) most = row[x];
        }
    }
    *low = least, *high = most;
}

static endo_status run_grey(endo_context *context, const endo_ahe_image *image, const endo_ahe_params *params) {
    endo_ahe_job job = {.pixels = image->pixels, .type = image->type, .width = image->width, .height = image->height,
                        .stride = image->stride, .region = image->region, .window = params->window,
                        .clip = endo_ahe_clip(params->limit, (double)params->window * params->window),
                        .low = params->low, .high = params->high, .bin_width = 1, .out = image->out,
                        .out_stride = image->out_stride};
    if (image->type == ENDO_GREY16 && params->limit != 0) {
        if (job.low == job.high) find_range(image, threads_for(context, image), &job.low, &job.high);
        job.bin_width = (job.high - job.low + ENDO_AHE_BINS) / ENDO_AHE_BINS;
    }
    return params->method == ENDO_AHE_GLOBAL ? endo_ahe_global(&job, params->limit)
                                             : context->kernels->ahe(context->backend, &job);
}

static void take_luma(const endo_ahe_image *image, uint8_t *luma, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int y = 0; y < image->height; y++) {
        const uint32_t *row = (const uint32_t *)image->pixels + (size_t)y * image->stride;
        uint8_t *to = luma + (size_t)y * image->width;
        for (int x = 0; x < image->width; x++) to[x] = endo_grey_of_rgb(row[x]);
    }
}

static inline uint32_t shift_channel(uint32_t rgb, int at, int change) {
    int value = (int)((rgb >> at) & 255) + change;
    return (uint32_t)(value < 0 ? 0 : value > 255 ? 255 : value) << at;
}

static void put_luma(const endo_ahe_image *image, const uint8_t *luma, const uint8_t *equalized, int threads) {
    endo_region r = image->region;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int y = 0; y < r.height; y++) {
        const uint32_t *from = (const uint32_t *)image->pixels + (size_t)(r.y + y) * image->stride + r.x;
        const uint8_t *before = luma + (size_t)(r.y + y) * image->width + r.x;
        const uint8_t *after = equalized + (size_t)y * r.width;
        uint32_t *to = (uint32_t *)image->out + (size_t)y * image->out_stride;
        for (int x = 0; x < r.width; x++) {
            int change = after[x] - before[x];
            to[x] = (from[x] & 0xff000000u) | shift_channel(from[x], 16, change) | shift_channel(from[x], 8, change) |
                    shift_channel(from[x], 0, change);
        }
    }
}

static endo_status run_rgb(endo_context *context, const endo_ahe_image *image, const endo_ahe_params *params) {
    size_t area = (size_t)image->width * image->height, part = (size_t)image->region.width * image->region.height;
    uint8_t *luma = endo_alloc(area, 1), *equalized = endo_alloc(part, 1);
    endo_status status = ENDO_ERR_MEMORY;
    if (luma && equalized) {
        endo_ahe_image grey = {luma, ENDO_GREY8, image->width, image->height, image->width, image->region, equalized,
                               image->region.width};
        int threads = threads_for(context, image);
        take_luma(image, luma, threads);
        status = run_grey(context, &grey, params);
        if (status == ENDO_OK) put_luma(image, luma, equalized, threads);
    } else {
        status = endo_fail(ENDO_ERR_MEMORY, "no memory to equalize %d x %d pixels", image->width, image->height);
    }
    endo_free(luma);
    endo_free(equalized);
    return status;
}

endo_status endo_ahe_run(endo_context *context, const endo_ahe_image *image, const endo_ahe_params *params) {
    return image->type == ENDO_RGB32 ? run_rgb(context, image, params) : run_grey(context, image, params);
}
