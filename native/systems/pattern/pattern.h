/* The static pattern of a sequence. Arguments are checked by api/.
 *
 * Everything is computed in integers but shares and coefficients at the end, so that threads do not matter. A `detail` is
 * a pixel less the mean of the square around it, in sixteenths of a grey level; contrasts and decisions by region are made
 * for cells of 8 x 8 pixels. */
#ifndef ENDO_SYSTEMS_PATTERN_H
#define ENDO_SYSTEMS_PATTERN_H

#include "backend/objects.h"
#include "systems/field/field.h"

#define PATTERN_CELL 8
/* Reach of the square of a detail to every side, px: details keep pixels and fibres, and lose light. */
#define PATTERN_REACH 10

/* A detail that is not known: outside the field, in a highlight, or in the dark. */
#define PATTERN_UNKNOWN INT16_MIN
/* A cell of a coarse picture that is not known. */
#define PATTERN_NO_CELL INT32_MIN

typedef struct pattern_size {
    int width, height;
    int columns, rows; /* numbers of cells; the last ones may be smaller */
    int threads;
    endo_cpu cpu; /* the limit of the instruction sets */
    endo_context *context; /* asked between two steps whether to go on */
} pattern_size;

static inline size_t pattern_area(const pattern_size *s) { return (size_t)s->width * (size_t)s->height; }
static inline size_t pattern_cells(const pattern_size *s) { return (size_t)s->columns * (size_t)s->rows; }

/* Pixels that a thread handles in one step, some tens of milliseconds. */
#define PATTERN_STEP ((size_t)4 << 20)

/* How many pieces of work on so many pixels each make a step. */
static inline int pattern_pieces_of_step(const pattern_size *s, size_t pixels) {
    size_t pieces = PATTERN_STEP / pixels;
    return s->threads * (pieces < 1 ? 1 : (int)pieces);
}

endo_status endo_pattern_make(endo_context *context, const endo_pattern_options *options, endo_pattern_finder **out);
void endo_pattern_free(endo_pattern_finder *finder);
int endo_pattern_width(const endo_pattern_finder *finder);
/* Makes a frame's grey image and means, and keeps them; the coarse pictures of frames are made together when the finder is full
 * or asked. */
endo_status endo_pattern_take(endo_pattern_finder *finder, const void *pixels, ptrdiff_t stride);
endo_status endo_pattern_decide(endo_pattern_finder *finder, int16_t *pattern, endo_pattern_info *info);

/* Details of a grey image where `known` is not 0, in the rows from top to before bottom, dense (pattern_details.c). workspace:
 * of endo_pattern_workspace numbers. */
size_t endo_pattern_workspace(const pattern_size *s);
void endo_pattern_details(const pattern_size *s, const uint8_t *grey, const uint8_t *known, int top, int bottom,
                          uint32_t *workspace, int16_t *details);

/* Per cell the mean, over it and its eight neighbours, of a sum of `sums` over a count of `counts`; 0 where there are
 * none (pattern_details.c). */
void endo_pattern_smooth_cells(const pattern_size *s, const uint64_t *sums, const uint32_t *counts, uint64_t *out);

/* Per cell the mean square of `details` less `pattern` (NULL: zeros), sixteenths of a level squared, at least `floor`. sums,
 * counts: workspace, one number a cell. */
void endo_pattern_contrast(const pattern_size *s, const int16_t *details, const int16_t *pattern, uint64_t floor,
                           uint64_t *sums, uint32_t *counts, uint64_t *contrast);

/* Number of independent frames that n frames of a moving scene are worth, by their coarse pictures: two of each, one after the
 * other, of halves of the cells whose noise is independent; 0 where no scene moves (pattern_motion.c). */
endo_status endo_pattern_motion(const pattern_size *s, int32_t *const *coarse, int n, double *independent);

/* Adds the light that n frames have in common, less its mean, to a pattern in the field. sums: sums of the means of cells over
 * the frames in which they are known, sixteenths of a level; counts: how many frames those are (pattern_light.c). */
void endo_pattern_add_light(const pattern_size *s, const int64_t *sums, const int32_t *counts, int n, const uint8_t *field,
                            int16_t *pattern);

/* The share of static details of n frames, where `inner` is not 0 (pattern_share.c). */
endo_status endo_pattern_share(const pattern_size *s, int16_t *const *details, int n, const uint8_t *inner, double *share);

/* The pattern that n frames have in common, grey levels (pattern_estimate.c). */
endo_status endo_pattern_estimate(const pattern_size *s, int16_t *const *details, int n, int16_t *pattern);

#endif
