/* Contexts for objects and long calls: use counts, simulated failures and cancelling. */
#include "objects.h"

#include "base/openmp.h"

endo_context *endo_context_keep(endo_context *context) {
    __atomic_fetch_add(&context->users, 1, __ATOMIC_RELAXED);
    return context;
}

void endo_context_let_go(endo_context *context) {
    if (!context || __atomic_sub_fetch(&context->users, 1, __ATOMIC_ACQ_REL) > 0) return;
    context->kernels->context->close(context->backend);
    endo_free(context);
    endo_openmp_close();
}

endo_status endo_context_step(endo_context *context) {
    int before = __atomic_fetch_add(&context->steps, 1, __ATOMIC_RELAXED); /* frames may be put by another thread */
    if (context->fail_after == 0 || before < context->fail_after) return ENDO_OK;
    return endo_fail(ENDO_ERR_DEVICE, "device failed (as asked for after %d calls)", context->fail_after);
}

endo_status endo_context_go_on(endo_context *context) {
    if (!context->cancel || !context->cancel(context->cancel_user)) return ENDO_OK;
    return endo_fail(ENDO_CANCELLED, "cancelled");
}
