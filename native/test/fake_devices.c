/* The CPU's table with a count of what each device does (fake_devices.h). */
#include "fake_devices.h"

#include "cpu/derived.h"
#include "multi/multi.h"

#include <string.h>

fake_devices fakes = {.fails_to_open = -1, .fails_to_create = -1, .fails_to_put = -1, .fails_to_fetch = -1,
                      .fails_to_compute = -1};

static void *opened[ENDO_MAX_DEVICES];

void fake_devices_reset(void) {
    memset(fakes.each, 0, sizeof fakes.each);
    fakes.fails_to_open = fakes.fails_to_create = fakes.fails_to_put = fakes.fails_to_fetch = fakes.fails_to_compute = -1;
}

static int number_of(const void *backend) {
    for (int i = 0; i < ENDO_MAX_DEVICES; i++)
        if (opened[i] == backend) return i;
    return -1;
}

static int device_of(const void *store) { return number_of(((const cpu_store *)store)->backend); }

static endo_status fail(int device, const char *what) {
    return endo_fail(ENDO_ERR_DEVICE, "device %d: cannot %s", device, what);
}

static endo_status fake_open(const endo_context_options *options, void **backend) {
    if (options->device == fakes.fails_to_open) return fail(options->device, "open");
    endo_status status = endo_kernels_cpu.context->open(options, backend);
    if (status == ENDO_OK) opened[options->device] = *backend;
    return status;
}

static void fake_close(void *backend) {
    opened[number_of(backend)] = NULL;
    endo_kernels_cpu.context->close(backend);
}

static void fake_describe(const void *backend, char *text, size_t size) {
    endo_kernels_cpu.context->describe(backend, text, size);
}

static endo_status fake_create(void *backend, const endo_store_setup *setup, void **store) {
    if (number_of(backend) == fakes.fails_to_create) return fail(number_of(backend), "create");
    return endo_kernels_cpu.frames->create(backend, setup, store);
}

static void fake_destroy(void *store) { endo_kernels_cpu.frames->destroy(store); }

static endo_status fake_put(void *store, int slot, const void *pixels, ptrdiff_t stride) {
    int device = device_of(store);
    if (device == fakes.fails_to_put) return fail(device, "put");
    fakes.each[device].puts++;
    return endo_kernels_cpu.frames->put(store, slot, pixels, stride);
}

static endo_status fake_put_list(void *store, const int32_t *slots, size_t n, const void *const *pixels, ptrdiff_t stride) {
    for (size_t i = 0; i < n; i++) ENDO_TRY(fake_put(store, slots[i], pixels[i], stride));
    return ENDO_OK;
}

static endo_status fake_get_grey(void *store, int slot, uint8_t *grey) {
    return endo_kernels_cpu.frames->get_grey(store, slot, grey);
}

static void copy_slice(const cpu_plane *to, const cpu_plane *from, int slot) {
    if (from->samples)
        memcpy(cpu_plane_slice(to, slot), cpu_plane_slice(from, slot),
               (size_t)from->slice * endo_plane_element(from->format.type));
}

/* The grey image and its highlights, which the lender may not have made yet. */
static endo_status copy_grey(cpu_store *to, cpu_store *from, int32_t slot) {
    const endo_pair pair = {slot, slot};
    ENDO_TRY(cpu_derive(from, CPU_GREY, &pair, 1, sizeof pair));
    endo_slots_forget(&to->slots, slot);
    copy_slice(&to->plain, &from->plain, slot);
    copy_slice(&to->bright, &from->bright, slot);
    to->frames[slot].is_marked = from->frames[slot].is_marked;
    (void)endo_slots_claim(&to->slots, CPU_GREY, &pair, 1, sizeof pair);
    return ENDO_OK;
}

static endo_status fake_fetch(void *store, void *other, const int32_t *slots, size_t n, int pixels) {
    cpu_store *to = store, *from = other;
    if (device_of(to) == fakes.fails_to_fetch) return fail(device_of(to), "fetch");
    fakes.each[device_of(to)].fetched += (int)n;
    fakes.each[device_of(from)].lent += (int)n;
    for (size_t i = 0; i < n; i++) {
        if (pixels) copy_slice(&to->pixels, &from->pixels, slots[i]);
        else ENDO_TRY(copy_grey(to, from, slots[i]));
    }
    return ENDO_OK;
}

static const endo_context_kernels fake_context = {
    .open = fake_open,
    .close = fake_close,
    .describe = fake_describe,
};

static const endo_frames_kernels fake_frames = {
    .create = fake_create,
    .destroy = fake_destroy,
    .put = fake_put,
    .put_list = fake_put_list,
    .get_grey = fake_get_grey,
    .fetch = fake_fetch,
};

#define FAKE_BATCH_FUNCTION(stem, request, setup, result)                                                       \
    static endo_status fake_##stem(void *store, const request *requests, size_t n, const setup *common,         \
                                   result *results) {                                                           \
        int device = device_of(store);                                                                          \
        if (device == fakes.fails_to_compute) return fail(device, #stem);                                       \
        fakes.each[device].calls++;                                                                             \
        fakes.each[device].requests += n;                                                                       \
        return cpu_##stem(store, requests, n, common, results);                                                 \
    }

ENDO_BATCHES(FAKE_BATCH_FUNCTION)

#define FAKE_BATCH(stem, request, setup, result) .stem = fake_##stem,

static const endo_batch_kernels fake_batches = {ENDO_BATCHES(FAKE_BATCH)};

static const endo_equalization_kernels fake_equalization = {
    .ahe = cpu_ahe,
};

static const endo_kernels one_fake = {
    .name = "fake",
    .context = &fake_context,
    .planes = &cpu_planes,
    .frames = &fake_frames,
    .batches = &fake_batches,
    .canvas = &cpu_canvas_kernels,
    .blend = &cpu_blend_kernels,
    .equalization = &fake_equalization,
    .mutual = &cpu_mutual,
    .lens = &cpu_lens_kernels,
};

static endo_status fakes_open(const endo_context_options *options, void **backend) {
    return endo_multi_open(&one_fake, options, backend);
}

static const endo_context_kernels fakes_context = {
    .open = fakes_open,
    .close = endo_multi_close,
    .describe = endo_multi_describe,
};

const endo_kernels endo_kernels_fakes = ENDO_MULTI_TABLE("fakes", &fakes_context);
