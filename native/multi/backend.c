/* Contexts of several devices, and what only the first of them does (multi.h). */
#include "parts.h"

#include "base/memory.h"
#include "base/outcome.h"
#include "base/status.h"

#include <stdio.h>

typedef struct each {
    multi_work work;
    void *job;
    endo_outcome outcomes[ENDO_MAX_DEVICES];
} each;

static void work_on(void *job, size_t device, int worker) {
    each *e = job;
    (void)worker;
    endo_outcome_keep(&e->outcomes[device], e->work(e->job, (int)device));
}

endo_status multi_on_each(multi_backend *m, endo_thread_pool *pool, multi_work work, void *job) {
    each e = {.work = work, .job = job};
    endo_thread_pool_run(pool, (size_t)m->n, work_on, &e);
    return endo_outcome_first(e.outcomes, m->n);
}

void endo_multi_close(void *backend) {
    multi_backend *m = backend;
    if (!m) return;
    for (int i = 0; i < m->n; i++) m->one->context->close(m->backends[i]);
    endo_thread_pool_destroy(&m->pool);
    endo_thread_pool_destroy(&m->putting);
    endo_free(m);
}

endo_status endo_multi_open(const endo_kernels *one, const endo_context_options *options, void **backend) {
    multi_backend *m = endo_alloc_zeroed(1, sizeof *m);
    if (m) m->pool = endo_thread_pool_create(options->n_devices);
    if (m) m->putting = endo_thread_pool_create(options->n_devices);
    if (!m || !m->pool || !m->putting) {
        endo_multi_close(m);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for a context");
    }
    m->one = one;
    for (int i = 0; i < options->n_devices; i++) {
        endo_context_options alone = *options;
        alone.device = options->devices[i];
        alone.n_devices = 0;
        endo_status status = one->context->open(&alone, &m->backends[i]);
        if (status != ENDO_OK) {
            endo_multi_close(m);
            return status;
        }
        m->n++;
    }
    *backend = m;
    return ENDO_OK;
}

void endo_multi_describe(const void *backend, char *text, size_t size) {
    const multi_backend *m = backend;
    char one[96];
    size_t used = (size_t)snprintf(text, size, "%d x ", m->n);
    for (int i = 0; i < m->n && used < size; i++) {
        m->one->context->describe(m->backends[i], one, sizeof one);
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", one);
    }
}
