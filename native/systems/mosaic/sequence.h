/* The frames of a sequence as the engine asks for them: the caller's source, without the distortion of its lens where that
 * is asked for, and the frames that are kept because they will be asked for again. */
#ifndef ENDO_MOSAIC_SEQUENCE_H
#define ENDO_MOSAIC_SEQUENCE_H

#include "base/status.h"
#include "include/endorama/mosaic.h"
#include "geometry.h"

typedef struct mosaic_sequence mosaic_sequence;

/* lens: percent, 0: none. keep: bytes that frames may take that are kept; 0: none are. cpu: threads and instruction set by
 * which a lens is taken out, wherever the rest computes, for frames come and go in host memory; NULL: the best. The source is
 * borrowed. */
endo_status sequence_create(const endo_mosaic_source *source, double lens, int64_t keep, const endo_context_options *cpu,
                            mosaic_sequence **out);
void sequence_destroy(mosaic_sequence **sequence);

int sequence_count(const mosaic_sequence *s);
mosaic_size sequence_size(const mosaic_sequence *s);
endo_pixel sequence_type(const mosaic_sequence *s);

/* Pixels of a frame, which are to be given back; NULL: it cannot be read, and sequence_reason says why, with the name of the
 * frame: "frame 7 (b.png): ...". shown: 1: as the scope shows it, with the distortion of its lens. Asked by one thread at a
 * time. */
const void *sequence_lend(mosaic_sequence *s, int frame, int shown);
void sequence_give_back(mosaic_sequence *s, int frame, const void *pixels, int shown);
/* The pixels of what was lent, which stay in place until let_go; the thread does nothing else meanwhile than to work on them.
 * Several threads may hold frames. NULL, and a message: there is no memory for it. */
const void *sequence_hold(const mosaic_sequence *s, const void *lent, int shown);
void sequence_let_go(const mosaic_sequence *s, const void *lent, const void *pixels, int shown);
const char *sequence_reason(const mosaic_sequence *s);

/* A mask of the frames as the scope shows them (NULL: 255 all over), as it lies on them without the distortion of their lens.
 * There must be a lens. */
endo_status sequence_undistort_mask(const mosaic_sequence *s, const uint8_t *shown, uint8_t *mask);

/* Asking for it again takes about as long as a copy. */
int sequence_is_at_hand(const mosaic_sequence *s, int frame);

/* "frame 7 (b.png)"; valid until the next call. */
const char *sequence_name(mosaic_sequence *s, int frame);

#endif
