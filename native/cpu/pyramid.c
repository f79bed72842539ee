/* The flow pyramid: halved images minus their recursively smoothed copies ([S] Table A.1, a_IIR). The
 * smoothing is normalised by the smoothed field, so that the dark surround does not bleed in. */
#include "derived.h"

#include "base/mask.h"

#include <string.h>

/* The working memory of a thread that builds the levels of one frame. */
typedef struct workspace {
    uint8_t *grey, *next;         /* halved images, dense: the level being built, and the one after */
    uint8_t *valid, *next_valid;  /* halved masks of those two; NULL where the mask is the field's */
    int16_t *image, *transposed;  /* rows of endo_plane_stride() */
} workspace;

/* The image that is halved until a level's size is reached. */
typedef struct halving {
    const uint8_t *grey;
    ptrdiff_t stride;
    int width, height;
} halving;

static void workspace_free(workspace *w) {
    endo_free(w->grey);
    endo_free(w->valid);
    endo_free(w->next);
    endo_free(w->next_valid);
    endo_free(w->image);
    endo_free(w->transposed);
}

static int workspace_create(const cpu_store *s, workspace *w) {
    size_t area = (size_t)s->options.width * s->options.height, side = endo_plane_stride(ENDO_FLOW_SIDE, 0);
    int has_masks = s->options.highlights == 1;
    w->grey = endo_alloc(area / 4, 1), w->next = endo_alloc(area / 4, 1); /* they swap roles */
    if (has_masks) w->valid = endo_alloc(area, 1), w->next_valid = endo_alloc(area, 1);
    w->image = endo_alloc(side * side, 2), w->transposed = endo_alloc(side * side, 2);
    return w->grey && w->next && (!has_masks || (w->valid && w->next_valid)) && w->image && w->transposed;
}

static void halve(const cpu_store *s, const uint8_t *in, ptrdiff_t stride, int width, int height, uint8_t *out) {
    for (int y = 0; y < height / 2; y++)
        s->backend->variant->pyramid->halve_row(in + 2 * y * stride, in + (2 * y + 1) * stride, width / 2,
                                       out + (size_t)y * (width / 2));
}

/* Columns, then rows: rows as the columns of the transposed image. */
static void smooth(const cpu_store *s, const endo_field_level *level, workspace *w) {
    const cpu_variant *v = s->backend->variant;
    int width = level->size.width, height = level->size.height;
    ptrdiff_t transposed_stride = endo_plane_stride(height, 0);
    v->pyramid->smooth_columns(w->image, level->stride, width, height, s->field->smoothing);
    v->pyramid->transpose(w->image, level->stride, width, height, w->transposed, transposed_stride);
    v->pyramid->smooth_columns(w->transposed, transposed_stride, height, width, s->field->smoothing);
    v->pyramid->transpose(w->transposed, transposed_stride, height, width, w->image, level->stride);
}

static void load_masked(const endo_field_level *level, const halving *now, workspace *w) {
    for (int y = 0; y < level->size.height; y++) {
        const uint8_t *in = now->grey + y * now->stride, *field = level->mask + (size_t)y * level->size.width;
        int16_t *out = w->image + y * level->stride;
        for (int x = 0; x < level->size.width; x++) out[x] = (int16_t)((in[x] & field[x]) * ENDO_FLOW_ONE);
    }
}

static void subtract(const cpu_store *s, const endo_field_level *level, const halving *now, const workspace *w,
                     int16_t *out) {
    const uint8_t *mask = w->valid ? w->valid : level->mask;
    for (int y = 0; y < level->size.height; y++) {
        const uint8_t *grey = now->grey + y * now->stride, *valid = mask + (size_t)y * level->size.width;
        const int16_t *smoothed = w->image + y * level->stride, *gain = level->gain + y * level->stride;
        int16_t *row = out + y * level->stride;
        for (int x = 0; x < level->size.width; x++) {
            int32_t difference = s->field->smoothing ? endo_smooth_difference(grey[x], smoothed[x], gain[x])
                                              : grey[x] * ENDO_FLOW_ONE;
            row[x] = (int16_t)(valid[x] ? difference : ENDO_FLOW_INVALID);
        }
    }
}

