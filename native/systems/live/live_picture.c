/* Pictures that grow as tiles are put into them (live_picture.h). */
#include "live_picture.h"

#include "base/memory.h"
#include "systems/mosaic/edges.h"

#include <string.h>

/* A tile has this many times the area of a frame at most: the scope is much farther away than it was at first. */
#define MOST_AREAS 16

/* ------------------------------------------------------------------------ tiles */

void live_tile_free(live_tile *tile) {
    endo_free(tile->pixels);
    endo_free(tile->nearness);
    *tile = (live_tile){.pixels = NULL};
}

static endo_status paint(endo_canvas *canvas, const endo_frames *frames, int slot, const endo_transform *pose,
                         live_tile *tile) {
    const endo_posed_frames posed = {
        .slots = &slot,
        .transforms = pose,
        .n = 1,
        .origin_x = -tile->rect.left,
        .origin_y = -tile->rect.top,
    };
    ENDO_TRY(endo_canvas_paint(canvas, frames, &posed, ENDO_PAINT_UNION));
    return endo_canvas_read(canvas, 0, 0, rect_width(tile->rect), rect_height(tile->rect), tile->pixels, tile->nearness);
}

/* Replaces the marks of painted pixels by their nearness to the middle of the frame, in the plane of the preview. */
static void set_nearness(mosaic_size size, const endo_transform *pose, live_tile *tile) {
    double x = (size.width - 1) / 2.0;
    double y = (size.height - 1) / 2.0;
    double from_x = pose_x(pose, x, y);
    double from_y = pose_y(pose, x, y);
    double scale = frame_scale(size, pose);
    double farthest = scale * scale * (x * x + y * y) + 1;
    uint8_t *nearness = tile->nearness;
    for (int row = tile->rect.top; row < tile->rect.bottom; row++)
        for (int column = tile->rect.left; column < tile->rect.right; column++, nearness++) {
            double dx = column - from_x;
            double dy = row - from_y;
            double share = (dx * dx + dy * dy) / farthest;
            if (*nearness) *nearness = share < 1 ? (uint8_t)(255 - (int)(254 * share)) : 1;
        }
}

/* The smallest rectangle around what is painted of a tile; empty: nothing is. */
static mosaic_rect painted_part(const live_tile *tile) {
    mosaic_rect r = {.left = tile->rect.right, .top = tile->rect.bottom, .right = tile->rect.left, .bottom = tile->rect.top};
    const uint8_t *nearness = tile->nearness;
    for (int y = tile->rect.top; y < tile->rect.bottom; y++)
        for (int x = tile->rect.left; x < tile->rect.right; x++) {
            if (!*nearness++) continue;
            if (x < r.left) r.left = x;
            if (x >= r.right) r.right = x + 1;
            if (y < r.top) r.top = y;
            r.bottom = y + 1;
        }
    return r.right > r.left ? r : (mosaic_rect){.left = 0};
}

static endo_status paint_tile(endo_context *context, const endo_frames *frames, endo_pixel type, int slot,
                              const endo_transform *pose, live_tile *tile) {
    endo_canvas *canvas = NULL;
    size_t area = (size_t)rect_area(tile->rect);
    tile->pixels = endo_alloc(area, endo_pixel_size(type));
    tile->nearness = endo_alloc(area, 1);
    if (!tile->pixels || !tile->nearness) return endo_fail(ENDO_ERR_MEMORY, "no memory to paint a frame of the preview");
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
    if (status == ENDO_OK) {
        set_nearness(size, pose, &tile);
        *out = tile;
    } else {
        live_tile_free(&tile);
    }
    return status == ENDO_ERR_ARGUMENT ? ENDO_OK : status; /* a homography that bends too much to be painted */
}

/* --------------------------------------------------------------------- pictures */

void live_pictures_free(live_pictures *pictures) {
    for (int i = 0; i < pictures->n; i++) {
        endo_free(pictures->items[i].pixels);
        endo_free(pictures->items[i].nearness);
    }
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
    int64_t more = (rect_area(room) - (p->pixels ? rect_area(p->room) : 0)) * (int64_t)(size + 1);
    if (pictures->bytes + more > pictures->most) {
        pictures->is_full = 1;
        return ENDO_OK;
    }
    live_picture grown = {.used = p->used, .room = room};
    grown.pixels = endo_alloc_zeroed((size_t)rect_area(room), size);
    grown.nearness = endo_alloc_zeroed((size_t)rect_area(room), 1);
    if (!grown.pixels || !grown.nearness) {
        endo_free(grown.pixels);
        endo_free(grown.nearness);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for a preview of %d x %d px", rect_width(room), rect_height(room));
    }
    if (p->pixels) {
        copy_rect(p->pixels, p->room, grown.pixels, room, p->used, size);
        copy_rect(p->nearness, p->room, grown.nearness, room, p->used, 1);
    }
    endo_free(p->pixels);
    endo_free(p->nearness);
    *p = grown;
    pictures->bytes += more;
    return ENDO_OK;
}

static void put_in(const live_picture *p, const live_tile *tile, mosaic_rect part, size_t bytes) {
    for (int y = part.top; y < part.bottom; y++) {
        size_t from = (size_t)(y - tile->rect.top) * (size_t)rect_width(tile->rect) + (size_t)(part.left - tile->rect.left);
        size_t to = (size_t)(y - p->room.top) * (size_t)rect_width(p->room) + (size_t)(part.left - p->room.left);
        for (int x = 0; x < rect_width(part); x++, from++, to++) {
            if (!tile->nearness[from] || tile->nearness[from] < p->nearness[to]) continue;
            p->nearness[to] = tile->nearness[from];
            memcpy(p->pixels + to * bytes, tile->pixels + from * bytes, bytes);
        }
    }
}

endo_status live_pictures_add(live_pictures *pictures, int component, const live_tile *tile) {
    mosaic_rect part = tile->pixels ? painted_part(tile) : (mosaic_rect){.left = 0};
    if (rect_area(part) == 0) return ENDO_OK;
    ENDO_TRY(reserve(pictures, component));
    live_picture *p = &pictures->items[component - 1];
    if (!p->pixels || !rect_contains(p->room, part)) ENDO_TRY(grow(pictures, p, part));
    if (!p->pixels || !rect_contains(p->room, part)) return ENDO_OK;
    p->used = rect_area(p->used) > 0 ? rect_union(p->used, part) : part;
    put_in(p, tile, part, endo_pixel_size(pictures->type));
    return ENDO_OK;
}

void live_picture_copy(const live_picture *p, endo_pixel type, void *pixels) {
    copy_rect(p->pixels, p->room, pixels, p->used, p->used, endo_pixel_size(type));
}
