/* Frames without the distortion of their lens, by the division model: with r the distance from the middle over half of the
 * frame's longer side, what the frame shows at r lies at r / (1 + lambda r^2) in a picture without distortion. Its size at the
 * middle stays. At r = 1 the distortion, what is shown against what would be, is lambda itself: below 0 it is a barrel.
 *
 * Places are integers but for the factors by the distance from the middle, which are computed once, and pixels are resampled
 * in integers: the same on every machine, with any number of threads. */
#ifndef ENDO_MOSAIC_LENS_H
#define ENDO_MOSAIC_LENS_H

#include "base/status.h"
#include "geometry.h"

/* By what to multiply a place's distance from the middle to come to where the frame shows it; NaN where no frame shows it,
 * however large. percent: the distortion at half of the longer side; square: of the distance, px^2. */
double lens_shown(double percent, mosaic_size size, double square);

/* ---------------------------------------------------------------------- table */

/* Where the frames of a sequence show the pixels of frames without distortion. */
typedef struct lens_table lens_table;

/* Steps of a pixel, and the column of a pixel that no frame shows. */
#define LENS_STEPS 32
#define LENS_NOWHERE INT32_MIN

/* percent: not 0. MEMORY alone. */
endo_status lens_table_create(double percent, mosaic_size size, lens_table **out);
void lens_table_destroy(lens_table **table);

/* The places of a row's pixels, in 32nds of a pixel from the centre of the first one: across, LENS_NOWHERE where the frame does
 * not show them, and down, which is not set there. */
void lens_table_row(const lens_table *table, int y, int32_t *columns, int32_t *rows);

/* 0 for each pixel that frames do not show, else what they have nearest to it in a mask of theirs (NULL: 255 all over). MEMORY
 * alone. */
endo_status lens_table_mask(const lens_table *table, const uint8_t *of_frames, uint8_t *mask);

/* --------------------------------------------------------------------- pixels */

/* Resamples frames: cubic (Catmull and Rom). Beyond the border a frame goes on as it ends there; what it does not show is
 * black. */
typedef struct straight_pixels straight_pixels;

/* Pixels of a frame whose places are kept, at most, six bytes each: those of larger frames are found anew for every frame. */
#define STRAIGHT_MOST_KEPT ((int64_t)1 << 22)

/* The table is borrowed. MEMORY alone. */
endo_status straight_pixels_create(const lens_table *table, endo_pixel type, mosaic_size size, int threads, int64_t most_kept,
                                   straight_pixels **out);
void straight_pixels_destroy(straight_pixels **straight);

/* Both dense. One call at a time. */
void straight_pixels_resample(straight_pixels *straight, const void *shown, void *made);

#endif
