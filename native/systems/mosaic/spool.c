/* Frames that were put one by one: the first ones in memory, those beyond its limit in a scratch file. */
#include "spool.h"

#include "base/memory.h"
#include "base/scratch_file.h"
#include "edges.h"

#include <stdio.h>
#include <string.h>

struct mosaic_spool {
    endo_pixel type;
    int width;
    int height;
    size_t bytes;  /* bytes of a frame */
    int most;      /* frames in memory at most */
    const char *scratch;
    void **frames; /* frames in memory */
    int capacity;
    int n; /* number of all frames */
    endo_scratch_file *file; /* frames from `most` on; NULL: none yet */
    void *row;               /* buffer for a frame of the file */
};

endo_status spool_create(endo_pixel type, int width, int height, int64_t memory, const char *scratch, mosaic_spool **out) {
    mosaic_spool *s = endo_alloc_zeroed(1, sizeof *s);
    if (!s) return endo_fail(ENDO_ERR_MEMORY, "no memory for frames");
    s->type = type;
    s->width = width;
    s->height = height;
    s->bytes = (size_t)width * (size_t)height * endo_pixel_size(type);
    int64_t most = memory / (int64_t)s->bytes;
    s->most = most > INT32_MAX ? INT32_MAX : (int)most;
    s->scratch = scratch;
    *out = s;
    return ENDO_OK;
}

void spool_destroy(mosaic_spool **spool) {
    if (!spool || !*spool) return;
    mosaic_spool *s = *spool;
    for (int i = 0; i < s->n && i < s->most; i++) endo_free(s->frames[i]);
    endo_free(s->frames);
    endo_free(s->row);
    endo_scratch_destroy(&s->file);
    endo_free(s);
    *spool = NULL;
}

int spool_is_like(const mosaic_spool *s, endo_pixel type, int width, int height) {
    return s->type == type && s->width == width && s->height == height;
}

static void copy_rows(const mosaic_spool *s, const void *pixels, ptrdiff_t stride, void *to) {
    size_t row = (size_t)s->width * endo_pixel_size(s->type);
    size_t step = (size_t)stride * endo_pixel_size(s->type);
    for (int y = 0; y < s->height; y++) memcpy((char *)to + (size_t)y * row, (const char *)pixels + (size_t)y * step, row);
}

static endo_status put_in_memory(mosaic_spool *s, const void *pixels, ptrdiff_t stride) {
    ENDO_TRY(ARRAY_RESERVE(s->frames, s->capacity, s->n + 1));
    s->frames[s->n] = endo_alloc(s->bytes, 1);
    if (!s->frames[s->n])
        return endo_fail(ENDO_ERR_MEMORY, "no memory for frame %d of %d x %d px", s->n + 1, s->width, s->height);
    copy_rows(s, pixels, stride, s->frames[s->n]);
    s->n++;
    return ENDO_OK;
}

static endo_status put_in_file(mosaic_spool *s, const void *pixels, ptrdiff_t stride) {
    if (!s->scratch)
        return endo_fail(ENDO_ERR_MEMORY,
                         "frame %d: option memory holds %d frames of %d x %d px; allow more, or name a scratch folder",
                         s->n + 1, s->most, s->width, s->height);
    if (!s->file) ENDO_TRY(endo_scratch_create(s->scratch, &s->file));
    if (!s->row) s->row = endo_alloc(s->bytes, 1);
    if (!s->row) return endo_fail(ENDO_ERR_MEMORY, "no memory for a frame of %d x %d px", s->width, s->height);
    copy_rows(s, pixels, stride, s->row);
    ENDO_TRY(endo_scratch_write(s->file, (uint64_t)(s->n - s->most) * s->bytes, s->row, s->bytes));
    s->n++;
    return ENDO_OK;
}

endo_status spool_put(mosaic_spool *s, const void *pixels, ptrdiff_t stride) {
    return s->n < s->most ? put_in_memory(s, pixels, stride) : put_in_file(s, pixels, stride);
}

/* ----------------------------------------------------------------- as a sequence */

static const void *lend(void *user, int32_t frame, char *reason) {
    mosaic_spool *s = user;
    if (frame < s->most) return s->frames[frame];
    void *pixels = endo_alloc(s->bytes, 1);
    if (!pixels) {
        snprintf(reason, ENDO_REASON_SIZE, "no memory for it");
        return NULL;
    }
    if (endo_scratch_read(s->file, (uint64_t)(frame - s->most) * s->bytes, pixels, s->bytes) == ENDO_OK) return pixels;
    snprintf(reason, ENDO_REASON_SIZE, "%s", endo_last_error());
    endo_free(pixels);
    return NULL;
}

static void give_back(void *user, int32_t frame, const void *pixels) {
    const mosaic_spool *s = user;
    if (frame >= s->most) endo_free((void *)pixels);
}

endo_mosaic_source spool_source(mosaic_spool *s) {
    endo_mosaic_source source = {.lend = lend, .give_back = give_back, .user = s};
    if (!s) return source;
    source.frames = s->n;
    source.width = s->width;
    source.height = s->height;
    source.type = s->type;
    return source;
}