static void swap(uint8_t **a, uint8_t **b) {
    uint8_t *t = *a;
    *a = *b, *b = t;
}

/* Down until a level's size is reached. */
static void descend(const cpu_store *s, const endo_field_level *level, halving *now, workspace *w) {
    while (now->width != level->size.width || now->height != level->size.height) {
        halve(s, now->grey, now->stride, now->width, now->height, w->next);
        if (w->valid) {
            endo_mask_halve(w->valid, now->width, now->height, w->next_valid);
            swap(&w->valid, &w->next_valid);
        }
        swap(&w->grey, &w->next);
        halving half = {w->grey, now->width / 2, now->width / 2, now->height / 2};
        *now = half;
    }
}

/* The field less highlights. */
static void load_mask(const cpu_store *s, const cpu_frame *f, uint8_t *valid) {
    for (int y = 0; y < s->options.height; y++, valid += s->options.width) {
        const uint8_t *field = s->field->mask + y * s->stride, *specular = f->specular + y * s->stride;
        for (int x = 0; x < s->options.width; x++) valid[x] = (uint8_t)(field[x] & ~specular[x]);
    }
}

/* Builds the levels of a frame from level `first` on. */
static void build_frame(const cpu_store *s, const cpu_frame *f, int first, workspace *w) {
    halving now = {f->grey, s->stride, s->options.width, s->options.height};
    if (w->valid) load_mask(s, f, w->valid);
    for (int l = first; l < s->field->n_levels; l++) {
        const endo_field_level *level = &s->field->levels[l];
        descend(s, level, &now, w);
        if (s->field->smoothing) {
            load_masked(level, &now, w);
            smooth(s, level, w);
        }
        subtract(s, level, &now, w, f->levels[l]);
    }
}

/* A thread a frame. */
static endo_status build_from(cpu_store *s, const int32_t *slots, size_t n, int first) {
    int failed = 0;
#pragma omp parallel num_threads(cpu_threads(s->backend, n)) reduction(| : failed)
    {
        workspace w = {0};
        int ready = workspace_create(s, &w);
        failed |= !ready;
#pragma omp for schedule(dynamic, 1)
        for (size_t i = 0; i < n; i++)
            if (ready) build_frame(s, &s->frames[slots[i]], first, &w);
        workspace_free(&w);
    }
    return failed ? endo_fail(ENDO_ERR_MEMORY, "no memory for a pyramid") : ENDO_OK;
}

static endo_status build(cpu_store *s, const int32_t *slots, size_t n) { return build_from(s, slots, n, 0); }

static endo_status build_rough(cpu_store *s, const int32_t *slots, size_t n) {
    return build_from(s, slots, n, endo_flow_last_level(s->options.width, s->options.height, 1));
}

static int applies(const cpu_store *s) { return s->field->n_levels > 0; }

static void take(cpu_store *s) {
    for (int l = 0; l < s->field->n_levels; l++) {
        const endo_flow_level *size = &s->field->levels[l].size;
        endo_plane_format format = {ENDO_PLANE_S16, size->width, size->height, s->options.capacity};
        s->levels[l] = cpu_plane_take(&s->arena, &format, 0);
        for (int i = 0; s->levels[l].samples && i < s->options.capacity; i++)
            s->frames[i].levels[l] = cpu_plane_slice(&s->levels[l], i);
    }
}

const cpu_derivation cpu_pyramid = {
    .from = CPU_ENHANCED,
    .applies = applies,
    .take = take,
    .build = build,
};

/* The pyramid of rough registration, in the memory that cpu_pyramid has taken. */
const cpu_derivation cpu_rough_pyramid = {
    .from = CPU_ENHANCED,
    .applies = applies,
    .build = build_rough,
};
