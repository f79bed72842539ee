/* Frames that were put one by one, kept for a run over all of them: in memory as far as that is allowed, else in a file of the
 * scratch folder, of which nothing is left when it is closed or the process ends. */
#ifndef ENDO_MOSAIC_SPOOL_H
#define ENDO_MOSAIC_SPOOL_H

#include "base/status.h"
#include "include/endorama/mosaic.h"

typedef struct mosaic_spool mosaic_spool;

/* memory: bytes. scratch: folder; NULL: none. */
endo_status spool_create(endo_pixel type, int width, int height, int64_t memory, const char *scratch, mosaic_spool **out);
void spool_destroy(mosaic_spool **spool);

/* MEMORY: no space for one more frame; the message says how much is there. */
endo_status spool_put(mosaic_spool *spool, const void *pixels, ptrdiff_t stride);

/* The frames as a source of a sequence, valid as long as the spool. */
endo_mosaic_source spool_source(mosaic_spool *spool);

int spool_is_like(const mosaic_spool *spool, endo_pixel type, int width, int height);

#endif
