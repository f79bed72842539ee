/* Means of squares of pixels, which are in the field where all of their pixels are (reduced_frames.h). */
#include "reduced_frames.h"

#include "base/memory.h"

/* Longest side of a copy, px. Frames of a liver that moves, 836 x 532 and cut apart, came back as one component where they were
 * 318 and 251 px wide, as two with 418 px, as four with 836. */
#define LONGEST 320

struct reduced_frames {
    endo_frames *frames;
    mosaic_size full;
    mosaic_size size;
    int factor;
    int slots;
    int *taken;     /* one a slot: the frame that is there; -1: none */
    uint8_t *grey;  /* a frame */
    uint8_t *small; /* its copy */
    uint8_t *mask;  /* of the copies; NULL: all is inside */
};

int reduced_frames_factor(mosaic_size size) {
    int longer = size.width > size.height ? size.width : size.height;
    return (longer + LONGEST - 1) / LONGEST;
}

/* Rounded mean of a square of f x f pixels. */
static uint8_t mean_of(const uint8_t *from, ptrdiff_t stride, int f) {
    int32_t sum = 0;
    for (int y = 0; y < f; y++)
        for (int x = 0; x < f; x++) sum += from[y * stride + x];
    return (uint8_t)((sum + f * f / 2) / (f * f));
}

static int is_inside(const uint8_t *mask, ptrdiff_t stride, int f) {
    for (int y = 0; y < f; y++)
        for (int x = 0; x < f; x++)
            if (!mask[y * stride + x]) return 0;
    return 1;
}

static void reduce(const reduced_frames *r, const uint8_t *from, uint8_t *to, int is_mask) {
    ptrdiff_t stride = r->full.width;
    for (int y = 0; y < r->size.height; y++)
        for (int x = 0; x < r->size.width; x++) {
            const uint8_t *square = from + y * r->factor * stride + x * r->factor;
            *to++ = is_mask ? (uint8_t)is_inside(square, stride, r->factor) : mean_of(square, stride, r->factor);
        }
}

static endo_status open_store(reduced_frames *r, endo_context *context, const field_of_view *field) {
    endo_frames_options options = endo_frames_options_default();
    if (field->mask) reduce(r, field->mask, r->mask, 1);
    options.width = r->size.width;
    options.height = r->size.height;
    options.type = ENDO_GREY8;
    options.capacity = r->slots;
    options.field = r->mask;
    options.highlights = 1;
    options.flow = 0;
    options.keep_pixels = 0;
    return endo_frames_create(context, &options, &r->frames);
}

endo_status reduced_frames_create(endo_context *context, const field_of_view *field, int slots, reduced_frames **out) {
    reduced_frames *r = endo_alloc_zeroed(1, sizeof *r);
    endo_status status = ENDO_ERR_MEMORY;
    if (r) {
        r->full = field->size;
        r->factor = reduced_frames_factor(field->size);
        r->size = (mosaic_size){.width = field->size.width / r->factor, .height = field->size.height / r->factor};
        r->slots = slots;
        r->taken = endo_alloc((size_t)slots, sizeof *r->taken);
        r->grey = endo_alloc((size_t)r->full.width * (size_t)r->full.height, 1);
        r->small = endo_alloc((size_t)r->size.width * (size_t)r->size.height, 1);
        r->mask = field->mask ? endo_alloc((size_t)r->size.width * (size_t)r->size.height, 1) : NULL;
    }
    if (r && r->taken && r->grey && r->small && (r->mask || !field->mask)) {
        for (int i = 0; i < slots; i++) r->taken[i] = -1;
        status = open_store(r, context, field);
    } else {
        endo_fail(status, "no memory for small copies of frames");
    }
    if (status == ENDO_OK)
        *out = r;
    else
        reduced_frames_destroy(&r);
    return status;
}

void reduced_frames_destroy(reduced_frames **reduced) {
    reduced_frames *r = *reduced;
    *reduced = NULL;
    if (!r) return;
    endo_frames_destroy(&r->frames);
    endo_free(r->taken);
    endo_free(r->grey);
    endo_free(r->small);
    endo_free(r->mask);
    endo_free(r);
}

endo_status reduced_frames_take(reduced_frames *r, const endo_frames *from, int frame, int slot) {
    if (r->taken[slot] == frame) return ENDO_OK;
    r->taken[slot] = -1;
    ENDO_TRY(endo_frames_get_grey(from, slot, r->grey));
    reduce(r, r->grey, r->small, 0);
    ENDO_TRY(endo_frames_put(r->frames, slot, r->small, r->size.width));
    r->taken[slot] = frame;
    return ENDO_OK;
}

endo_frames *reduced_frames_store(const reduced_frames *r) { return r->frames; }

mosaic_size reduced_frames_size(const reduced_frames *r) { return r->size; }

const uint8_t *reduced_frames_mask(const reduced_frames *r) { return r->mask; }

endo_transform reduced_frames_up(const reduced_frames *r, const endo_transform *small) {
    endo_transform up = pose_scaling(r->factor);
    endo_transform down = pose_inverse(&up);
    endo_transform there = pose_times(small, &down);
    endo_transform full = pose_times(&up, &there);
    full.kind = small->kind;
    return small->kind == ENDO_TRANSFORM_TRANSLATION ? pose_translation(full.matrix[2], full.matrix[5]) : full;
}
