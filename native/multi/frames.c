/* Frames on several devices: put at home, fetched where else they are needed. */
#include "parts.h"
#include "share.h"

#include "base/memory.h"
#include "base/status.h"

static void destroy_stores(multi_store *s) {
    for (int i = 0; i < s->owner->n; i++)
        if (s->stores[i]) s->owner->one->frames->destroy(s->stores[i]);
}

static void multi_store_destroy(void *store) {
    multi_store *s = store;
    if (!s) return;
    destroy_stores(s);
    endo_free(s->grey);
    endo_free(s->pixels);
    endo_free(s->wanted);
    endo_free(s);
}

typedef struct creation {
    multi_store *store;
    const endo_store_setup *setup;
} creation;

static endo_status create_one(void *job, int device) {
    const creation *c = job;
    multi_backend *m = c->store->owner;
    return m->one->frames->create(m->backends[device], c->setup, &c->store->stores[device]);
}

static endo_status multi_store_create(void *backend, const endo_store_setup *setup, void **store) {
    int n = setup->options.capacity;
    multi_store *s = endo_alloc_zeroed(1, sizeof *s);
    creation job = {s, setup};
    if (!s) return endo_fail(ENDO_ERR_MEMORY, "no memory for a frame store");
    s->owner = backend;
    s->grey = endo_alloc_zeroed((size_t)n, sizeof *s->grey);
    s->pixels = endo_alloc_zeroed((size_t)n, sizeof *s->pixels);
    s->wanted = endo_alloc((size_t)n, sizeof *s->wanted);
    endo_status status = s->grey && s->pixels && s->wanted ? multi_on_each(s->owner, s->owner->pool, create_one, &job)
                                                           : endo_fail(ENDO_ERR_MEMORY, "no memory for %d slots", n);
    if (status == ENDO_OK)
        *store = s;
    else
        multi_store_destroy(s);
    return status;
}

static endo_status multi_store_put(void *store, int slot, const void *pixels, ptrdiff_t stride) {
    multi_store *s = store;
    int home = endo_share_home(slot, s->owner->n);
    s->grey[slot] = s->pixels[slot] = 0;
    endo_status status = s->owner->one->frames->put(s->stores[home], slot, pixels, stride);
    if (status == ENDO_OK) s->grey[slot] = s->pixels[slot] = (uint8_t)(1 << home);
    return status;
}

typedef struct put_job {
    multi_store *store;
    const int32_t *slots;
    size_t n;
    const void *const *pixels;
    ptrdiff_t stride;
} put_job;

/* Puts some frames on their home. */
static endo_status put_some(const put_job *p, int home, const int32_t *slots, size_t n, const void *const *pixels) {
    multi_store *s = p->store;
    endo_status status = s->owner->one->frames->put_list(s->stores[home], slots, n, pixels, p->stride);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) s->grey[slots[i]] = s->pixels[slots[i]] = (uint8_t)(1 << home);
    return status;
}

/* Frames that are handed to a device at once. */
#define PUT_TOGETHER 64

static endo_status put_at_home(void *job, int device) {
    const put_job *p = job;
    int32_t slots[PUT_TOGETHER];
    const void *pixels[PUT_TOGETHER];
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (endo_share_home(p->slots[i], p->store->owner->n) != device) continue;
        slots[n] = p->slots[i];
        pixels[n++] = p->pixels[i];
        if (n < PUT_TOGETHER) continue;
        ENDO_TRY(put_some(p, device, slots, n, pixels));
        n = 0;
    }
    return n ? put_some(p, device, slots, n, pixels) : ENDO_OK;
}

static endo_status multi_store_put_list(void *store, const int32_t *slots, size_t n, const void *const *pixels,
                                        ptrdiff_t stride) {
    multi_store *s = store;
    put_job job = {s, slots, n, pixels, stride};
    for (size_t i = 0; i < n; i++) s->grey[slots[i]] = s->pixels[slots[i]] = 0;
    return multi_on_each(s->owner, s->owner->putting, put_at_home, &job);
}

static endo_status multi_store_get_grey(void *store, int slot, uint8_t *grey) {
    multi_store *s = store;
    return s->owner->one->frames->get_grey(s->stores[endo_share_home(slot, s->owner->n)], slot, grey);
}

/* ------------------------------------------------------------------ fetching */

/* Moves those slots that are at the first one's home to the front; how many there are. */
static size_t of_one_home(int32_t *slots, size_t n, int devices) {
    size_t same = 0;
    int home = endo_share_home(slots[0], devices);
    for (size_t i = 0; i < n; i++) {
        int32_t slot = slots[i];
        if (endo_share_home(slot, devices) != home) continue;
        slots[i] = slots[same];
        slots[same++] = slot;
    }
    return same;
}

/* Fetches n slots, all of one home, to a device. */
static endo_status fetch_some(const multi_store *s, int device, const int32_t *slots, size_t n, const uint8_t *has, int pixels) {
    int home = endo_share_home(slots[0], s->owner->n);
    for (size_t i = 0; i < n; i++)
        if (home == device || !(has[slots[i]] >> home & 1))
            return endo_fail(ENDO_ERR_DEVICE, "slot %d: its frame was lost when it was put", (int)slots[i]);
    return s->owner->one->frames->fetch(s->stores[device], s->stores[home], slots, n, pixels);
}

/* The first n of `wanted`, which the device does not have yet although `has` says so, for both or neither. */
static endo_status fetch_wanted(const multi_store *s, int device, size_t n, uint8_t *has, int pixels) {
    endo_status status = ENDO_OK;
    for (size_t at = 0, same; at < n; at += same) {
        same = of_one_home(s->wanted + at, n - at, s->owner->n);
        if (status == ENDO_OK) status = fetch_some(s, device, s->wanted + at, same, has, pixels);
        for (size_t i = at; i < at + same && status != ENDO_OK; i++) has[s->wanted[i]] &= (uint8_t)~(1 << device);
    }
    return status;
}

static void want(const multi_store *s, int device, int32_t slot, uint8_t *has, size_t *n) {
    if (has[slot] >> device & 1) return;
    has[slot] |= (uint8_t)(1 << device);
    s->wanted[(*n)++] = slot;
}

endo_status multi_bring_pixels(const multi_store *s, int device, int slot) {
    size_t n = 0;
    want(s, device, slot, s->pixels, &n);
    return fetch_wanted(s, device, n, s->pixels, 1);
}

endo_status multi_bring_frames(const multi_store *s, int device, const void *requests, size_t n, size_t size) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        const int32_t *slots = (const int32_t *)(const void *)((const uint8_t *)requests + i * size);
        want(s, device, slots[0], s->grey, &count);
        want(s, device, slots[1], s->grey, &count);
    }
    return fetch_wanted(s, device, count, s->grey, 0);
}

const endo_frames_kernels multi_frames = {
    .create = multi_store_create,
    .destroy = multi_store_destroy,
    .put = multi_store_put,
    .put_list = multi_store_put_list,
    .get_grey = multi_store_get_grey,
};
