/* The extent of a canvas and its limits (canvas_reach.h). */
#include "canvas_reach.h"

#include "events.h"

#include <stdio.h>

canvas_reach reach_create(mosaic_rect field, int64_t limit, const int32_t *numbers) {
    return (canvas_reach){.field = field, .limit = limit, .numbers = numbers};
}

const char *reach_full(const canvas_reach *reach) { return reach->full[0] ? reach->full : NULL; }

void reach_use(canvas_reach *reach, mosaic_rect rect) {
    reach->used = rect;
    reach->is_used = 1;
}

int reach_with(const canvas_reach *reach, const placed_frame *item, mosaic_rect *out) {
    mosaic_rect shown;
    if (!rect_transformed(reach->field, &item->pose, &shown)) return 0;
    *out = reach->is_used ? rect_union(reach->used, shown) : shown;
    return 1;
}

static int longest_side(mosaic_rect r) {
    int width = rect_width(r);
    int height = rect_height(r);
    return width > height ? width : height;
}

int reach_allows(canvas_reach *reach, const placed_frame *item, mosaic_rect *out) {
    mosaic_rect both;
    char why[120];
    if (reach_with(reach, item, &both) && rect_area(both) <= reach->limit && longest_side(both) <= CANVAS_LONGEST) {
        *out = both;
        return 1;
    }
    snprintf(why, sizeof why, "it may have %.10g megapixels (max_canvas, or what the memory allows)",
             (double)reach->limit / 1e6);
    reach_stop(reach, item, why);
    return 0;
}

void reach_stop(canvas_reach *reach, const placed_frame *item, const char *why) {
    mosaic_rect size;
    char wanted[60] = "endlessly large";
    if (reach_with(reach, item, &size)) snprintf(wanted, sizeof wanted, "%d x %d px", rect_width(size), rect_height(size));
    snprintf(reach->full, sizeof reach->full,
             "frame %d: the panorama would be %s, %s; painting stops here, what was painted is kept, registration goes on",
             frame_number(reach->numbers, item->frame), wanted, why);
}
