/* The requests of a call shared out among the devices, each of which writes its own results (multi.h). */
#include "parts.h"
#include "share.h"

#include "base/status.h"

/* A line of batches.h without its types. */
typedef endo_status (*one_call)(const endo_kernels *one, void *store, const void *requests, size_t n, const void *common,
                                void *results);

typedef struct batch {
    multi_store *store;
    one_call call;
    const uint8_t *requests;
    const void *common;
    uint8_t *results;
    size_t n, request_size, result_size;
    endo_share_run shares[ENDO_MAX_DEVICES];
} batch;

static endo_status work_on_share(void *job, int device) {
    const batch *b = job;
    const endo_share_run *share = &b->shares[device];
    if (share->n == 0) return ENDO_OK;
    return b->call(b->store->owner->one, b->store->stores[device], b->requests + share->first * b->request_size, share->n,
                   b->common, b->results + share->first * b->result_size);
}

/* Before any device begins: a frame that is fetched would wait for what its home computes. */
static endo_status bring_all(const batch *b) {
    for (int i = 0; i < b->store->owner->n; i++) {
        const endo_share_run *share = &b->shares[i];
        ENDO_TRY(multi_bring_frames(b->store, i, b->requests + share->first * b->request_size, share->n, b->request_size));
    }
    return ENDO_OK;
}

/* The only device that has something to do; -1: there are several. */
static int only_one(const batch *b) {
    for (int i = 0; i < b->store->owner->n; i++)
        if (b->shares[i].n == b->n) return i;
    return -1;
}

static endo_status run_batch(batch *b) {
    endo_share_out(b->requests, b->n, b->request_size, b->store->owner->n, b->shares);
    ENDO_TRY(bring_all(b));
    int alone = only_one(b);
    return alone < 0 ? multi_on_each(b->store->owner, b->store->owner->pool, work_on_share, b) : work_on_share(b, alone);
}

/* multi_<stem> for every line of batches.h. */
#define MULTI_BATCH_FUNCTION(stem, request, setup, result)                                                              \
    static endo_status one_##stem(const endo_kernels *one, void *store, const void *requests, size_t n,                 \
                                  const void *common_, void *results) {                                                 \
        if (!one->batches->stem) return endo_fail(ENDO_ERR_UNSUPPORTED, "%s: not on these devices", #stem);              \
        return one->batches->stem(store, requests, n, common_, results);                                                \
    }                                                                                                                   \
    static endo_status multi_##stem(void *store, const request *requests, size_t n, const setup *common_,               \
                                    result *results) {                                                                  \
        batch b = {.store = store, .call = one_##stem, .requests = (const uint8_t *)requests, .common = common_,        \
                   .results = (uint8_t *)results, .n = n, .request_size = sizeof *requests,                             \
                   .result_size = sizeof *results};                                                                     \
        return run_batch(&b);                                                                                           \
    }

ENDO_BATCHES(MULTI_BATCH_FUNCTION)
ENDO_DEVICE_BATCHES(MULTI_BATCH_FUNCTION)

#define MULTI_BATCH(stem, request, setup, result) .stem = multi_##stem,

const endo_batch_kernels multi_batches = {ENDO_BATCHES(MULTI_BATCH) ENDO_DEVICE_BATCHES(MULTI_BATCH)};
