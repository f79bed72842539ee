/* Registration in windows (pair_windows.h). Where two frames share a twelfth, hardly a patch of their grids lies in it, and
 * none in a small level. Cut out, it is a pair of small frames that share nearly all: patches, levels, judgement and rivals are
 * those of any pair. A window is long and thin, and says little of shear: similarities are the most general maps. */
#include "pair_windows.h"

#include "base/transform.h"
#include "map_agreement.h"
#include "pair_refine.h"
#include "pair_rivals.h"

#include <math.h>
#include <string.h>

/* Windows of more than this share of the frame are not made: the frames' own patches suffice. */
#define MOST_SHARE 0.4
/* Least side of a window, px: a patch of the level of 1/4 has 12 pixels, and in smaller windows fewer. */
#define LEAST_SIDE 24
/* Points along a side at which it is asked what both frames show. */
#define ASKED 64
/* Pixels around what both show, as a share of the frame's longer side: that far a start may be off. */
#define MARGIN (1.0 / 64)
/* Times that windows are cut, each time where the one before says, as long as the pair is doubtful: a start is some px off, and
 * windows are too small to halve them often. */
#define ROUNDS 2
/* Largest distance of a result from its start, as a share of the frame's longer side: root mean square over the frame. A start
 * is some px off and a degree; what turns and grows further in a window of a few periods of a lattice is another place of
 * it. */
#define FAR_FROM_START (1.0 / 8)

/* Two windows of one size, px, and where they begin. */
typedef struct pair_windows {
    int width, height;
    int reference_x, reference_y;
    int current_x, current_y;
} pair_windows;

typedef struct bounds {
    double left, right, top, bottom;
} bounds;

static void extend(bounds *b, double x, double y) {
    b->left = fmin(b->left, x);
    b->right = fmax(b->right, x);
    b->top = fmin(b->top, y);
    b->bottom = fmax(b->bottom, y);
}

static int is_in_field(const endo_frames *frames, double x, double y) {
    int width = frames->options.width;
    if (!(x >= 0 && y >= 0 && x <= width - 1 && y <= frames->options.height - 1)) return 0;
    return frames->field[(size_t)y * (size_t)width + (size_t)x];
}

