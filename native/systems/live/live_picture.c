/* Pictures that grow as tiles are put over them (live_picture.h). */
#include "live_picture.h"

#include "base/memory.h"
#include "systems/mosaic/edges.h"

#include <string.h>

/* A tile has this many times the area of a frame at most: the scope is much farther away than it was at first. */
#define MOST_AREAS 16

/* ------------------------------------------------------------------------ tiles */

void live_tile_free(live_tile *tile) {
    endo_free(tile->pixels);
    endo_free(tile->painted);
    *tile = (live_tile){.pixels = NULL};
}

static endo_status paint(endo_canvas *canvas, const endo_frames *frames, int slot, const endo_transform *pose, live_tile *tile) {
    const endo_posed_frames posed = {
        .slots = &slot,
        .transforms = pose,
        .n = 1,
        .origin_x = -tile->rect.left,
        .origin_y = -tile->rect.top,
    };
    ENDO_TRY(endo_canvas_paint(canvas, frames, &posed, ENDO_PAINT_UNION));
    return endo_canvas_read(canvas, 0, 0, rect_width(tile->rect), rect_height(tile->rect), tile->pixels, tile->painted);
}

static endo_status paint_tile(endo_context *context, const endo_frames *frames, endo_pixel type, int slot,
                              const endo_transform *pose, live_tile *tile) {
    endo_canvas *canvas = NULL;
    size_t area = (size_t)rect_area(tile->rect);
    tile->pixels = endo_alloc(area, endo_pixel_size(type));
    tile->painted = endo_alloc(area, 1);
    if (!tile->pixels || !tile->painted) return endo_fail(ENDO_ERR_MEMORY, "no memory to paint a frame of the preview");
    ENDO_TRY(endo_canvas_create(context, type, rect_width(tile->rect), rect_height(tile->rect), &canvas));
    endo_status status = paint(canvas, frames, slot, pose, tile);
    endo_canvas_destroy(&canvas);
    return status;
}

endo_status live_tile_paint(endo_context *context, const endo_frames *frames, endo_pixel type, int slot,
                            const endo_transform *pose, live_tile *out) {
    mosaic_size size;
    live_tile tile = {.pixels = NULL};
    *out = tile;
    endo_frames_get_size(frames, &size.width, &size.height);
    const mosaic_rect frame = {.right = size.width, .bottom = size.height};
    if (!pose_is_invertible(pose) || !frame_is_shown(size, pose) || !rect_transformed(frame, pose, &tile.rect)) return ENDO_OK;
    if (rect_area(tile.rect) > MOST_AREAS * rect_area(frame)) return ENDO_OK;
    endo_status status = paint_tile(context, frames, type, slot, pose, &tile);
    if (status == ENDO_OK)
        *out = tile;
    else
        live_tile_free(&tile);
    return status == ENDO_ERR_ARGUMENT ? ENDO_OK : status; /* a homography that bends too much to be painted */
}

/* --------------------------------------------------------------------- pictures */

void live_pictures_free(live_pictures *pictures) {
    for (int i = 0; i < pictures->n; i++) endo_free(pictures->items[i].pixels);
    endo_free(pictures->items);
    pictures->items = NULL;
    pictures->n = pictures->capacity = 0;
    pictures->bytes = 0;
}

const live_picture *live_pictures_get(const live_pictures *pictures, int component) {
    if (component < 1 || component > pictures->n || !pictures->items[component - 1].pixels) return NULL;
    return &pictures->items[component - 1];
}

static endo_status reserve(live_pictures *pictures, int component) {
    void *items = pictures->items;
    ENDO_TRY(mosaic_reserve(&items, &pictures->capacity, component, sizeof *pictures->items));
    pictures->items = items;
    for (; pictures->n < component; pictures->n++) pictures->items[pictures->n] = (live_picture){.pixels = NULL};
    return ENDO_OK;
}

static void copy_rect(const uint8_t *from, mosaic_rect from_rect, uint8_t *to, mosaic_rect to_rect, mosaic_rect what,
                      size_t bytes) {
    size_t row = (size_t)rect_width(what) * bytes;
    for (int y = what.top; y < what.bottom; y++) {
        size_t a = (size_t)(y - from_rect.top) * (size_t)rect_width(from_rect) + (size_t)(what.left - from_rect.left);
        size_t b = (size_t)(y - to_rect.top) * (size_t)rect_width(to_rect) + (size_t)(what.left - to_rect.left);
        memcpy(to + b * bytes, from + a * bytes, row);
    }
}

/* The rectangle with some space on the sides where the picture grows. */
static mosaic_rect with_space(mosaic_rect room, mosaic_rect wanted) {
    int width = rect_width(wanted) / 8 + 64;
    int height = rect_height(wanted) / 8 + 64;
    if (wanted.left < room.left) wanted.left -= width;
    if (wanted.right > room.right) wanted.right += width;
    if (wanted.top < room.top) wanted.top -= height;
    if (wanted.bottom > room.bottom) wanted.bottom += height;
    return wanted;
}

static endo_status grow(live_pictures *pictures, live_picture *p, mosaic_rect wanted) {
    size_t size = endo_pixel_size(pictures->type);
    mosaic_rect room = with_space(p->room, p->pixels ? rect_union(p->room, wanted) : wanted);
    int64_t bytes = rect_area(room) * (int64_t)size;
    int64_t before = p->pixels ? rect_area(p->room) * (int64_t)size : 0;
    if (pictures->bytes - before + bytes > pictures->most) {
        pictures->is_full = 1;
        return ENDO_OK;
    }
    uint8_t *pixels = endo_alloc_zeroed((size_t)rect_area(room), size);
    if (!pixels) return endo_fail(ENDO_ERR_MEMORY, "no memory for a preview of %d x %d px", rect_width(room), rect_height(room));
    if (p->pixels) copy_rect(p->pixels, p->room, pixels, room, p->used, size);
    endo_free(p->pixels);
    p->pixels = pixels;
    p->room = room;
    pictures->bytes += bytes - before;
    return ENDO_OK;
}

static void put_over(const live_picture *p, const live_tile *tile, size_t bytes) {
    int width = rect_width(tile->rect);
    for (int y = tile->rect.top; y < tile->rect.bottom; y++) {
        size_t from = (size_t)(y - tile->rect.top) * (size_t)width;
        size_t to = (size_t)(y - p->room.top) * (size_t)rect_width(p->room) + (size_t)(tile->rect.left - p->room.left);
        for (int x = 0; x < width; x++)
            if (tile->painted[from + (size_t)x])
                memcpy(p->pixels + (to + (size_t)x) * bytes, tile->pixels + (from + (size_t)x) * bytes, bytes);
    }
}

endo_status live_pictures_add(live_pictures *pictures, int component, const live_tile *tile) {
    if (!tile->pixels) return ENDO_OK;
    ENDO_TRY(reserve(pictures, component));
    live_picture *p = &pictures->items[component - 1];
    if (!p->pixels || !rect_contains(p->room, tile->rect)) ENDO_TRY(grow(pictures, p, tile->rect));
    if (!p->pixels || !rect_contains(p->room, tile->rect)) return ENDO_OK;
    p->used = rect_area(p->used) > 0 ? rect_union(p->used, tile->rect) : tile->rect;
    put_over(p, tile, endo_pixel_size(pictures->type));
    return ENDO_OK;
}

void live_picture_copy(const live_picture *p, endo_pixel type, void *pixels) {
    copy_rect(p->pixels, p->room, pixels, p->used, p->used, endo_pixel_size(type));
}
