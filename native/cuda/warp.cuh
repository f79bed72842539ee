/* One pixel of a frame in the coordinates of another. */
#ifndef ENDO_WARP_CUH
#define ENDO_WARP_CUH

#include "cuda.h"

/* The frames of a store, as kernels that warp read them. */
typedef struct warp_frames {
    const uint8_t *grey, *field, *bilinear;
    size_t area;
    int width, height, stride;
} warp_frames;

static inline warp_frames warp_frames_of(const cuda_store *s) {
    warp_frames f = {s->plain, s->field, s->field_bilinear, s->area, s->options.width, s->options.height, s->stride};
    return f;
}

/* The current frame at the reference's pixel (x, y); 0 where not both frames show something. */
__device__ static inline int warp_pixel(const warp_frames *f, const uint8_t *current, const int64_t *m, int x, int y,
                                        int *warped) {
    int64_t px = endo_position8(m[0] * x + m[1] * y + m[2]), py = endo_position8(m[3] * x + m[4] * y + m[5]);
    if (px < 0 || py < 0 || px > (int64_t)(f->width - 1) * 256 || py > (int64_t)(f->height - 1) * 256) return 0;
    size_t from = (size_t)(py >> 8) * f->stride + (size_t)(px >> 8);
    if (!f->field[(size_t)y * f->stride + x] || !f->bilinear[from]) return 0;
    const uint8_t *top = current + from, *bottom = top + f->stride;
    *warped = endo_bilinear(top[0], top[1], bottom[0], bottom[1], (int)(px & 255), (int)(py & 255));
    return 1;
}

#endif