/* Bounds in both frames of what both show; returns its share of the frame. */
static double find_overlap(const endo_frames *frames, const endo_transform *start, bounds *reference, bounds *current) {
    int n = 0;
    *reference = *current = (bounds){INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (int i = 0; i < ASKED * ASKED; i++) {
        double x = (i % ASKED + 0.5) * frames->options.width / ASKED - 0.5;
        double y = (i / ASKED + 0.5) * frames->options.height / ASKED - 0.5;
        double u, v;
        endo_affine_apply(start->matrix, x, y, &u, &v);
        if (!is_in_field(frames, x, y) || !is_in_field(frames, u, v)) continue;
        extend(current, x, y);
        extend(reference, u, v);
        n++;
    }
    return (double)n / (ASKED * ASKED);
}

static int side_of(double extent, double margin, int most) {
    int side = (int)ceil(extent + 2 * margin);
    return side < most ? side : most;
}

/* Where a window of a side begins, so that its middle is that of low .. high, as far as the frame reaches. */
static int begin_of(double low, double high, int side, int length) {
    int at = (int)floor((low + high - side + 1) / 2 + 0.5);
    return at < 0 ? 0 : at > length - side ? length - side : at;
}

/* 0: the windows would be a large part of the frames, or too small. */
static int choose_windows(const endo_frames *frames, const endo_transform *start, pair_windows *w) {
    bounds r, c;
    int width = frames->options.width;
    int height = frames->options.height;
    double margin = MARGIN * (width > height ? width : height);
    double share = find_overlap(frames, start, &r, &c);
    if (!(share > 0 && share <= MOST_SHARE)) return 0;
    w->width = side_of(fmax(r.right - r.left, c.right - c.left), margin, width);
    w->height = side_of(fmax(r.bottom - r.top, c.bottom - c.top), margin, height);
    w->reference_x = begin_of(r.left, r.right, w->width, width);
    w->reference_y = begin_of(r.top, r.bottom, w->height, height);
    w->current_x = begin_of(c.left, c.right, w->width, width);
    w->current_y = begin_of(c.top, c.bottom, w->height, height);
    return w->width >= LEAST_SIDE && w->height >= LEAST_SIDE;
}

/* ------------------------------------------------------------------------ frames */

/* The pixels of both fields. */
static void cut_field(const endo_frames *frames, const pair_windows *w, uint8_t *out) {
    size_t stride = (size_t)frames->options.width;
    for (int y = 0; y < w->height; y++)
        for (int x = 0; x < w->width; x++) {
            size_t one = (size_t)(w->reference_y + y) * stride + (size_t)(w->reference_x + x);
            size_t other = (size_t)(w->current_y + y) * stride + (size_t)(w->current_x + x);
            *out++ = frames->field[one] && frames->field[other];
        }
}

/* A store of both windows: slot 0 the reference's, slot 1 the current frame's. The grey images are equalized already, and
 * without the pattern. memory: for a frame. */
static endo_status cut_windows(endo_frames *frames, const endo_pair *pair, const pair_windows *w, uint8_t *memory,
                               endo_frames **out) {
    const endo_frames_kernels *kernels = frames->context->kernels->frames;
    ptrdiff_t stride = frames->options.width;
    endo_frames *cut = NULL;
    endo_frames_options options = endo_frames_options_default();
    options.width = w->width;
    options.height = w->height;
    options.capacity = 2;
    options.highlights = frames->options.highlights;
    options.flow = 0;
    options.keep_pixels = 0;
    options.field = memory;
    cut_field(frames, w, memory);
    ENDO_TRY(endo_frames_create(frames->context, &options, &cut));
    endo_status status = kernels->get_grey(frames->store, pair->reference, memory);
    if (status == ENDO_OK) status = endo_frames_put(cut, 0, memory + w->reference_y * stride + w->reference_x, stride);
    if (status == ENDO_OK) status = kernels->get_grey(frames->store, pair->current, memory);
    if (status == ENDO_OK) status = endo_frames_put(cut, 1, memory + w->current_y * stride + w->current_x, stride);
    if (status == ENDO_OK)
        *out = cut;
    else
        endo_frames_destroy(&cut);
    return status;
}

/* ------------------------------------------------------------------ registration */

/* Moves a map between frames that begin elsewhere: (x, y) is added to where a point of the current one comes from, (u, v) to
 * where it goes. */
static endo_transform moved(const endo_transform *map, double x, double y, double u, double v) {
    endo_transform out = *map;
    const double *m = map->matrix;
    out.matrix[2] = m[2] - m[0] * x - m[1] * y + u;
    out.matrix[5] = m[5] - m[3] * x - m[4] * y + v;
    return out;
}

/* Errors of a turn and of scale grow with the distance from the window's middle: root mean square over the frame, over that in
 * the window. */
static double growth(const endo_frames *frames, const pair_windows *w) {
    double width = frames->options.width;
    double height = frames->options.height;
    double x = w->current_x + w->width / 2.0 - width / 2;
    double y = w->current_y + w->height / 2.0 - height / 2;
    double frame = (width * width + height * height) / 12 + x * x + y * y;
    return sqrt(12 * frame / ((double)w->width * w->width + (double)w->height * w->height));
}

/* Refines from a start, reference -> current, in the windows; a result that is certain is compared with its rivals, and is none
 * where they are as good. */
static endo_status register_cut(endo_frames *cut, const endo_transform *start, endo_transform_class kind,
                                endo_pair_result *result) {
    static const uint8_t all[1] = {1};
    const endo_layer_mask mask = {.columns = 1, .rows = 1, .layer = 1, .cells = all};
    const endo_pair pair = {.reference = 0, .current = 1};
    int32_t repeats;
    ENDO_TRY(endo_pairs_refine_layers(cut, &pair, start, &mask, 1, kind, result));
    if (result->status != ENDO_PAIR_OK) return ENDO_OK;
    ENDO_TRY(endo_rivals_try(cut, &pair, 1, kind, result, &repeats));
    if (result->status != ENDO_PAIR_OK) result->status = ENDO_PAIR_JUMP;
    return ENDO_OK;
}

/* Registers in the windows that a start leaves. *result: JUMP where there are none. */
static endo_status register_from(endo_frames *frames, const endo_pair *pair, const endo_transform *start,
                                 endo_transform_class kind, endo_pair_result *result) {
    pair_windows w;
    endo_transform forward;
    endo_frames *cut = NULL;
    result->status = ENDO_PAIR_JUMP;
    if (!choose_windows(frames, start, &w)) return ENDO_OK;
    endo_transform first = moved(start, -w.current_x, -w.current_y, -w.reference_x, -w.reference_y);
    if (!endo_transform_inverse(&first, &forward)) return ENDO_OK;
    uint8_t *memory = endo_alloc((size_t)frames->options.width * (size_t)frames->options.height, 1);
    if (!memory) return endo_fail(ENDO_ERR_MEMORY, "no memory for windows of a pair");
    endo_status status = cut_windows(frames, pair, &w, memory, &cut);
    endo_free(memory);
    if (status == ENDO_OK) status = register_cut(cut, &forward, kind, result);
    endo_frames_destroy(&cut);
    result->transform = moved(&result->transform, w.current_x, w.current_y, w.reference_x, w.reference_y);
    if (result->transform.kind != ENDO_TRANSFORM_TRANSLATION) result->deviation *= growth(frames, &w);
    result->perspective_deviation = result->lens_deviation = NAN;
    return status;
}

endo_status endo_pair_register_in_windows(endo_frames *frames, const endo_pair *pair, const endo_transform *start,
                                          endo_transform_class kind, endo_pair_result *result) {
    endo_pair_result found = *result;
    endo_transform from = *start;
    const endo_frame_size size = {frames->options.width, frames->options.height};
    double far = FAR_FROM_START * (size.width > size.height ? size.width : size.height);
    int is_simple = kind == ENDO_TRANSFORM_TRANSLATION || kind == ENDO_TRANSFORM_RIGID;
    if (start->kind == ENDO_TRANSFORM_HOMOGRAPHY) return ENDO_OK;
    for (int round = 0; round < ROUNDS; round++) {
        ENDO_TRY(register_from(frames, pair, &from, is_simple ? kind : ENDO_TRANSFORM_SIMILARITY, &found));
        if (found.status == ENDO_PAIR_OK && !(endo_map_distance(size, start, &found.transform) < far)) break;
        if (found.status == ENDO_PAIR_OK) *result = found;
        if (found.status != ENDO_PAIR_FEW_LANDMARKS) break;
        from = found.transform;
    }
    return ENDO_OK;
}
