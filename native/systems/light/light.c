/* Small pictures of frames, kept until the poses are known. */
#include "light.h"
#include "base/threads.h"

#include <string.h>


static light_grid grid_of(const light_frame *f) {
    int side = (f->width + LIGHT_CELLS - 1) / LIGHT_CELLS;
    return (light_grid){
        .side = side,
        .step = (side + LIGHT_READ - 1) / LIGHT_READ,
        .columns = (f->width + side - 1) / side,
        .rows = (f->height + side - 1) / side,
    };
}

endo_status light_make(endo_context *context, const light_frame *like, const uint8_t *field, endo_light **out) {
    size_t area = (size_t)like->width * (size_t)like->height;
    endo_light *light = endo_alloc_zeroed(1, sizeof *light);
    if (light) {
        light->context = endo_context_keep(context);
        light->frame = *like;
        light->grid = grid_of(like);
        light->field = endo_alloc(area, 1);
        light->inside = endo_alloc_zeroed(light_cells(&light->grid), sizeof *light->inside);
        light->read = endo_alloc(light_reads(&light->grid), 1);
    }
    if (!light || !light->field || !light->inside || !light->read) {
        light_free(light);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the light of frames of %d x %d", like->width, like->height);
    }
#pragma omp parallel for num_threads(context->threads) schedule(static) if (area > ENDO_MANY_PIXELS)
    for (size_t i = 0; i < area; i++) light->field[i] = !field || field[i] ? 255 : 0;
    light_count_inside(&light->frame, &light->grid, light->field,
                       area > ENDO_MANY_PIXELS ? context->threads : 1, light->inside);
    light_read_field(&light->frame, &light->grid, light->field, light->read);
    *out = light;
    return ENDO_OK;
}

void light_free(endo_light *light) {
    if (!light) return;
    for (int i = 0; i < light->capacity; i++) endo_free(light->pictures[i]);
    endo_free(light->pictures);
    endo_free(light->field);
    endo_free(light->inside);
    endo_free(light->read);
    endo_context_let_go(light->context);
    endo_free(light);
}

/* Makes memory for the picture of this frame; 0: there is none. */
static int reserve(endo_light *light, int frame) {
    if (frame < light->capacity) return 1;
    int capacity = frame < 64 ? 64 : 2 * frame;
    light_cell **pictures = endo_alloc_zeroed((size_t)capacity, sizeof *pictures);
    if (!pictures) return 0;
    if (light->capacity) memcpy(pictures, light->pictures, (size_t)light->capacity * sizeof *pictures);
    endo_free(light->pictures);
    light->pictures = pictures;
    light->capacity = capacity;
    return 1;
}

/* The frame's picture, made where there is none; NULL: no memory. */
static light_cell *picture_of(endo_light *light, int frame) {
    if (!reserve(light, frame)) return NULL;
    if (!light->pictures[frame]) light->pictures[frame] = endo_alloc(light_cells(&light->grid), sizeof(light_cell));
    return light->pictures[frame];
}

/* Several threads may call this at once, with different frames. */
endo_status light_take(endo_light *light, int frame, const void *pixels, ptrdiff_t stride) {
    light_cell *cells;
#pragma omp critical(endo_light_pictures)
    cells = picture_of(light, frame);
    if (!cells) return endo_fail(ENDO_ERR_MEMORY, "no memory for the light of frame %d", frame);
    light_shrink(light, pixels, stride, cells);
    return ENDO_OK;
}
