/* A back end over several devices: the objects that its files share. */
#ifndef ENDO_MULTI_PARTS_H
#define ENDO_MULTI_PARTS_H

#include "base/thread_pool.h"
#include "multi.h"

typedef struct multi_backend {
    const endo_kernels *one;
    void *backends[ENDO_MAX_DEVICES];
    int n;
    endo_thread_pool *pool;    /* for calls: a worker for each device */
    endo_thread_pool *putting; /* as many for frames that are put, also while a call is at work on another thread */
} multi_backend;

typedef struct multi_store {
    multi_backend *owner;
    void *stores[ENDO_MAX_DEVICES];
    /* Books of what lies where, which also change while the store itself is only read. */
    uint8_t *grey, *pixels; /* of a slot: bit d: device d has it for matching, for painting */
    int32_t *wanted;        /* as many elements as slots */
} multi_store;

/* A device's share of a call: called once for each device, at the same time. */
typedef endo_status (*multi_work)(void *job, int device);

/* Runs `work` on every device, by one of the pools. If any fails: the status and the message of the first one that did, on the
 * thread that called. */
ENDO_NODISCARD endo_status multi_on_each(multi_backend *m, endo_thread_pool *pool, multi_work work, void *job);

/* Sees to it that a device has a slot's pixels. */
ENDO_NODISCARD endo_status multi_bring_pixels(const multi_store *s, int device, int slot);

/* Sees to it that a device has what matching reads of all slots that begin one of n requests of `size` bytes. */
ENDO_NODISCARD endo_status multi_bring_frames(const multi_store *s, int device, const void *requests, size_t n, size_t size);

#endif
