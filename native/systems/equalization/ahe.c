/* Adaptive equalization around the kernel: limits into counts, 16-bit values into bins, colour through its luma.
 *
 * Colour: red, green and blue are a linear function of luma and chroma, so that changing the luma by d at
 * constant chroma adds d to each of the three ([P] section 1.1: only Y is equalized). */
#include "ahe.h"

#include "ahe_global.h"

#include "rules/ahe.h"
#include "rules/grey.h"

#define PUT_BLOCK 256 /* pixels of a block, whose intermediate rows fit the first cache */

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

static endo_status run_grey(endo_context *context, const endo_ahe_image *image, const endo_ahe_options *options) {
    endo_ahe_job job = {.pixels = image->pixels, .type = image->type, .width = image->width, .height = image->height,
                        .stride = image->stride, .region = image->region, .window = options->window,
                        .clip = endo_ahe_clip(options->limit, (double)options->window * options->window),
                        .low = options->low, .high = options->high, .bin_width = 1, .out = image->out,
                        .out_stride = image->out_stride};
    if (image->type == ENDO_GREY16 && options->limit != 0) {
        if (job.low == job.high) find_range(image, threads_for(context, image), &job.low, &job.high);
        job.bin_width = (job.high - job.low + ENDO_AHE_BINS) / ENDO_AHE_BINS;
    }
    return options->method == ENDO_AHE_GLOBAL ? endo_ahe_global(&job, options->limit)
                                             : context->kernels->equalization->ahe(context->backend, &job);
}

/* Colour is changed byte by byte: compilers vectorize that with SSE2 alone, and shifts of whole pixels several times slower or
 * not at all. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a pixel's bytes are blue, green, red, alpha");

static void take_row(const uint8_t *restrict rgb, int n, uint8_t *restrict luma) {
    for (int x = 0; x < n; x++) luma[x] = endo_grey_of_channels(rgb[4 * x + 2], rgb[4 * x + 1], rgb[4 * x]);
}

static void take_luma(const endo_ahe_image *image, uint8_t *luma, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int y = 0; y < image->height; y++)
        take_row((const uint8_t *)((const uint32_t *)image->pixels + (size_t)y * image->stride), image->width,
                 luma + (size_t)y * image->width);
}

/* value + after - before, within 0..255: one of the two changes is 0. */
static inline uint8_t shift_channel(uint8_t value, uint8_t before, uint8_t after) {
    uint8_t least = before < after ? before : after, headroom = 255 - value;
    uint8_t up = after - least, down = before - least;
    return (uint8_t)(value + (up < headroom ? up : headroom) - (down < value ? down : value));
}

/* Writes a row. The lumas are first spread over the bytes of pixels, with no change of alpha. */
static void put_row(const uint32_t *restrict from, const uint8_t *restrict luma, const uint8_t *restrict equalized,
                    int n, uint32_t *restrict to) {
    uint32_t before[PUT_BLOCK], after[PUT_BLOCK];
    for (int x = 0; x < n; x += PUT_BLOCK) {
        int part = n - x < PUT_BLOCK ? n - x : PUT_BLOCK;
        for (int i = 0; i < part; i++) {
            before[i] = 0x010101u * luma[x + i];
            after[i] = 0x010101u * equalized[x + i];
        }
        const uint8_t *values = (const uint8_t *)(from + x), *b = (const uint8_t *)before, *a = (const uint8_t *)after;
        uint8_t *restrict out = (uint8_t *)(to + x);
        for (int i = 0; i < 4 * part; i++) out[i] = shift_channel(values[i], b[i], a[i]);
    }
}

static void put_luma(const endo_ahe_image *image, const uint8_t *luma, const uint8_t *equalized, int threads) {
    endo_region r = image->region;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int y = 0; y < r.height; y++)
        put_row((const uint32_t *)image->pixels + (size_t)(r.y + y) * image->stride + r.x,
                luma + (size_t)(r.y + y) * image->width + r.x, equalized + (size_t)y * r.width, r.width,
                (uint32_t *)image->out + (size_t)y * image->out_stride);
}

static endo_status run_rgb(endo_context *context, const endo_ahe_image *image, const endo_ahe_options *options) {
    size_t area = (size_t)image->width * image->height, part = (size_t)image->region.width * image->region.height;
    uint8_t *luma = endo_alloc(area, 1), *equalized = endo_alloc(part, 1);
    endo_status status = ENDO_ERR_MEMORY;
    if (luma && equalized) {
        endo_ahe_image grey = {
            .pixels = luma,
            .type = ENDO_GREY8,
            .width = image->width,
            .height = image->height,
            .stride = image->width,
            .region = image->region,
            .out = equalized,
            .out_stride = image->region.width,
        };
        int threads = threads_for(context, image);
        take_luma(image, luma, threads);
        status = run_grey(context, &grey, options);
        if (status == ENDO_OK) put_luma(image, luma, equalized, threads);
    } else {
        status = endo_fail(ENDO_ERR_MEMORY, "no memory to equalize %d x %d pixels", image->width, image->height);
    }
    endo_free(luma);
    endo_free(equalized);
    return status;
}

endo_status endo_ahe_run(endo_context *context, const endo_ahe_image *image, const endo_ahe_options *options) {
    return image->type == ENDO_RGB32 ? run_rgb(context, image, options) : run_grey(context, image, options);
}
