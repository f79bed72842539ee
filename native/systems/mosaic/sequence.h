/* The frames of a sequence as the engine asks for them: the caller's source, without the distortion of its lens where that is
 * asked for, and the frames that are kept because they will be asked for again. */
#ifndef ENDO_MOSAIC_SEQUENCE_H
#define ENDO_MOSAIC_SEQUENCE_H

#include "base/status.h"
#include "include/endorama/mosaic.h"
#include "geometry.h"

typedef struct mosaic_sequence mosaic_sequence;

/* lens: percent, 0: none. keep: bytes for kept frames. cpu: threads and instruction set for undistorting, which is done in host
 * memory wherever the rest computes; NULL: the best. The source is borrowed. */
endo_status sequence_create(const endo_mosaic_source *source, double lens, int64_t keep, const endo_context_options *cpu,
                            mosaic_sequence **out);
void sequence_destroy(mosaic_sequence **sequence);

int sequence_count(const mosaic_sequence *s);
const int32_t *sequence_numbers(const mosaic_sequence *s); /* one a frame, for people; NULL: 1, 2, 3 ... */
mosaic_size sequence_size(const mosaic_sequence *s);
endo_pixel sequence_type(const mosaic_sequence *s);

/* Lends the pixels of a frame, which must be given back; NULL: it cannot be read, and sequence_reason says why, with the name
 * of the frame: "frame 7 (b.png): ...". shown: 1: as the scope shows it, with the distortion of its lens. Called by one thread
 * at a time. */
const void *sequence_lend(mosaic_sequence *s, int frame, int shown);
void sequence_give_back(mosaic_sequence *s, int frame, const void *pixels, int shown);
/* The pixels of a lent frame, which stay in place until sequence_let_go; the thread must only work on them meanwhile. Several
 * threads may hold frames. NULL, and a message: there is no memory. */
const void *sequence_hold(const mosaic_sequence *s, const void *lent, int shown);
void sequence_let_go(const mosaic_sequence *s, const void *lent, const void *pixels, int shown);
const char *sequence_reason(const mosaic_sequence *s);

/* Undistorts a mask of the frames as the scope shows them (NULL: 255 everywhere). The sequence must have a lens. */
endo_status sequence_undistort_mask(const mosaic_sequence *s, const uint8_t *shown, uint8_t *mask);

/* Returns whether asking for the frame again takes about as long as a copy. */
int sequence_is_at_hand(const mosaic_sequence *s, int frame);

/* "frame 7 (b.png)"; valid until the next call. */
const char *sequence_name(mosaic_sequence *s, int frame);

#endif
