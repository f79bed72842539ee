/* The field of view of a sequence from some of its frames.
 *
 * Each frame votes for what it shows. The accumulated maximum alone would mislead where the circle moves a
 * little on the sensor: it is the union of all circles and keeps a dark rim in each frame; and where it is
 * dark in one corner in every frame although nothing is framed. So circles are intersected, and the maximum
 * decides only among frames that show no circle.
 *
 * A vote is taken on a reduced frame: shape and circle need no more, and 16 votes on large frames would take
 * longer than registering them. */
#include "field_finder.h"

#include <string.h>

/* A vote works on every n-th pixel and row, so that no side is longer. */
#define VOTE_SIDE 640

struct endo_field_finder {
    endo_context *context;
    int width, height, low, high;
    endo_pixel type;
    int votes[3];       /* by endo_field_shape */
    uint8_t *brightest; /* of all frames */
    int step;           /* every so many pixels vote */
    uint8_t *single;    /* grey of one frame */
    uint8_t *reduced, *reduced_mask;
    uint8_t *common; /* intersection of the circles */
    endo_field_info circle; /* of the last frame that showed one */
};

int endo_finder_width(const endo_field_finder *f) { return f->width; }

endo_status endo_finder_make(endo_context *context, const endo_field_image *like, endo_field_finder **out) {
    int width = like->width, height = like->height;
    size_t area = (size_t)width * height;
    endo_field_finder *f = endo_alloc_zeroed(1, sizeof *f);
    if (f) {
        f->context = context;
        f->width = width, f->height = height, f->low = like->low, f->high = like->high, f->type = like->type;
        f->brightest = endo_alloc_zeroed(area, 1);
        f->single = endo_alloc(area, 1);
        f->step = ((width > height ? width : height) + VOTE_SIDE - 1) / VOTE_SIDE;
        f->reduced = endo_alloc(area, 1);
        f->reduced_mask = endo_alloc(area, 1);
        f->common = endo_alloc(area, 1);
    }
    if (!f || !f->brightest || !f->single || !f->reduced || !f->reduced_mask || !f->common) {
        endo_finder_free(f);
        return endo_fail(ENDO_ERR_MEMORY, "no memory to find the field of %d x %d pixels", width, height);
    }
    memset(f->common, 255, area);
    *out = f;
    return ENDO_OK;
}

void endo_finder_free(endo_field_finder *f) {
    if (!f) return;
    endo_free(f->brightest);
    endo_free(f->single);
    endo_free(f->reduced);
    endo_free(f->reduced_mask);
    endo_free(f->common);
    endo_free(f);
}

/* What the frame in `single` shows, in its own pixels. */
static endo_status vote(endo_field_finder *f, endo_field_info *info) {
    int step = f->step, width = (f->width + step - 1) / step, height = (f->height + step - 1) / step;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            f->reduced[(size_t)y * width + x] = f->single[(size_t)y * step * f->width + (size_t)x * step];
    endo_status status = endo_field_find(f->reduced, width, height, f->reduced_mask, info);
    if (status != ENDO_OK) return status;
    info->x *= step, info->y *= step, info->radius *= step;
    info->left *= step, info->top *= step;
    info->right = info->right == width - 1 ? f->width - 1 : info->right * step;
    info->bottom = info->bottom == height - 1 ? f->height - 1 : info->bottom * step;
    return ENDO_OK;
}

/* The circle and its box; as far inside, in voting pixels, as the mask of endo_field_detect. */
static void intersect(endo_field_finder *f, const endo_field_info *info) {
    double radius = info->radius - 1.5 * f->step;
#pragma omp parallel for num_threads(f->context->threads) if (f->step > 1)
    for (int y = 0; y < f->height; y++)
        for (int x = 0; x < f->width; x++) {
            double dx = x - info->x, dy = y - info->y;
            int inside = x >= info->left && x <= info->right && y >= info->top && y <= info->bottom &&
                         dx * dx + dy * dy <= radius * radius;
            if (!inside) f->common[(size_t)y * f->width + x] = 0;
        }
}

endo_status endo_finder_take(endo_field_finder *f, const void *pixels, ptrdiff_t stride) {
    size_t area = (size_t)f->width * f->height;
    endo_field_info info;
    memset(f->single, 0, area);
    endo_field_image image = {pixels, f->type, f->width, f->height, stride, f->low, f->high};
    endo_field_brighten(&image, f->context->threads, f->single);
    endo_status status = vote(f, &info);
    if (status != ENDO_OK) return status;
    f->votes[info.shape]++;
#pragma omp parallel for num_threads(f->context->threads) if (f->step > 1)
    for (size_t i = 0; i < area; i++)
        if (f->single[i] > f->brightest[i]) f->brightest[i] = f->single[i];
    if (info.shape == ENDO_FIELD_CIRCLE) {
        f->circle = info;
        intersect(f, &info);
    }
    return ENDO_OK;
}

static void take_whole(const endo_field_finder *f, uint8_t *mask, endo_field_info *info) {
    endo_field_info whole = {.shape = ENDO_FIELD_WHOLE, .right = f->width - 1, .bottom = f->height - 1};
    memset(mask, 255, (size_t)f->width * f->height);
    *info = whole;
}

static size_t count_common(const endo_field_finder *f) {
    size_t count = 0, area = (size_t)f->width * f->height;
    for (size_t i = 0; i < area; i++) count += f->common[i] != 0;
    return count;
}

/* The intersection's own bounding box goes with it. */
static void take_common(const endo_field_finder *f, uint8_t *mask, endo_field_info *info) {
    endo_box box = endo_mask_bounds(f->common, f->width, f->height);
    memcpy(mask, f->common, (size_t)f->width * f->height);
    *info = f->circle;
    info->left = box.left, info->top = box.top, info->right = box.right, info->bottom = box.bottom;
}

endo_status endo_finder_decide(const endo_field_finder *f, uint8_t *mask, endo_field_info *info) {
    int circles = f->votes[ENDO_FIELD_CIRCLE], wholes = f->votes[ENDO_FIELD_WHOLE];
    int frames = circles + wholes + f->votes[ENDO_FIELD_OTHER];
    if (frames == 0 || 2 * wholes > frames) {
        take_whole(f, mask, info);
        return ENDO_OK;
    }
    /* An intersection of circles that move about may leave little: then the maximum is the better guess. */
    if (2 * circles < frames || 4 * count_common(f) < (size_t)f->width * f->height)
        return endo_field_find(f->brightest, f->width, f->height, mask, info);
    take_common(f, mask, info);
    return ENDO_OK;
}
