/* The grey image that matching works on where a store is made with `enhance`. Nothing is interpolated in it: its last
 * column and row are not repeated. */
#include "derived.h"

static int applies(const cpu_store *s) { return s->options.enhance != 0; }

static void take(cpu_store *s) {
    s->enhanced = cpu_store_plane(s, ENDO_PLANE_U8);
    for (int i = 0; s->enhanced.samples && i < s->options.capacity; i++)
        s->frames[i].grey = cpu_plane_slice(&s->enhanced, i);
}

static endo_status enhance(const cpu_store *s, int slot) {
    const cpu_frame *f = &s->frames[slot];
    endo_ahe_job job = endo_enhance_job(&s->options, f->plain, s->stride, f->grey, s->enhance_clip);
    return cpu_ahe((void *)s->backend, &job);
}

/* One after the other: all threads work on each. */
static endo_status build(cpu_store *s, const int32_t *slots, size_t n) {
    endo_status status = ENDO_OK;
    for (size_t i = 0; i < n && status == ENDO_OK; i++) status = enhance(s, slots[i]);
    return status;
}

const cpu_derivation cpu_enhanced = {
    .from = CPU_GREY,
    .applies = applies,
    .take = take,
    .build = build,
};
